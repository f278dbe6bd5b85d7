/** Literals of Go, as `strconv` reads them. */

/** The text of a quoted or raw string; undefined: it is none. */
export function goString(text: string): string | undefined {
  if (text.startsWith('`')) return text.length >= 2 && text.endsWith('`') ? text.slice(1, -1) : undefined;
  if (!/^"[^\n]*"$/.test(text)) return undefined;
  return unescaped(text.slice(1, -1), '"');
}

/** Whether it is a character constant: exactly one. */
export function isGoChar(text: string): boolean {
  if (!/^'[^\n]*'$/.test(text)) return false;
  const inner = text.slice(1, -1);
  const value = unescaped(inner, "'");
  return value !== undefined && /^.$/su.test(value);
}

const escapes = /\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/y;
const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

function unescaped(text: string, quote: '"' | "'"): string | undefined {
  let value = '';
  for (let at = 0; at < text.length; ) {
    const letter = text[at] ?? '';
    if (letter === quote) return undefined;
    if (letter !== '\\') {
      value += letter;
      at += 1;
      continue;
    }
    escapes.lastIndex = at;
    const found = escapes.exec(text);
    const part = found === null ? undefined : escaped(found, quote);
    if (part === undefined) return undefined;
    value += part;
    at = escapes.lastIndex;
  }
  return value;
}

function escaped(found: RegExpExecArray, quote: string): string | undefined {
  const [, letter, byte, short, long, octal] = found;
  if (letter !== undefined)
    return letter === '"' || letter === "'" ? (letter === quote ? letter : undefined) : simple[letter];
  const code = octal === undefined ? Number.parseInt(byte ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
  const limit = octal !== undefined ? 0xff : 0x10ffff;
  return code > limit || (code >= 0xd800 && code <= 0xdfff) ? undefined : String.fromCodePoint(code);
}

const digits = String.raw`\d(?:_?\d)*`;
const exponent = `[eE][+-]?${digits}`;
const hexDigits = '_?[0-9a-fA-F](?:_?[0-9a-fA-F])*';
const decimal = String.raw`(?:${digits}(?:\.(?:${digits})?)?|\.${digits})(?:${exponent})?`;
const unsigned = [
  decimal,
  `0[xX]${hexDigits}`,
  '0[bB]_?[01](?:_?[01])*',
  '0[oO]_?[0-7](?:_?[0-7])*',
  String.raw`0[xX](?:${hexDigits})?(?:\.(?:[0-9a-fA-F](?:_?[0-9a-fA-F])*)?)?[pP][+-]?${digits}`,
].join('|');
const number = new RegExp(`^[+-]?(?:${unsigned})i?$|^[+-]?${decimal}[+-]${decimal}i$`);

/** Whether a template takes it for a number: whole, broken or complex. */
export function isGoNumber(text: string): boolean {
  if (!number.test(text)) return false;
  // A leading zero makes a whole number octal.
  return !/^[+-]?0[0-9_]+$/.test(text) || /^[+-]?0[0-7_]+$/.test(text);
}
