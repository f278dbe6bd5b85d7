/** Rules about the source tree that a machine can check. Pure: texts in, findings out. */
import { posix } from 'node:path';
import ts from 'typescript';

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Room → what it may import, read from the table in ARCHITECTURE.md. A room is `cluster:server/http`: package and folder. */
export type Layers = ReadonlyMap<string, ReadonlySet<string> | 'everything'>;

export const fileLinesMax = 500;
export const functionLinesMax = 70;

/** Reads the rows of the table below "Imports point down": package, rooms, what they may import. */
export function layersFrom(architecture: string): Layers {
  const layers = new Map<string, ReadonlySet<string> | 'everything'>();
  const section = architecture.split('**Imports point down**')[1]?.split('\n#')[0] ?? '';
  let of = '';
  for (const row of section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)) {
    const [name = '', rooms = '', allowed = ''] = row.split('|').slice(1, 4);
    of = name.trim() === '' ? of : name.trim();
    const names = (allowed.split(';')[0] ?? '').trim();
    const value =
      names === 'everything'
        ? names
        : new Set(names === 'nothing' ? [] : names.split(/[\s,]+/).map((each) => `${of}:${each}`));
    for (const room of rooms.split(',')) layers.set(`${of}:${room.trim()}`, value);
  }
  return layers;
}

const source = /^packages\/([^/]+)\/src\/(.+)$/;

/** The narrowest room of the table that a file is in; undefined outside the packages' sources. */
export function roomOf(file: string, layers: Layers): string | undefined {
  const [, name = '', path = ''] = source.exec(file) ?? [];
  if (name === '') return undefined;
  const steps = path.split('/');
  for (let length = steps.length; length > 0; length--) {
    const room = `${name}:${steps.slice(0, length).join('/')}`;
    if (layers.has(room)) return room;
  }
  return `${name}:${steps[0]}`;
}

/** Rooms whose folders may not know each other. */
const parted: ReadonlySet<string> = new Set(['cluster:controllers', 'telemetry:roots']);

export function layeringFindings(source: ts.SourceFile, layers: Layers): readonly Finding[] {
  const from = roomOf(source.fileName, layers);
  if (from === undefined || isTest(source.fileName) || from.endsWith(':index.ts')) return [];
  if (!layers.has(from)) return [{ file: source.fileName, line: 1, message: `ARCHITECTURE.md has no row for ${from}` }];
  return importsOf(source).flatMap(({ specifier, line }) => {
    if (!specifier.startsWith('.')) return [];
    const target = posix.join(posix.dirname(source.fileName), specifier);
    const to = roomOf(target, layers);
    if (to === undefined || packageOf(to) !== packageOf(from))
      return [{ file: source.fileName, line, message: `imports ${specifier} from outside its package` }];
    if (to === from) return siblingFindings(source.fileName, target, { room: from, line });
    if (mayImport(from, to, layers)) return [];
    return [
      { file: source.fileName, line, message: `${folderOf(from)} may not import ${folderOf(to)} (${specifier})` },
    ];
  });
}

/** A room may import what its row names, the rooms inside itself, and outside the room that it is in what that one may. */
function mayImport(from: string, to: string, layers: Layers): boolean {
  const allowed = layers.get(from);
  if (allowed === 'everything' || allowed?.has(to) === true || to.startsWith(`${from}/`)) return true;
  if (ancestors(to).some((room) => !isAround(room, from) && allowed?.has(room) === true)) return true;
  const around = ancestors(from).find((room) => layers.has(room));
  return around !== undefined && !to.startsWith(`${around}/`) && to !== around && mayImport(around, to, layers);
}

/** `cluster:server/http/codec` → `cluster:server/http`, `cluster:server`. */
function ancestors(room: string): readonly string[] {
  const steps = room.split('/');
  return steps.slice(0, -1).map((_, index) => steps.slice(0, steps.length - 1 - index).join('/'));
}

function isAround(outer: string, room: string): boolean {
  return room.startsWith(`${outer}/`);
}

function packageOf(room: string): string {
  return room.slice(0, room.indexOf(':'));
}

function folderOf(room: string): string {
  return room.slice(room.indexOf(':') + 1);
}

function siblingFindings(
  file: string,
  target: string,
  { room, line }: { readonly room: string; readonly line: number },
): readonly Finding[] {
  if (!parted.has(room)) return [];
  const [part, other] = [file, target].map((path) => partOf(path, room));
  if (part === other) return [];
  const folder = folderOf(room);
  return [{ file, line, message: `${folder}/${part} may not import its sibling ${folder}/${other}` }];
}

function partOf(file: string, room: string): string {
  const start = `packages/${packageOf(room)}/src/${folderOf(room)}/`;
  return file.slice(start.length).split('/')[0] ?? '';
}

