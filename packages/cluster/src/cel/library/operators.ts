import { compares, joinsLists, joinsTexts, looksThrough } from '../costs/rules.ts';
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  parameter,
  string,
  type Type,
  timestamp,
  uint,
} from '../types/type.ts';
import { Values, valuesOf } from '../values/collections.ts';
import { KeyedList } from '../values/data.ts';
import { compare, describe, equals } from '../values/equality.ts';
import { Duration, durationOf, Timestamp, timestampOf } from '../values/time.ts';
import { intMax, intMin, Uint, uintMax } from '../values/uint.ts';
import { EvaluationError, List, Mapping, type Value } from '../values/value.ts';
import { fn, integer, noOverload, type Overload, required } from './overload.ts';

const a = parameter('A');
const b = parameter('B');

function overflow(): EvaluationError {
  return new EvaluationError('integer overflow');
}

export function asInt(amount: bigint): bigint {
  if (amount > intMax || amount < intMin) throw overflow();
  return amount;
}

function asUint(amount: bigint): Uint {
  if (amount > uintMax || amount < 0n) throw new EvaluationError('unsigned integer overflow');
  return new Uint(amount);
}

function asTimestamp(ns: bigint): Timestamp {
  const found = timestampOf(ns);
  if (found === undefined) throw new EvaluationError('timestamp overflow');
  return found;
}

function asDuration(ns: bigint): Duration {
  const found = durationOf(ns);
  if (found === undefined) throw new EvaluationError('duration overflow');
  return found;
}

export function add(left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return asInt(left + right);
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (typeof left === 'string' && typeof right === 'string') return left + right;
  if (left instanceof Uint && right instanceof Uint) return asUint(left.amount + right.amount);
  if (left instanceof List && right instanceof List) return addLists(left, right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Uint8Array.from([...left, ...right]);
  if (left instanceof Duration && right instanceof Duration) return asDuration(left.ns + right.ns);
  if (left instanceof Timestamp && right instanceof Duration) return asTimestamp(left.ns + right.ns);
  if (left instanceof Duration && right instanceof Timestamp) return asTimestamp(left.ns + right.ns);
  throw noOverload('_+_');
}

function addLists(left: List, right: List): List {
  if (left instanceof KeyedList) return left.plus(right);
  return new Values([...valuesOf(left), ...valuesOf(right)]);
}

function subtract(left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return asInt(left - right);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (left instanceof Uint && right instanceof Uint) return asUint(left.amount - right.amount);
  if (left instanceof Duration && right instanceof Duration) return asDuration(left.ns - right.ns);
  if (left instanceof Timestamp && right instanceof Timestamp) return asDuration(left.ns - right.ns);
  if (left instanceof Timestamp && right instanceof Duration) return asTimestamp(left.ns - right.ns);
  throw noOverload('_-_');
}

function multiply(left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return asInt(left * right);
  if (typeof left === 'number' && typeof right === 'number') return left * right;
  if (left instanceof Uint && right instanceof Uint) return asUint(left.amount * right.amount);
  throw noOverload('_*_');
}

function divide(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return left / right;
  const [over, under] = whole(left, right, '_/_');
  if (under === 0n) throw new EvaluationError('division by zero');
  return left instanceof Uint ? asUint(over / under) : asInt(over / under);
}

function modulo(left: Value, right: Value): Value {
  const [over, under] = whole(left, right, '_%_');
  if (under === 0n) throw new EvaluationError('modulus by zero');
  if (over === intMin && under === -1n) throw overflow();
  return left instanceof Uint ? asUint(over % under) : over % under;
}

function whole(left: Value, right: Value, name: string): readonly [bigint, bigint] {
  if (typeof left === 'bigint' && typeof right === 'bigint') return [left, right];
  if (left instanceof Uint && right instanceof Uint) return [left.amount, right.amount];
  throw noOverload(name);
}

function arithmetic(
  name: string,
  work: (left: Value, right: Value) => Value,
  types: readonly Type[],
): readonly Overload[] {
  return types.map((type) =>
    fn(name, { parameters: [type, type], result: type }, ([left, right]) => work(required(left), required(right))),
  );
}

function mixed(name: string, parameters: readonly Type[], result: Type): Overload {
  const work = name === '_+_' ? add : subtract;
  return fn(name, { parameters, result }, ([left, right]) => work(required(left), required(right)));
}

const additions: readonly Overload[] = [
  fn('_+_', { parameters: [bytes, bytes], result: bytes, costs: joinsTexts }, ([x, y]) =>
    add(required(x), required(y)),
  ),
  ...arithmetic('_+_', add, [double, duration, int]),
  fn('_+_', { parameters: [listOf(a), listOf(a)], result: listOf(a), costs: joinsLists }, ([x, y]) =>
    add(required(x), required(y)),
  ),
  fn('_+_', { parameters: [string, string], result: string, costs: joinsTexts }, ([x, y]) =>
    add(required(x), required(y)),
  ),
  mixed('_+_', [timestamp, duration], timestamp),
  mixed('_+_', [duration, timestamp], timestamp),
  ...arithmetic('_+_', add, [uint]),
];

/** Of types that have an order, and of numbers among each other. */
function ordering(name: string, holds: (order: number) => boolean): readonly Overload[] {
  const work = ([left, right]: readonly Value[]): boolean => {
    const order = compare(required(left), required(right));
    if (order === undefined) throw noOverload(name);
    return holds(order);
  };
  const numbers = [int, uint, double];
  const pairs = [
    ...[bool, int, uint, double, string, bytes, timestamp, duration].map((type) => [type, type] as const),
    ...numbers.flatMap((left) => numbers.filter((right) => right !== left).map((right) => [left, right] as const)),
  ];
  return pairs.map((parameters) => {
    const isLong = parameters[0] === string || parameters[0] === bytes;
    return fn(name, { parameters, result: bool, ...(isLong && { costs: compares }) }, work);
  });
}

function negate(value: Value | undefined): Value {
  if (typeof value === 'bigint') return asInt(-value);
  if (typeof value === 'number') return -value;
  if (value instanceof Duration) return asDuration(-value.ns);
  throw noOverload('-_');
}

export function isIn(value: Value, container: Value | undefined): boolean {
  if (container instanceof List) {
    for (let index = 0; index < container.length; index++) if (equals(container.at(index), value)) return true;
    return false;
  }
  if (container instanceof Mapping) return container.get(value) !== undefined;
  throw noOverload('@in');
}

/** `container[key]`: an error where there is no such element. */
export function elementAt(container: Value, key: Value): Value {
  const found = elementIfAny(container, key);
  if (found !== undefined) return found;
  throw new EvaluationError(
    container instanceof List ? `index out of bounds: ${describe(key)}` : `no such key: ${describe(key)}`,
  );
}

export function elementIfAny(container: Value, key: Value): Value | undefined {
  if (container instanceof Mapping) return container.get(key);
  if (!(container instanceof List)) throw noOverload();
  const index = indexOf(key);
  return index >= 0 && index < container.length ? container.at(index) : undefined;
}

function indexOf(key: Value): number {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof Uint) return Number(key.amount);
  if (typeof key === 'number' && Number.isInteger(key)) return key;
  throw new EvaluationError(`unsupported index value ${describe(key)} in list`);
}

