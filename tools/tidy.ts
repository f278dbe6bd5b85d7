/** Rules about the source tree that a machine can check. Pure: texts in, findings out. */
import { posix } from 'node:path';
import ts from 'typescript';

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Folder → folders that it may import, read from the table in ARCHITECTURE.md. */
export type Layers = ReadonlyMap<string, ReadonlySet<string> | 'everything'>;

export const fileLinesMax = 500;
export const functionLinesMax = 70;

/** Reads the rows of the table below "Imports point down". */
export function layersFrom(architecture: string): Layers {
  const layers = new Map<string, ReadonlySet<string> | 'everything'>();
  const section = architecture.split('**Imports point down**')[1] ?? '';
  for (const row of section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)) {
    const [folders = '', allowed = ''] = row.split('|').slice(1, 3);
    const names = allowed.split(';')[0]?.trim() ?? '';
    const value = names === 'everything' ? 'everything' : new Set(names === 'nothing' ? [] : names.split(/[\s,]+/));
    for (const folder of folders.split(',')) layers.set(folder.trim(), value);
  }
  return layers;
}

const clusterSource = 'packages/cluster/src/';

/** `packages/cluster/src/store/log.ts` → `store`; undefined outside the cluster package. */
export function layerOf(file: string): string | undefined {
  if (!file.startsWith(clusterSource)) return undefined;
  return file.slice(clusterSource.length).split('/')[0];
}

/** Folders that hold several parts which may not know each other. */
const parted = new Set(['controllers']);
/** Parts of them that their siblings share. */
const sharedParts = new Set(['history', 'pods']);

export function layeringFindings(source: ts.SourceFile, layers: Layers): readonly Finding[] {
  const from = layerOf(source.fileName);
  if (from === undefined || isTest(source.fileName)) return [];
  const allowed = layers.get(from);
  if (allowed === 'everything' || from === 'index.ts') return [];
  return importsOf(source).flatMap(({ specifier, line }) => {
    if (!specifier.startsWith('.')) return [];
    const target = posix.join(posix.dirname(source.fileName), specifier);
    const to = layerOf(target);
    if (to === undefined)
      return [{ file: source.fileName, line, message: `imports ${specifier} from outside its package` }];
    if (to === from) return siblingFindings(source.fileName, target, line);
    if (allowed?.has(to) === true) return [];
    return [{ file: source.fileName, line, message: `${from} may not import ${to} (${specifier})` }];
  });
}

function siblingFindings(file: string, target: string, line: number): readonly Finding[] {
  const [layer = '', part] = file.slice(clusterSource.length).split('/');
  const [, other = ''] = target.slice(clusterSource.length).split('/');
  if (!parted.has(layer) || part === other || sharedParts.has(other)) return [];
  return [{ file, line, message: `${layer}/${part} may not import its sibling ${layer}/${other}` }];
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

/** Where time and chance may come from the surroundings: their home, and the programs that hand them out. */
function mayBeAmbient(file: string): boolean {
  return isTest(file) || /^packages\/cluster\/src\/(base|testing)\//.test(file) || file.startsWith('packages/cli/');
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
  if (layerOf(source.fileName) === undefined || isTest(source.fileName)) return [];
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
