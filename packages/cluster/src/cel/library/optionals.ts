import { bool, dyn, int, listOf, mapOf, optionalOf, parameter, string } from '../types/type.ts';
import { Values, valuesOf } from '../values/collections.ts';
import { Duration } from '../values/time.ts';
import { Uint } from '../values/uint.ts';
import { EvaluationError, List, Mapping, Optional, type Value } from '../values/value.ts';
import { elementIfAny } from './operators.ts';
import { fn, list, member, type Overload, optional, required, text } from './overload.ts';

const k = parameter('K');
const v = parameter('V');

function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true;
  if (value instanceof Uint) return value.amount === 0n;
  if (value instanceof List || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Mapping) return value.size === 0;
  return value instanceof Duration && value.ns === 0n;
}

/** An element of a list or map, or of an optional one. */
function element(container: Value | undefined, key: Value | undefined): Value {
  const subject = container instanceof Optional ? container.value : container;
  if (subject === undefined) return Optional.none;
  const found = elementIfAny(subject, required(key));
  return found === undefined ? Optional.none : Optional.of(found);
}

function unwrapped(value: Value | undefined): Value {
  return new Values(
    valuesOf(list(value)).flatMap((each) => {
      const { value: inner } = optional(each);
      return inner === undefined ? [] : [inner];
    }),
  );
}

function at(value: Value | undefined, index: number): Value {
  const values = list(value);
  return values.length === 0 ? Optional.none : Optional.of(values.at(index < 0 ? values.length - 1 : index));
}

export const optionals: readonly Overload[] = [
  fn('optional.of', { parameters: [v], result: optionalOf(v) }, ([x]) => Optional.of(required(x))),
  fn('optional.ofNonZeroValue', { parameters: [v], result: optionalOf(v) }, ([x]) =>
    isZero(required(x)) ? Optional.none : Optional.of(required(x)),
  ),
  fn('optional.none', { parameters: [], result: optionalOf(v) }, () => Optional.none),
  member('value', { parameters: [optionalOf(v)], result: v }, ([x]) => {
    const { value } = optional(x);
    if (value === undefined) throw new EvaluationError('optional.none() dereference');
    return value;
  }),
  member('hasValue', { parameters: [optionalOf(v)], result: bool }, ([x]) => optional(x).value !== undefined),
  // The evaluator looks at the second only where the first has no value.
  member('or', { parameters: [optionalOf(v), optionalOf(v)], result: optionalOf(v) }, ([x, y]) =>
    optional(x).value === undefined ? optional(y) : optional(x),
  ),
  member('orValue', { parameters: [optionalOf(v), v], result: v }, ([x, y]) => optional(x).value ?? required(y)),
  fn('_?._', { parameters: [dyn, string], result: optionalOf(v) }, ([x, y]) => element(x, text(y))),
  fn('_[?_]', { parameters: [listOf(v), int], result: optionalOf(v) }, ([x, y]) => element(x, y)),
  fn('_[?_]', { parameters: [optionalOf(listOf(v)), int], result: optionalOf(v) }, ([x, y]) => element(x, y)),
  fn('_[?_]', { parameters: [mapOf(k, v), k], result: optionalOf(v) }, ([x, y]) => element(x, y)),
  fn('_[?_]', { parameters: [optionalOf(mapOf(k, v)), k], result: optionalOf(v) }, ([x, y]) => element(x, y)),
  fn('_[_]', { parameters: [optionalOf(listOf(v)), int], result: optionalOf(v) }, ([x, y]) => element(x, y)),
  fn('_[_]', { parameters: [optionalOf(mapOf(k, v)), k], result: optionalOf(v) }, ([x, y]) => element(x, y)),
  fn('optional.unwrap', { parameters: [listOf(optionalOf(v))], result: listOf(v) }, ([x]) => unwrapped(x)),
  member('unwrapOpt', { parameters: [listOf(optionalOf(v))], result: listOf(v) }, ([x]) => unwrapped(x)),
  member('first', { parameters: [listOf(v)], result: optionalOf(v) }, ([x]) => at(x, 0)),
  member('last', { parameters: [listOf(v)], result: optionalOf(v) }, ([x]) => at(x, -1)),
];
