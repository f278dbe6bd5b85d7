import { compareTexts } from './text.ts';
import { Duration, formatDuration, formatTimestamp, Timestamp } from './time.ts';
import { Uint } from './uint.ts';
import { EvaluationError, List, Mapping, Opaque, Optional, TypeName, type Value } from './value.ts';

/** Numbers of different types are equal when their amounts are; other values of different types are not equal. */
export function equals(left: Value, right: Value): boolean {
  if (left === right) return true;
  switch (typeof left) {
    case 'string':
    case 'boolean':
      return false;
    case 'number':
    case 'bigint':
      return equalNumbers(left, right);
    default:
      return left !== null && right !== null && typeof right === 'object'
        ? equalObjects(left, right)
        : left instanceof Uint && right !== null && equalNumbers(left.amount, right);
  }
}

function equalNumbers(left: number | bigint, right: Value): boolean {
  const amount = right instanceof Uint ? right.amount : right;
  // biome-ignore lint/suspicious/noDoubleEquals: of a bigint and a number it compares the amounts, exactly.
  return (typeof amount === 'number' || typeof amount === 'bigint') && left == amount;
}

function equalObjects(left: object, right: object): boolean {
  if (left instanceof List)
    return right instanceof List && (left.sameAs(right) ?? right.sameAs(left) ?? equalLists(left, right));
  if (left instanceof Mapping) return right instanceof Mapping && (left.sameAs(right) ?? equalMaps(left, right));
  if (left instanceof Uint) return right instanceof Uint && left.amount === right.amount;
  if (left instanceof Timestamp) return right instanceof Timestamp && left.ns === right.ns;
  if (left instanceof Duration) return right instanceof Duration && left.ns === right.ns;
  if (left instanceof TypeName) return right instanceof TypeName && left.name === right.name;
  if (left instanceof Uint8Array) return right instanceof Uint8Array && compareBytes(left, right) === 0;
  if (left instanceof Opaque) return right instanceof Opaque && left.typeName === right.typeName && left.equals(right);
  if (left instanceof Optional) {
    if (!(right instanceof Optional)) return false;
    if (left.value === undefined || right.value === undefined) return left.value === right.value;
    return equals(left.value, right.value);
  }
  return false;
}

function equalLists(left: List, right: List): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (!equals(left.at(index), right.at(index))) return false;
  return true;
}

function equalMaps(left: Mapping, right: Mapping): boolean {
  if (left.size !== right.size) return false;
  for (const key of left.keys()) {
    const value = left.get(key);
    const other = right.get(key);
    if (value === undefined || other === undefined || !equals(value, other)) return false;
  }
  return true;
}

/** Below zero when the first comes first. Undefined where the two have no order. */
export function compare(left: Value, right: Value): number | undefined {
  const a = left instanceof Uint ? left.amount : left;
  const b = right instanceof Uint ? right.amount : right;
  if (isNumber(a) && isNumber(b)) {
    if (Number.isNaN(a) || Number.isNaN(b)) throw new EvaluationError('NaN values cannot be ordered');
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0;
  if (a instanceof Duration && b instanceof Duration) return a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return undefined;
}

function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** The same text for keys that are equal. */
export function keyOf(key: Value): string {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'boolean':
      return `b${key}`;
    case 'bigint':
      return `n${key}`;
    case 'number':
      return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
    default:
      if (key instanceof Uint) return `n${key.amount}`;
      throw new EvaluationError(`unsupported key type: ${describe(key)}`);
  }
}

/** How messages show a value. */
export function describe(value: Value): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return String(value);
  if (value instanceof Uint) return String(value.amount);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof TypeName) return value.name;
  if (value instanceof List) return 'list';
  return value instanceof Mapping ? 'map' : 'value';
}