export const operators: readonly Overload[] = [
  ...additions,
  ...arithmetic('_-_', subtract, [double, duration, int, uint]),
  mixed('_-_', [timestamp, duration], timestamp),
  mixed('_-_', [timestamp, timestamp], duration),
  ...arithmetic('_*_', multiply, [double, int, uint]),
  ...arithmetic('_/_', divide, [double, int, uint]),
  ...arithmetic('_%_', modulo, [int, uint]),
  ...[double, int].map((type) => fn('-_', { parameters: [type], result: type }, ([value]) => negate(value))),
  ...ordering('_<_', (order) => order < 0),
  ...ordering('_<=_', (order) => order <= 0),
  ...ordering('_>_', (order) => order > 0),
  ...ordering('_>=_', (order) => order >= 0),
  fn('_==_', { parameters: [a, a], result: bool, costs: compares }, ([x, y]) => equals(required(x), required(y))),
  fn('_!=_', { parameters: [a, a], result: bool, costs: compares }, ([x, y]) => !equals(required(x), required(y))),
  fn('@in', { parameters: [a, listOf(a)], result: bool, costs: looksThrough }, ([x, y]) => isIn(required(x), y)),
  fn('@in', { parameters: [a, mapOf(a, b)], result: bool }, ([x, y]) => isIn(required(x), y)),
  fn('_[_]', { parameters: [listOf(a), int], result: a }, ([x, y]) => elementAt(required(x), integer(y))),
  fn('_[_]', { parameters: [mapOf(a, b), a], result: b }, ([x, y]) => elementAt(required(x), required(y))),
  fn('!_', { parameters: [bool], result: bool }, ([value]) => {
    if (typeof value !== 'boolean') throw noOverload('!_');
    return !value;
  }),
  // The evaluator knows these itself, because they do not look at all of their arguments.
  ...['_&&_', '_||_'].map((name) => fn(name, { parameters: [bool, bool], result: bool }, () => null)),
  fn('_?_:_', { parameters: [bool, a, a], result: a }, () => null),
  fn('@not_strictly_false', { parameters: [bool], result: bool }, ([value]) => value !== false),
  fn('dyn', { parameters: [a], result: dyn }, ([value]) => required(value)),
];
