import { comparesItself, counts, flattens, reverses, slices } from '../costs/list-rules.ts';
import { comparesElements } from '../costs/rules.ts';
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  parameter,
  string,
  type Type,
  timestamp,
  uint,
} from '../types/type.ts';
import { Values, valuesOf } from '../values/collections.ts';
import { compare, equals } from '../values/equality.ts';
import { typeNameOf } from '../values/kind.ts';
import { Duration } from '../values/time.ts';
import { Uint } from '../values/uint.ts';
import { EvaluationError, List, type Value } from '../values/value.ts';
import { add } from './operators.ts';
import { fn, integer, list, member, noOverload, type Overload, required } from './overload.ts';

const a = parameter('A');
const comparable: readonly Type[] = [int, uint, double, bool, duration, timestamp, string, bytes];

function order(left: Value, right: Value): number {
  const found = compare(left, right);
  if (found === undefined) throw noOverload();
  return found;
}

function isSorted(values: readonly Value[]): boolean {
  return values.every((value, index) => index === 0 || order(values[index - 1] ?? null, value) <= 0);
}

function sumOf(values: readonly Value[], nothing: Value): Value {
  return values.reduce(add, nothing);
}

function extreme(values: readonly Value[], { name, sign }: { readonly name: string; readonly sign: number }): Value {
  const [first, ...rest] = values;
  if (first === undefined) throw new EvaluationError(`${name} called on empty list`);
  return rest.reduce((best, value) => (order(value, best) * sign > 0 ? value : best), first);
}

function flatten(values: readonly Value[], depth: bigint): readonly Value[] {
  return values.flatMap((value) =>
    value instanceof List ? (depth > 1n ? flatten(valuesOf(value), depth - 1n) : valuesOf(value)) : [value],
  );
}

function slice(subject: List, begin: bigint, end: bigint): List {
  const words = `cannot slice(${begin}, ${end})`;
  if (begin < 0n || end < 0n) throw new EvaluationError(`${words}, negative indexes not supported`);
  if (begin > end) throw new EvaluationError(`${words}, start index must be less than or equal to end index`);
  if (end > BigInt(subject.length)) throw new EvaluationError(`${words}, list is length ${subject.length}`);
  return new Values(valuesOf(subject).slice(Number(begin), Number(end)));
}

/** Stable: what is equal keeps its order. */
function sorted(values: readonly Value[], keys: readonly Value[]): List {
  const [first] = keys;
  if (first !== undefined) {
    if (compare(first, first) === undefined) throw new EvaluationError('list elements must be comparable');
    if (keys.some((key) => typeNameOf(key) !== typeNameOf(first)))
      throw new EvaluationError('list elements must have the same type');
  }
  const places = values.map((_, index) => index);
  places.sort((x, y) => order(keys[x] ?? null, keys[y] ?? null));
  return new Values(places.map((place) => values[place] ?? null));
}

function distinct(values: readonly Value[]): List {
  const kept: Value[] = [];
  for (const value of values) if (!kept.some((other) => equals(other, value))) kept.push(value);
  return new Values(kept);
}

const rangeMax = 1_000_000n;

function range(count: bigint): List {
  if (count > rangeMax) throw new EvaluationError(`lists.range of more than ${rangeMax} elements`);
  return new Values(Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)));
}

function indexOf(subject: List, value: Value): bigint {
  for (let index = 0; index < subject.length; index++) if (equals(subject.at(index), value)) return BigInt(index);
  return -1n;
}

function lastIndexOf(subject: List, value: Value): bigint {
  for (let index = subject.length - 1; index >= 0; index--) if (equals(subject.at(index), value)) return BigInt(index);
  return -1n;
}

const nothing: readonly (readonly [Type, Value])[] = [
  [int, 0n],
  [uint, new Uint(0n)],
  [double, 0],
  [duration, new Duration(0n)],
];

/** Lists of what has an order, and of numbers. */
export const lists: readonly Overload[] = [
  ...comparable.flatMap((type) => [
    member('isSorted', { parameters: [listOf(type)], result: bool, costs: comparesElements }, ([x]) =>
      isSorted(valuesOf(list(x))),
    ),
    ...(['max', 'min'] as const).map((name) =>
      member(name, { parameters: [listOf(type)], result: type, costs: comparesElements }, ([x]) =>
        extreme(valuesOf(list(x)), { name, sign: name === 'max' ? 1 : -1 }),
      ),
    ),
  ]),
  ...nothing.map(([type, zero]) =>
    member('sum', { parameters: [listOf(type)], result: type, costs: comparesElements }, ([x]) =>
      sumOf(valuesOf(list(x)), zero),
    ),
  ),
  member('indexOf', { parameters: [listOf(a), a], result: int, costs: comparesElements }, ([x, y]) =>
    indexOf(list(x), required(y)),
  ),
  member('lastIndexOf', { parameters: [listOf(a), a], result: int, costs: comparesElements }, ([x, y]) =>
    lastIndexOf(list(x), required(y)),
  ),
];

/** New in 1.34. */
export const extendedLists: readonly Overload[] = [
  member('slice', { parameters: [listOf(a), int, int], result: listOf(a), costs: slices }, ([x, begin, end]) =>
    slice(list(x), integer(begin), integer(end)),
  ),
  member(
    'flatten',
    { parameters: [listOf(listOf(a))], result: listOf(a), costs: flattens },
    ([x]) => new Values(flatten(valuesOf(list(x)), 1n)),
  ),
  member('flatten', { parameters: [listOf(dyn), int], result: listOf(dyn), costs: flattens }, ([x, depth]) => {
    if (integer(depth) < 0n) throw new EvaluationError('level must be non-negative');
    return new Values(integer(depth) === 0n ? valuesOf(list(x)) : flatten(valuesOf(list(x)), integer(depth)));
  }),
  ...comparable.map((type) =>
    member('sort', { parameters: [listOf(type)], result: listOf(type), costs: comparesItself({ keys: 0 }) }, ([x]) =>
      sorted(valuesOf(list(x)), valuesOf(list(x))),
    ),
  ),
  ...comparable.map((type) =>
    member(
      '@sortByAssociatedKeys',
      { parameters: [listOf(a), listOf(type)], result: listOf(a), costs: comparesItself({ keys: 1 }) },
      ([x, keys]) => sorted(valuesOf(list(x)), valuesOf(list(keys))),
    ),
  ),
  fn('lists.range', { parameters: [int], result: listOf(int), costs: counts }, ([count]) => range(integer(count))),
  member(
    'reverse',
    { parameters: [listOf(a)], result: listOf(a), costs: reverses },
    ([x]) => new Values([...valuesOf(list(x))].reverse()),
  ),
  member(
    'distinct',
    { parameters: [listOf(a)], result: listOf(a), costs: comparesItself({ keys: 0, overlooksTexts: true }) },
    ([x]) => distinct(valuesOf(list(x))),
  ),
];
