import { fixed, traverses } from '../costs/rules.ts';
import { bool, int, opaque, string, type Type } from '../types/type.ts';
import { EvaluationError, Opaque, type Value } from '../values/value.ts';
import { fn, instance, member, type Overload, text } from './overload.ts';

export const semverType: Type = opaque('kubernetes.Semver');

class Semver extends Opaque {
  readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  override equals(other: Opaque): boolean {
    return other instanceof Semver && order(this, other) === 0n;
  }
}

const number = '(0|[1-9]\\d*)';
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const syntax = new RegExp(`^${number}\\.${number}\\.${number}(?:-(${identifiers}))?(?:\\+${identifiers})?$`);

function parse(source: string): Semver | undefined {
  const [, major, minor, patch, prerelease] = syntax.exec(source) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  const parts = prerelease?.split('.') ?? [];
  if (parts.some((part) => /^0\d+$/.test(part))) return undefined;
  return new Semver([BigInt(major), BigInt(minor), BigInt(patch)], parts);
}

/** `v1.02` ⇒ `1.2.0`: without a leading v and leading zeros, and with all three numbers. */
function normalized(source: string): string {
  const [first = '', second, ...rest] = source.replace(/^v/, '').split('.');
  const parts = [first, ...(second === undefined ? [] : [second]), ...(rest.length === 0 ? [] : [rest.join('.')])];
  const plain = parts.map((part) => (/^0+\d/.test(part) ? part.replace(/^0+(?=\d)/, '') : part));
  if (plain.length < 3 && /[+-]/.test(plain.at(-1) ?? '')) return '';
  while (plain.length < 3) plain.push('0');
  return plain.join('.');
}

function read(source: Value | undefined, normalizes: Value | undefined): Semver | undefined {
  return parse(normalizes === true ? normalized(text(source)) : text(source));
}

function order(left: Semver, right: Semver): bigint {
  for (const [index, amount] of left.numbers.entries()) {
    const other = right.numbers[index] ?? 0n;
    if (amount !== other) return amount < other ? -1n : 1n;
  }
  return orderOfPrereleases(left.prerelease, right.prerelease);
}

/** Anything before a release comes before it; numbers before words, and by their amount. */
function orderOfPrereleases(left: readonly string[], right: readonly string[]): bigint {
  if (left.length === 0 || right.length === 0) return BigInt(Number(left.length === 0) - Number(right.length === 0));
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1n;
    if (part === other) continue;
    const [isNumber, isOther] = [/^\d+$/.test(part), /^\d+$/.test(other)];
    if (isNumber !== isOther) return isNumber ? -1n : 1n;
    const isLess = isNumber ? BigInt(part) < BigInt(other) : part < other;
    return isLess ? -1n : 1n;
  }
  return left.length < right.length ? -1n : 0n;
}

function compared(x: Value | undefined, y: Value | undefined): bigint {
  return order(instance(x, Semver), instance(y, Semver));
}

function required(x: Value | undefined, y: Value | undefined): Semver {
  const found = read(x, y);
  if (found === undefined) throw new EvaluationError(problemOf(text(x)));
  return found;
}

function problemOf(source: string): string {
  if (source === '') return 'Version string empty';
  const parts = source.split('.');
  if (parts.length < 3) return 'No Major.Minor.Patch elements found';
  for (const [index, name] of ['major', 'minor'].entries()) {
    const part = parts[index] ?? '';
    if (!/^\d+$/.test(part)) return `Invalid character(s) found in ${name} number ${JSON.stringify(part)}`;
    if (/^0\d/.test(part))
      return `${name === 'major' ? 'Major' : 'Minor'} number must not contain leading zeroes ${JSON.stringify(part)}`;
  }
  return `Invalid character(s) found in patch number ${JSON.stringify(parts.slice(2).join('.'))}`;
}

const pair = [semverType, semverType];
const costs = fixed(1);
const reads = traverses();

export const versions: readonly Overload[] = [
  ...[[string], [string, bool]].flatMap((parameters) => [
    fn('semver', { parameters, result: semverType, costs: reads }, ([x, y]) => required(x, y)),
    fn('isSemver', { parameters, result: bool, costs: reads }, ([x, y]) => read(x, y) !== undefined),
  ]),
  member('isGreaterThan', { parameters: pair, result: bool, costs }, ([x, y]) => compared(x, y) > 0n),
  member('isLessThan', { parameters: pair, result: bool, costs }, ([x, y]) => compared(x, y) < 0n),
  member('compareTo', { parameters: pair, result: int, costs }, ([x, y]) => compared(x, y)),
  ...(['major', 'minor', 'patch'] as const).map((name, index) =>
    member(name, { parameters: [semverType], result: int, costs }, ([x]) => instance(x, Semver).numbers[index] ?? 0n),
  ),
];
