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
const lineOutside = 4;
const lineInside = 2;
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
        work += weigh(text, { start: start + indent, end, table: outside });
        if (opensBlock(text, start, end)) blockIndent = indent + 1;
      }
    }
    start = end + 1;
  }
  return work;
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
