import { comparesElements, joins, quotes, replaces, splits, traverses } from '../costs/rules.ts';
import { dyn, int, listOf, string } from '../types/type.ts';
import { Values, valuesOf } from '../values/collections.ts';
import { charactersOf } from '../values/text.ts';
import { EvaluationError, type Value } from '../values/value.ts';
import { formatText } from './format-text.ts';
import { fn, integer, list, member, type Overload, text } from './overload.ts';

function outOfRange(index: bigint): EvaluationError {
  return new EvaluationError(`index out of range: ${index}`);
}

function charAt(subject: string, index: bigint): string {
  const characters = charactersOf(subject);
  if (index < 0n || index > BigInt(characters.length)) throw outOfRange(index);
  return characters[Number(index)] ?? '';
}

/** Where one list of characters first stands in another, from a place on. */
function indexOf(subject: string, part: string, from: bigint): bigint {
  const characters = charactersOf(subject);
  if (part === '') return from;
  if (from < 0n || from > BigInt(characters.length)) throw outOfRange(from);
  const begin = characters.slice(0, Number(from)).join('').length;
  const found = subject.indexOf(part, begin);
  return found === -1 ? -1n : BigInt(charactersOf(subject.slice(0, found)).length);
}

function lastIndexOf(subject: string, part: string, from?: bigint): bigint {
  const characters = charactersOf(subject);
  if (part === '') return from ?? BigInt(characters.length);
  if (from !== undefined && (from < 0n || from > BigInt(characters.length))) throw outOfRange(from);
  const end = from === undefined ? subject.length : characters.slice(0, Number(from)).join('').length;
  const found = subject.lastIndexOf(part, end);
  return found === -1 ? -1n : BigInt(charactersOf(subject.slice(0, found)).length);
}

function substring(subject: string, begin: bigint, end?: bigint): string {
  const characters = charactersOf(subject);
  const length = BigInt(characters.length);
  const last = end ?? length;
  if (end !== undefined && begin > end)
    throw new EvaluationError(`invalid substring range. start: ${begin}, end: ${end}`);
  if (begin < 0n || begin > length) throw outOfRange(begin);
  if (last < 0n || last > length) throw outOfRange(last);
  return characters.slice(Number(begin), Number(last)).join('');
}

/** All of them when the count is below zero. */
function replace(subject: string, { part, by, count }: { part: string; by: string; count: bigint }): string {
  if (count < 0n) return subject.replaceAll(part, () => by);
  let result = '';
  let at = 0;
  for (let left = count; left > 0n; left--) {
    const found = subject.indexOf(part, part === '' && result !== '' ? at + 1 : at);
    if (found === -1 || at > subject.length) break;
    result += subject.slice(at, found) + by;
    at = found + part.length;
    if (part === '' && found >= subject.length) break;
  }
  return result + subject.slice(at);
}

function split(subject: string, separator: string, count: bigint): readonly string[] {
  if (count === 0n) return [];
  const parts = separator === '' ? charactersOf(subject) : subject.split(separator);
  if (count < 0n || BigInt(parts.length) <= count) return parts;
  const last = Number(count) - 1;
  return [...parts.slice(0, last), parts.slice(last).join(separator)];
}

const quoted: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(subject: string): string {
  return `"${charactersOf(subject)
    .map((character) => quoted[character] ?? character)
    .join('')}"`;
}

/** Blanks as Unicode counts them. */
function trim(subject: string): string {
  const blank = '[\\p{White_Space}]+';
  return subject.replace(new RegExp(`^${blank}|${blank}$`, 'gu'), '');
}

const lower = (subject: string): string => subject.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const upper = (subject: string): string => subject.replace(/[a-z]/g, (letter) => letter.toUpperCase());

function joined(values: Value | undefined, separator: string): string {
  return valuesOf(list(values)).map(text).join(separator);
}

const same = traverses({ keepsSize: true });

export const texts: readonly Overload[] = [
  member('charAt', { parameters: [string, int], result: string }, ([x, at]) => charAt(text(x), integer(at))),
  member('indexOf', { parameters: [string, string], result: int, costs: comparesElements }, ([x, part]) =>
    indexOf(text(x), text(part), 0n),
  ),
  member('indexOf', { parameters: [string, string, int], result: int, costs: comparesElements }, ([x, part, from]) =>
    indexOf(text(x), text(part), integer(from)),
  ),
  member('lastIndexOf', { parameters: [string, string], result: int, costs: comparesElements }, ([x, part]) =>
    lastIndexOf(text(x), text(part)),
  ),
  member(
    'lastIndexOf',
    { parameters: [string, string, int], result: int, costs: comparesElements },
    ([x, part, from]) => lastIndexOf(text(x), text(part), integer(from)),
  ),
  member('lowerAscii', { parameters: [string], result: string, costs: same }, ([x]) => lower(text(x))),
  member('upperAscii', { parameters: [string], result: string, costs: same }, ([x]) => upper(text(x))),
  member('trim', { parameters: [string], result: string, costs: same }, ([x]) => trim(text(x))),
  member('replace', { parameters: [string, string, string], result: string, costs: replaces }, ([x, part, by]) =>
    replace(text(x), { part: text(part), by: text(by), count: -1n }),
  ),
  member(
    'replace',
    { parameters: [string, string, string, int], result: string, costs: replaces },
    ([x, part, by, n]) => replace(text(x), { part: text(part), by: text(by), count: integer(n) }),
  ),
  member(
    'split',
    { parameters: [string, string], result: listOf(string), costs: splits },
    ([x, separator]) => new Values(split(text(x), text(separator), -1n)),
  ),
  member(
    'split',
    { parameters: [string, string, int], result: listOf(string), costs: splits },
    ([x, separator, n]) => new Values(split(text(x), text(separator), integer(n))),
  ),
  member('substring', { parameters: [string, int], result: string, costs: same }, ([x, begin]) =>
    substring(text(x), integer(begin)),
  ),
  member('substring', { parameters: [string, int, int], result: string, costs: same }, ([x, begin, end]) =>
    substring(text(x), integer(begin), integer(end)),
  ),
  member('format', { parameters: [string, listOf(dyn)], result: string, costs: traverses() }, ([x, values]) =>
    formatText(text(x), valuesOf(list(values))),
  ),
  fn('strings.quote', { parameters: [string], result: string, costs: quotes }, ([x]) => quote(text(x))),
  member('join', { parameters: [listOf(string)], result: string, costs: joins }, ([x]) => joined(x, '')),
  member('join', { parameters: [listOf(string), string], result: string, costs: joins }, ([x, by]) =>
    joined(x, text(by)),
  ),
];
