import { dump, type LoadOptions, load, YAMLException } from 'js-yaml';
import { isObject, type JsonObject } from '../record.ts';
import { placeOf, SourceError } from './source.ts';
import { duplicateKeys } from './yaml-duplicates.ts';
import { dumpedYaml, kubernetesYaml } from './yaml-schema.ts';

export interface YamlOptions {
  /** What messages call the text: a file's name, `standard input`. */
  readonly source: string;
  /** Of keys that stand twice in a map the last counts, as in JSON, and the document says so. Else they are refused. */
  readonly keepsLast?: boolean;
}

export interface YamlDocument {
  readonly value: unknown;
  /** The line, from 1, that the document starts on. */
  readonly line: number;
  /** What stands there twice, in go-yaml's words. Only with `keepsLast`. */
  readonly duplicates?: readonly string[];
}

const bytesMax = 32 * 1024 * 1024;
const depthMax = 100;
const aliasesMax = 1_000;
/** Aliases share what they stand for, so a few lines can mean gigabytes once written out. */
const valuesMax = 1_000_000;

/**
 * All documents of a YAML or JSON text; empty ones are left out. Throws a {@link SourceError} that names file, line and
 * column.
 */
export function parseYamlDocuments(text: string, { source, keepsLast = false }: YamlOptions): readonly YamlDocument[] {
  if (text.length > bytesMax) {
    throw new SourceError({ source, line: 1, column: 1 }, `the text is larger than ${bytesMax} bytes`);
  }
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const nul = plain.indexOf('\0');
  if (nul >= 0) throw new SourceError({ source, ...placeOf(plain, nul) }, 'the text contains a NUL character');
  const documents: YamlDocument[] = [];
  for (const { body, line } of split(plain)) {
    const { value, duplicates } = parseDocument(body, { source, line, keepsLast });
    // `{}` is a document, a comment alone is none.
    if (value !== null && value !== undefined)
      documents.push({ value, line: firstLine(body, line), ...(duplicates.length > 0 && { duplicates }) });
  }
  return documents;
}

interface Chunk {
  readonly body: string;
  /** The line of the text that the body starts on. */
  readonly line: number;
}

/** A line that starts with `---` always ends a document, so each is read on its own and errors stay with it. */
function split(text: string): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let body: string[] = [];
  let start = 1;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^---(?:\s|$)/.test(line)) {
      if (!isPreamble(body)) chunks.push({ body: body.join('\n'), line: start });
      start = index + 1;
      body = [`   ${line.slice(3)}`];
    } else {
      body.push(line);
    }
  }
  chunks.push({ body: body.join('\n'), line: start });
  return chunks;
}

/** Directives (`%YAML 1.1`) and comments in front of a document. */
function isPreamble(lines: readonly string[]): boolean {
  return lines.every((line) => /^(?:%.*|\s*(?:#.*)?|\.\.\.\s*)$/.test(line));
}

function firstLine(body: string, line: number): number {
  return line + Math.max(0, linesBeforeContent(body));
}

/** How many empty lines and comments stand in front of everything else; -1 when there is nothing else. Linear in any text. */
function linesBeforeContent(body: string): number {
  let lines = 0;
  for (let start = 0; start <= body.length; lines++) {
    const found = body.indexOf('\n', start);
    const end = found < 0 ? body.length : found;
    const line = body.slice(start, end).trimStart();
    if (line !== '' && !line.startsWith('#')) return lines;
    start = end + 1;
  }
  return -1;
}

interface Parsed {
  readonly value: unknown;
  readonly duplicates: readonly string[];
}

const plainLoad: LoadOptions = { schema: kubernetesYaml, maxDepth: depthMax, maxAliases: aliasesMax };

function parseDocument(body: string, options: Required<YamlOptions> & { readonly line: number }): Parsed {
  const { source, line } = options;
  if (linesBeforeContent(body) < 0) return { value: undefined, duplicates: [] };
  const parsed = loadDocument(body, options);
  const problem = unkept(parsed.value, new Map(), []);
  if (typeof problem === 'string') throw new SourceError({ source, line: firstLine(body, line), column: 1 }, problem);
  return parsed;
}

function loadDocument(
  body: string,
  { source, line, keepsLast }: Required<YamlOptions> & { readonly line: number },
): Parsed {
  try {
    return { value: load(body, plainLoad), duplicates: [] };
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    if (keepsLast && cause.reason === 'duplicated mapping key')
      return { value: load(body, { ...plainLoad, json: true }), duplicates: duplicateKeys(body, line) };
    const at = { source, line: line + (cause.mark?.line ?? 0), column: (cause.mark?.column ?? 0) + 1 };
    throw new SourceError(at, sentence(cause.reason, body.split('\n')[cause.mark?.line ?? 0] ?? ''), { cause });
  }
}

function sentence(reason: string, line: string): string {
  if (line.includes('\t') && /tab|indentation/.test(reason)) return `${reason}: indent with spaces, not tabs`;
  if (reason.startsWith('nesting exceeded')) return `values are nested more than ${depthMax} deep`;
  // A password that begins with a star or an exclamation mark is taken for one of these: the place says enough.
  return reason.replace(/^(unidentified alias|unknown \w+ tag) .*/s, '$1');
}

/** The size of the value with aliases written out, or what speaks against it. */
function unkept(value: unknown, known: Map<object, number>, path: readonly string[]): number | string {
  if (typeof value !== 'object' || value === null) return 1;
  const before = known.get(value);
  if (before === 0) return `${path.join('.')}: an alias stands for a value that contains it`;
  if (before !== undefined) return before;
  known.set(value, 0);
  let size = 1;
  for (const [key, part] of Object.entries(value)) {
    const inner = unkept(part, known, [...path, key]);
    if (typeof inner === 'string') return inner;
    size += inner;
    if (size > valuesMax)
      return known.size < valuesMax / 2
        ? `aliases expand to more than ${valuesMax} values`
        : `the text holds more than ${valuesMax} values`;
  }
  known.set(value, size);
  return size;
}

/** Canonical YAML: block style, strings quoted wherever any YAML version would read something else. */
export function formatYaml(value: unknown): string {
  return dump(value, { schema: dumpedYaml, lineWidth: -1, noRefs: true, skipInvalid: true });
}

/** Every `List` (and `PodList` and the like) replaced by its items, which inherit a typed list's kind. */
export function expandLists(documents: readonly YamlDocument[]): readonly YamlDocument[] {
  return documents.flatMap(({ value, line }) => {
    const items = itemsOf(value);
    return items === undefined ? [{ value, line }] : expandLists(items.map((item) => ({ value: item, line })));
  });
}

function itemsOf(value: unknown): readonly unknown[] | undefined {
  if (!isObject(value)) return undefined;
  const { apiVersion, kind, items } = value;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return undefined;
  if (kind === 'List') return items;
  return items.map((item: unknown): unknown =>
    isObject(item) ? typed(item, { apiVersion, kind: kind.slice(0, -4) }) : item,
  );
}

function typed(item: JsonObject, type: JsonObject): JsonObject {
  return item['kind'] === undefined ? { ...type, ...item } : item;
}
