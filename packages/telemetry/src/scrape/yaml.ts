import { dumpedYaml, kubernetesYaml } from '@signalbox/cluster';
import { DEFAULT_SCALAR_STYLE_RULES, type DumpOptions, dump, load, SCALAR_STYLE, type ScalarStyleRule } from 'js-yaml';
import { createBlockWriter } from './yaml-block.ts';

/** A part of a document whose text is known already, e.g. a scrape job that has not changed since the last time. */
export class YamlText {
  /** As an item of a list that stands at the margin: most are one there. */
  readonly #item: string;
  #deeper: { readonly prefix: string; readonly text: string } | undefined;

  constructor(value: unknown) {
    this.#item = written([value]);
  }

  get text(): string {
    return this.#item.slice('- '.length).replaceAll('\n  ', '\n');
  }

  /** As an item of a list. A part stands at the same depth every time, so its last text is worth remembering. */
  itemAt(prefix: string): string {
    if (prefix === '') return this.#item;
    if (this.#deeper?.prefix !== prefix) this.#deeper = { prefix, text: indented(this.#item, prefix) };
    return this.#deeper.text;
  }
}

/**
 * The canonical text of a document: block style, keys in the order given, no line folded, everything quoted that YAML 1.1
 * or 1.2 could take for something else. Members that are undefined are left out. {@link YamlText} parts are put in as
 * they are, so that a document of ten thousand jobs costs little when one of them changes.
 */
export function toYaml(value: unknown): string {
  return toYamlPieces(value).join('');
}

/** The same in pieces, one for each part that is an item of a list: the same parts give the very same pieces. */
export function toYamlPieces(value: unknown): readonly string[] {
  const pieces: string[] = [];
  writeInto(pieces, value, '');
  return pieces;
}

/** Renders a part ahead of its document. */
export function toYamlText(value: unknown): YamlText {
  return new YamlText(value);
}

/**
 * The text with dollar signs that nobody expands. Config reloader and agent put the environment's values into the whole
 * file before they read it: a password with `$(` in it would stop every reload, one with `${` would lose a part.
 */
export function literal(text: string): string {
  return text.includes('$') ? text.replaceAll('$', dollar) : text;
}

/** The text in quotes, so that it stays a text whatever its variables bring: `$(SHARD)` alone would become a number. */
export function inQuotes(text: string): string {
  return `${quotes}${text}`;
}

// Characters that YAML cannot hold, so they are written as escapes, and those become that of a dollar sign, or go.
const dollar = '\uffff\ufffe\uffff';
const quotes = '\ufffe\ufffe';

function written(value: unknown): string {
  return (typeof value === 'object' && value !== null ? writeBlock(value) : undefined) ?? writtenByLibrary(value);
}

/** What {@link toYaml} comes to without parts, and what is asked where there is no shorter way. */
export function writtenByLibrary(value: unknown): string {
  return dump(value, options)
    .replaceAll('"\\uFFFE\\uFFFE', '"')
    .replaceAll('\\uFFFF\\uFFFE\\uFFFF', '\\x24')
    .replace(quotedNothing, '$1!!str $2');
}

// go-yaml v2 takes these two for nothing even in quotes where a program reads the text by itself, as it does expressions.
const quotedNothing = /^([ -]*(?:[^\s'":]+: )?)('null'|'~')$/gm;

/** Reads YAML as the Go programs do that will read ours. Throws on bad syntax and on documents that blow up by aliases. */
export function parseYaml(text: string): unknown {
  if (text.trim() === '') return undefined;
  const value = load(text, { schema: kubernetesYaml });
  assertSize(value, { left: nodesMax });
  return value;
}

// Aliases share what they repeat until it is written out.
const nodesMax = 200_000;

function assertSize(value: unknown, budget: { left: number }): void {
  budget.left -= 1;
  if (budget.left < 0) throw new Error(`more than ${nodesMax} values`);
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) assertSize(part, budget);
}

// The indentation of block scalars is where YAML parsers differ most.
const doubleQuoteLineBreaks: ScalarStyleRule = (layout) => {
  if (layout.node.value.includes('\n')) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
};

// Where a number may have underscores, and what follows a base, go-yaml reads more generously than the definitions do.
const quoteAlmostNumbers: ScalarStyleRule = (layout) => {
  if (almostNumber.test(layout.node.value) && layout.style === SCALAR_STYLE.PLAIN)
    layout.style = SCALAR_STYLE.SINGLE_QUOTED;
};

const almostNumber = /^[-+.\d][\w.+-]*_[\w.+-]*$|^[-+]?0[bo][\d+-][\w.+-]*$/i;

const options: DumpOptions = {
  schema: dumpedYaml,
  lineWidth: -1,
  noRefs: true,
  seqNoIndent: true,
  skipInvalid: true,
  scalarStyleRules: [doubleQuoteLineBreaks, quoteAlmostNumbers, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)],
};

const writeBlock = createBlockWriter(writtenByLibrary);

function writeInto(pieces: string[], value: unknown, prefix: string): void {
  if (value instanceof YamlText) pieces.push(indented(value.text, prefix));
  else if (!holdsText(value)) pieces.push(indented(written(value), prefix));
  else if (Array.isArray(value)) for (const item of value) writeItem(pieces, item, prefix);
  else
    for (const [key, member] of Object.entries(value as Readonly<Record<string, unknown>>))
      if (member !== undefined) writeEntry(pieces, { key, member, prefix });
}

function holdsText(value: unknown): boolean {
  if (value instanceof YamlText) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsText);
}

interface Entry {
  readonly key: string;
  readonly member: unknown;
  readonly prefix: string;
}

function writeEntry(pieces: string[], { key, member, prefix }: Entry): void {
  if (!holdsText(member)) return void pieces.push(indented(written({ [key]: member }), prefix));
  pieces.push(`${prefix}${written({ [key]: null }).replace(/ null\n$/, '\n')}`);
  writeInto(pieces, member, Array.isArray(member) ? prefix : `${prefix}  `);
}

function writeItem(pieces: string[], item: unknown, prefix: string): void {
  if (item instanceof YamlText) return void pieces.push(item.itemAt(prefix));
  const start = pieces.length;
  writeInto(pieces, item, `${prefix}  `);
  pieces[start] = `${prefix}- ${pieces[start]?.slice(prefix.length + '- '.length) ?? ''}`;
}

/** No line is empty: line breaks are escaped. */
function indented(text: string, prefix: string): string {
  return prefix === '' ? text : `${prefix}${text.slice(0, -1).replaceAll('\n', `\n${prefix}`)}\n`;
}
