/*
 * JSON whose 64-bit integers keep all their digits: those that a double cannot hold are bigints. Texts without a long run
 * of digits and values without a bigint, which is nearly all of them, cost what `JSON.parse` and `JSON.stringify` cost.
 */

/** A lone half of a surrogate pair. No text in UTF-8 can hold one, so no string of anybody's starts like a mark. */
const mark = '\udc00';
const marked = /"\\udc00(-?\d+)"/g;
/** The text of a string that begins with such a half, which only its escape can write. */
const strayMark = /"\\u[dD][cC]00/;
/** The shortest integer beyond 2^53 has this many digits. */
const longRun = /\d{16}/;
/** Whether one may be meant: many a hash has a long run, but none where a number stands. */
const longNumber = /(?:^|[:[,])\s*-?\d{16,}\s*(?:[,}\]]|$)/;
const plainInteger = /^-?[1-9]\d*$/;
const int64Max = 2n ** 63n - 1n;

/** Throws what `JSON.parse` throws. */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!longRun.test(text) || !longNumber.test(text) || strayMark.test(text)) return value;
  const withMarks = markWideIntegers(text);
  return withMarks === text ? value : JSON.parse(withMarks, unmark);
}

/** Throws what `JSON.stringify` throws, except for bigints, which become plain numbers of any length. */
export function formatExactJson(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, undefined, space);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, markBigints, space).replace(marked, '$1');
  }
}

/** An integer by its digits: a number where that is exact, a bigint up to 64 bits, and the closest number beyond. */
export function exactInteger(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : exactBigint(BigInt(digits));
}

/** The number where that is exact; beyond 64 bits the closest one, as Go reads it. */
export function exactBigint(value: bigint): number | bigint {
  const number = Number(value);
  const isWide = !Number.isSafeInteger(number) && value <= int64Max && value >= -int64Max - 1n;
  return isWide ? value : number;
}

/** One more than the value, exactly. The types of the wire call every integer a number, bigints included. */
export function successor(value: number): number {
  return exactBigint(BigInt(value) + 1n) as number;
}

function unmark(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(1)) : value;
}

function markBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${mark}${value}` : value;
}

/** Valid JSON with every such integer in the form of a marked string. */
function markWideIntegers(text: string): string {
  let out = '';
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const end = endOfNumber(text, at);
      const token = text.slice(at, end);
      if (token.length >= 16 && plainInteger.test(token) && typeof exactInteger(token) === 'bigint') {
        out += `${text.slice(done, at)}"${mark}${token}"`;
        done = end;
      }
      at = end - 1;
    }
  }
  return out + text.slice(done);
}

/** The index of the quote that closes the string which `start` opens, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** The first index that does not belong to the number: digits, signs, point and exponent do. */
export function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const belongs = (code >= 0x2b && code <= 0x39 && code !== 0x2c && code !== 0x2f) || code === 0x65 || code === 0x45;
    if (!belongs) break;
    at++;
  }
  return at;
}
