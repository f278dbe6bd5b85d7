import { parseQuantity } from '../../api/quantity.ts';
import { fixed, traverses } from '../costs/rules.ts';
import { bool, double, int, opaque, string, type Type } from '../types/type.ts';
import { intMax, intMin } from '../values/uint.ts';
import { EvaluationError, Opaque, type Value } from '../values/value.ts';
import { fn, instance, integer, member, type Overload, text } from './overload.ts';

const unitNano = 1_000_000_000n;
export const quantityType: Type = opaque('kubernetes.Quantity');

class Quantity extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly nano: bigint;

  constructor(nano: bigint) {
    super();
    this.nano = nano;
  }

  override equals(other: Opaque): boolean {
    return other instanceof Quantity && other.nano === this.nano;
  }
}

function nano(value: Value | undefined): bigint {
  return instance(value, Quantity).nano;
}

function parse(value: Value | undefined): Quantity {
  const found = parseQuantity(text(value));
  if (found !== undefined) return new Quantity(found);
  throw new EvaluationError(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
}

function isWhole(amount: bigint): boolean {
  return amount % unitNano === 0n && amount / unitNano <= intMax && amount / unitNano >= intMin;
}

function order(x: Value | undefined, y: Value | undefined): bigint {
  const difference = nano(x) - nano(y);
  return difference < 0n ? -1n : difference > 0n ? 1n : 0n;
}

const pair = [quantityType, quantityType];
const costs = fixed(1);

export const quantities: readonly Overload[] = [
  fn('quantity', { parameters: [string], result: quantityType, costs: traverses() }, ([x]) => parse(x)),
  fn(
    'isQuantity',
    { parameters: [string], result: bool, costs: traverses() },
    ([x]) => parseQuantity(text(x)) !== undefined,
  ),
  fn('sign', { parameters: [quantityType], result: int, costs }, ([x]) => {
    const amount = nano(x);
    return amount < 0n ? -1n : amount > 0n ? 1n : 0n;
  }),
  member('isGreaterThan', { parameters: pair, result: bool, costs }, ([x, y]) => order(x, y) > 0n),
  member('isLessThan', { parameters: pair, result: bool, costs }, ([x, y]) => order(x, y) < 0n),
  member('compareTo', { parameters: pair, result: int, costs }, ([x, y]) => order(x, y)),
  member('asApproximateFloat', { parameters: [quantityType], result: double, costs }, ([x]) => Number(nano(x)) / 1e9),
  member('asInteger', { parameters: [quantityType], result: int, costs }, ([x]) => {
    if (!isWhole(nano(x))) throw new EvaluationError('cannot convert value to integer');
    return nano(x) / unitNano;
  }),
  member('isInteger', { parameters: [quantityType], result: bool, costs }, ([x]) => isWhole(nano(x))),
  member('add', { parameters: pair, result: quantityType, costs }, ([x, y]) => new Quantity(nano(x) + nano(y))),
  member(
    'add',
    { parameters: [quantityType, int], result: quantityType, costs },
    ([x, y]) => new Quantity(nano(x) + integer(y) * unitNano),
  ),
  member('sub', { parameters: pair, result: quantityType, costs }, ([x, y]) => new Quantity(nano(x) - nano(y))),
  member(
    'sub',
    { parameters: [quantityType, int], result: quantityType, costs },
    ([x, y]) => new Quantity(nano(x) - integer(y) * unitNano),
  ),
];
