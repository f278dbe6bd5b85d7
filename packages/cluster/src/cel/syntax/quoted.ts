import { SyntaxProblem } from './problem.ts';

interface Opening {
  readonly at: number;
  /** Prefix and quotes: `rb"""`. */
  readonly opening: string;
}

/** The text or bytes of a literal, and where it ends; or as much as is no literal, up to what spoils it. */
export function readQuoted(
  source: string,
  { at, opening }: Opening,
): { readonly value: string | Uint8Array; readonly end: number } | { readonly unknown: string } {
  const prefix = opening.replace(/['"]+$/, '').toLowerCase();
  const quotes = opening.slice(prefix.length);
  const isRaw = prefix.includes('r');
  const begin = at + opening.length;
  const end = closing(source, { begin, quotes, isRaw });
  if (typeof end === 'object') return { unknown: source.slice(at, end.spoiltAt) };
  const body = source.slice(begin, end);
  const next = end + quotes.length;
  if (prefix.includes('b')) {
    return { value: isRaw ? new TextEncoder().encode(body) : bytesOf(body, at), end: next };
  }
  return { value: isRaw ? body : textOf(body, at), end: next };
}

function closing(
  source: string,
  { begin, quotes, isRaw }: { readonly begin: number; readonly quotes: string; readonly isRaw: boolean },
): number | { readonly spoiltAt: number } {
  for (let at = begin; at < source.length; at++) {
    if (source.startsWith(quotes, at)) return at;
    if (quotes.length === 1 && source[at] === '\n') return { spoiltAt: at };
    if (source[at] !== '\\' || isRaw) continue;
    escapeAt.lastIndex = at;
    if ((escapeAt.exec(source)?.[0].length ?? 0) < 2) return { spoiltAt: at + 2 };
    at++;
  }
  return { spoiltAt: source.length };
}

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};
const escapes = /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|)/g;
const escapeAt = new RegExp(escapes.source, 'y');

function textOf(body: string, at: number): string {
  return body.replace(escapes, (_whole: string, ...groups: readonly (string | undefined)[]) => {
    const [plain, hex, short, long, octal] = groups;
    if (plain !== undefined) return simple[plain] ?? '';
    const code = Number.parseInt(hex ?? short ?? long ?? octal ?? '', octal === undefined ? 16 : 8);
    if (Number.isNaN(code) || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      throw new SyntaxProblem(at, 'invalid unicode code point');
    return String.fromCodePoint(code);
  });
}

/** In bytes `\x` and octal escapes are single bytes, and characters their UTF-8. */
function bytesOf(body: string, at: number): Uint8Array {
  const bytes: number[] = [];
  let last = 0;
  const encoder = new TextEncoder();
  for (const found of body.matchAll(escapes)) {
    bytes.push(...encoder.encode(body.slice(last, found.index)));
    last = found.index + found[0].length;
    const [, plain, hex, , , octal] = found;
    if (plain !== undefined) bytes.push(...encoder.encode(simple[plain] ?? ''));
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else throw new SyntaxProblem(at, 'unable to unescape string');
  }
  bytes.push(...encoder.encode(body.slice(last)));
  return Uint8Array.from(bytes);
}