/** What stands beside the packages uses them as strangers do. Only the command line and the real node, which are no libraries, are started from their sources. */
export function strangerFindings(source: ts.SourceFile): readonly Finding[] {
  return importsOf(source).flatMap(({ specifier, line }) => {
    const target = posix.join(posix.dirname(source.fileName), specifier);
    const isInside =
      specifier.startsWith('.') &&
      target.startsWith('packages/') &&
      !/^packages\/(cli|node)\/src\/testing\//.test(target);
    return isInside
      ? [{ file: source.fileName, line, message: `imports ${specifier}: use what @signalbox/… exports` }]
      : [];
  });
}

interface Import {
  readonly specifier: string;
  readonly line: number;
}

export function importsOf(source: ts.SourceFile): readonly Import[] {
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
    return [{ specifier: moduleSpecifier.text, line: lineOf(source, statement) }];
  });
}

const ambientCalls = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'process.nextTick',
  'queueMicrotask',
  'process.hrtime',
  'crypto.randomUUID',
]);

const homesOfTime = /^packages\/(cluster\/src\/(base|testing)\/|cli\/|node\/src\/inside\/main\.ts$)/;

/** Where time and chance may come from the surroundings: their home, and the programs that hand them out. */
function mayBeAmbient(file: string): boolean {
  return isTest(file) || homesOfTime.test(file);
}

export function ambientFindings(source: ts.SourceFile): readonly Finding[] {
  if (mayBeAmbient(source.fileName)) return [];
  const found: Finding[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ambientCalls.has(node.expression.getText(source)))
      found.push(finding(source, node, `${node.expression.getText(source)} is ambient: take a Clock or a Random`));
    if (ts.isNewExpression(node) && node.expression.getText(source) === 'Date' && (node.arguments?.length ?? 0) === 0)
      found.push(finding(source, node, 'new Date() is ambient: take a Clock'));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * Groups share names: a `Pod` of example.com is no pod. `kinds` are the names of built-in kinds and resources; who compares
 * with one of them has to compare the group, too.
 */
export function homonymFindings(source: ts.SourceFile, kinds: ReadonlySet<string>): readonly Finding[] {
  if (!source.fileName.startsWith('packages/cluster/src/') || isTest(source.fileName)) return [];
  const found: Finding[] = [];
  const isName = (node: ts.Expression): boolean => /(^|[.?])(kind|resource|plural)$/.test(node.getText(source));
  const isKind = (node: ts.Expression): boolean => ts.isStringLiteral(node) && kinds.has(node.text);
  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node) && isName(node.left) && isKind(node.right))
      found.push(finding(source, node, `${node.getText(source)} forgets the group: use isOfKind or isSameResource`));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The names of kinds and resources in `api/generated/kinds.ts`. */
export function builtinNames(generated: string): ReadonlySet<string> {
  const names = [...generated.matchAll(/resource: '(\w+)', kind: '(\w+)'/g)];
  return new Set(names.flatMap(([, resource = '', kind = '']) => [resource, kind]));
}

export function sizeFindings(source: ts.SourceFile): readonly Finding[] {
  const found: Finding[] = [];
  const lines = source.getLineStarts().length - 1;
  if (!isTest(source.fileName) && lines > fileLinesMax)
    found.push({ file: source.fileName, line: 1, message: `${lines} lines; at most ${fileLinesMax}` });
  const visit = (node: ts.Node): void => {
    if (isFunctionWithBody(node)) {
      const length = lineOf(source, node, node.end) - lineOf(source, node) + 1;
      if (length > functionLinesMax && !isTest(source.fileName))
        found.push(finding(source, node, `a function of ${length} lines; at most ${functionLinesMax}`));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const vagueNames = new Set(['utils.ts', 'util.ts', 'helpers.ts', 'common.ts', 'misc.ts', 'manager.ts']);

export function nameFindings(file: string): readonly Finding[] {
  const name = posix.basename(file);
  const found: Finding[] = [];
  if (vagueNames.has(name)) found.push({ file, line: 1, message: `${name} says nothing: name the one idea it holds` });
  if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.ts$/.test(name))
    found.push({ file, line: 1, message: 'file names are kebab-case' });
  return found;
}

function isFunctionWithBody(node: ts.Node): boolean {
  return (
    (ts.isFunctionDeclaration(node) ||
      ts.isFunctionExpression(node) ||
      ts.isArrowFunction(node) ||
      ts.isMethodDeclaration(node)) &&
    node.body !== undefined
  );
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || file.endsWith('testing/store/contract.ts');
}

function finding(source: ts.SourceFile, node: ts.Node, message: string): Finding {
  return { file: source.fileName, line: lineOf(source, node), message };
}

function lineOf(source: ts.SourceFile, node: ts.Node, position: number = node.getStart(source)): number {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}
