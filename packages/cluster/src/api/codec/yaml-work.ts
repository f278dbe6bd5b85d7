/*
 * How long a YAML text keeps its reader busy, told from the text alone in one pass that is a hundred times as fast. A line or a
 * value costs microseconds whatever it says, so three megabytes of them cost seconds, while three megabytes of plain text
 * cost next to nothing. What stands in a block scalar (`|`, `>`) is text. A text that only looks as if it did is not read
 * as structure by a YAML reader either, but in a few crooked cases; so what could be structure still counts a little there.
 */
const hash = 0x23;

/** Units of about half a microsecond, by character; what is not named costs nothing. */
const outside = weights({ '[]{},': 6, '\\"\':-?*&!\r': 1 });
const inside = weights({ '[]{},': 1 });
const escapes = weights({ '\\': 1 });
const lineOutside = 4;
const lineInside = 1;
/** Inside quotes they are letters; an escape costs its reader a little. */
const quotedPart = 4;
/** Each document starts a reader of its own. */
const documentStart = 100;

function weights(byCharacters: Readonly<Record<string, number>>): Uint8Array {
  const table = new Uint8Array(128);
  for (const [characters, weight] of Object.entries(byCharacters))
    for (const character of characters) table[character.charCodeAt(0)] = weight;
  return table;
}

/** The end of a line after which a block scalar follows: `key: |`, `- >-`, `key: !!str &a |2 # comment`. */
const blockHeader = /(?:^|[:\-?]\s+|\s)(?:[!&]\S*\s+)*[|>][-+\d]{0,2}\s*(?:\s#.*)?$/;

/** The work in units of about half a microsecond; stops counting beyond `max`. */
export function yamlWork(text: string, max: number): number {
  let work = 0;
  /** How far the lines of a block scalar are indented at least; undefined outside of one. */
  let blockIndent: number | undefined;
  for (let start = 0; start < text.length && work <= max; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const indent = indentOf(text, start, end);
    const isBlank = start + indent >= end;
    if (blockIndent !== undefined && !isBlank && indent < blockIndent) blockIndent = undefined;
    if (blockIndent !== undefined) work += lineInside + weigh(text, { start: start + indent, end, table: inside });
    else {
      work += lineOutside;
      if (text.startsWith('---', start)) work += documentStart;
      if (!isBlank && text.charCodeAt(start + indent) !== hash) {
        work += weighLine(text, start + indent, end);
        if (opensBlock(text, start, end)) blockIndent = indent + 1;
      }
    }
    start = end + 1;
  }
  return work;
}

/** `- `, a key, and a quote that begins the value: a dashboard in quotes is one text, whatever is in it. */
const quotedValue = /(?:- +)*(?:(?:"[^"\\\n]*"|'[^'\n]*'|[^\s"'#&*!|>%@`[\]{},:?-][^\n:#"']*):[ \t]+)?(?<quote>["'])/y;
const afterValue = /[ \t]*(?: #[^\n]*)?\r?(?=\n|$)/y;

function weighLine(text: string, start: number, end: number): number {
  quotedValue.lastIndex = start;
  const quote = quotedValue.exec(text)?.groups?.['quote'];
  const from = quotedValue.lastIndex;
  if (quote === undefined || from > end) return weigh(text, { start, end, table: outside });
  afterValue.lastIndex = endOfQuoted(text, { start: from, end, quote }) + 1;
  // A value that goes on in the next line, or something behind it: whatever that is, it is not this simple.
  if (afterValue.lastIndex > end || !afterValue.test(text)) return weigh(text, { start, end, table: outside });
  const quoted = weigh(text, { start: from, end, table: escapes });
  return weigh(text, { start, end: from, table: outside }) + Math.ceil(quoted / quotedPart);
}

/** The place of the closing quote; `end` when there is none. */
function endOfQuoted(
  text: string,
  { start, end, quote }: { readonly start: number; readonly end: number; readonly quote: string },
): number {
  for (let at = start; at < end; at++) {
    const letter = text[at];
    if (letter === '\\' && quote === '"') at++;
    else if (letter === quote) {
      if (quote === '"' || text[at + 1] !== "'") return at;
      at++;
    }
  }
  return end;
}

function indentOf(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && text.charCodeAt(at) === 0x20) at++;
  return at - start;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly table: Uint8Array;
}

function weigh(text: string, { start, end, table }: Span): number {
  let sum = 0;
  for (let at = start; at < end; at++) sum += table[text.charCodeAt(at)] ?? 0;
  return sum;
}

const headerCharactersMax = 200;

function opensBlock(text: string, start: number, end: number): boolean {
  const tail = text.slice(Math.max(start, end - headerCharactersMax), end);
  return (tail.includes('|') || tail.includes('>')) && blockHeader.test(tail);
}
