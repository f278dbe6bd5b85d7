import { beginsOrEnds, contains, fromBytes, matches, toBytes } from '../costs/rules.ts';
import {
  bool,
  bytes,
  double,
  duration,
  int,
  listOf,
  mapOf,
  parameter,
  string,
  type Type,
  timestamp,
  typeOf,
  uint,
} from '../types/type.ts';
import { formatDouble } from '../values/double.ts';
import { typeNameOf } from '../values/kind.ts';
import { characterCount } from '../values/text.ts';
import {
  Duration,
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  Timestamp,
  timestampOf,
} from '../values/time.ts';
import { intMax, intMin, Uint, uintMax } from '../values/uint.ts';
import { EvaluationError, List, Mapping, TypeName, type Value } from '../values/value.ts';
import { fn, member, noOverload, type Overload, required, text } from './overload.ts';
import { patternOf } from './pattern.ts';

const a = parameter('A');
const b = parameter('B');

function cannot(from: string, to: string): EvaluationError {
  return new EvaluationError(`type conversion error from '${from}' to '${to}'`);
}

function toInt(value: Value | undefined): Value {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return checkedInt(value.amount);
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value >= 2 ** 63 || value <= -(2 ** 63))
      throw new EvaluationError('integer overflow');
    return BigInt(Math.trunc(value));
  }
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value)) throw cannot('string', 'int');
    const amount = BigInt(value.replace(/^\+/, ''));
    if (amount > intMax || amount < intMin) throw cannot('string', 'int');
    return amount;
  }
  if (value instanceof Timestamp) return floorDivide(value.ns, 1_000_000_000n);
  if (value instanceof Duration) return value.ns;
  throw noOverload('int');
}

function floorDivide(amount: bigint, by: bigint): bigint {
  const quotient = amount / by;
  return amount % by < 0n ? quotient - 1n : quotient;
}

function checkedInt(amount: bigint): bigint {
  if (amount > intMax) throw new EvaluationError('integer overflow');
  return amount;
}

function toUint(value: Value | undefined): Value {
  if (value instanceof Uint) return value;
  if (typeof value === 'bigint') return checkedUint(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64)
      throw new EvaluationError('unsigned integer overflow');
    return new Uint(BigInt(Math.trunc(value)));
  }
  if (typeof value !== 'string') throw noOverload('uint');
  if (!/^\d+$/.test(value) || BigInt(value) > uintMax) throw cannot('string', 'uint');
  return new Uint(BigInt(value));
}

function checkedUint(amount: bigint): Uint {
  if (amount < 0n) throw new EvaluationError('unsigned integer overflow');
  return new Uint(amount);
}

function toDouble(value: Value | undefined): Value {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.amount);
  if (typeof value !== 'string') throw noOverload('double');
  const named = /^([+-]?)(?:inf(?:inity)?|nan)$/i.exec(value);
  if (named !== null) {
    if (/nan$/i.test(value)) return Number.NaN;
    return named[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) throw cannot('string', 'double');
  return Number(value);
}

function toText(value: Value | undefined): Value {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return formatDouble(value);
  if (value instanceof Uint) return String(value.amount);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (!(value instanceof Uint8Array)) throw noOverload('string');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function toBool(value: Value | undefined): Value {
  if (typeof value === 'boolean') return value;
  const known = text(value);
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(known)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(known)) return false;
  throw cannot('string', 'bool');
}

function toTimestamp(value: Value | undefined): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') {
    const found = timestampOf(value * 1_000_000_000n);
    if (found === undefined) throw new EvaluationError('timestamp overflow');
    return found;
  }
  const found = parseTimestamp(text(value));
  if (found === undefined) throw cannot('string', 'google.protobuf.Timestamp');
  return found;
}

function toDuration(value: Value | undefined): Value {
  if (value instanceof Duration) return value;
  if (typeof value === 'bigint') return new Duration(value);
  const found = parseDuration(text(value));
  if (found === undefined) throw cannot('string', 'google.protobuf.Duration');
  return found;
}

function sizeOf(value: Value | undefined): Value {
  if (typeof value === 'string') return BigInt(characterCount(value));
  if (value instanceof Uint8Array) return BigInt(value.length);
  if (value instanceof List) return BigInt(value.length);
  if (value instanceof Mapping) return BigInt(value.size);
  throw noOverload('size');
}

function from(
  name: string,
  types: readonly Type[],
  result: Type,
  work: (value: Value | undefined) => Value,
): readonly Overload[] {
  return types.map((type) => fn(name, { parameters: [type], result }, ([value]) => work(value)));
}

const sized: readonly Type[] = [string, bytes, listOf(a), mapOf(a, b)];

export const conversions: readonly Overload[] = [
  ...sized.flatMap((type) => [
    fn('size', { parameters: [type], result: int }, ([value]) => sizeOf(value)),
    member('size', { parameters: [type], result: int }, ([value]) => sizeOf(value)),
  ]),
  ...from('int', [int, double, duration, string, timestamp, uint], int, toInt),
  ...from('uint', [uint, double, int, string], uint, toUint),
  ...from('double', [double, int, string, uint], double, toDouble),
  ...from('bool', [bool, string], bool, toBool),
  ...from('string', [string, bool, double, duration, int, timestamp, uint], string, toText),
  fn('string', { parameters: [bytes], result: string, costs: fromBytes }, ([value]) => toText(value)),
  fn('bytes', { parameters: [bytes], result: bytes }, ([value]) => required(value)),
  fn('bytes', { parameters: [string], result: bytes, costs: toBytes }, ([value]) =>
    new TextEncoder().encode(text(value)),
  ),
  ...from('timestamp', [timestamp, int, string], timestamp, toTimestamp),
  ...from('duration', [duration, int, string], duration, toDuration),
  fn('type', { parameters: [a], result: typeOf(a) }, ([value]) => new TypeName(typeNameOf(required(value)))),
  member('contains', { parameters: [string, string], result: bool, costs: contains }, ([x, y]) =>
    text(x).includes(text(y)),
  ),
  member('endsWith', { parameters: [string, string], result: bool, costs: beginsOrEnds }, ([x, y]) =>
    text(x).endsWith(text(y)),
  ),
  member('startsWith', { parameters: [string, string], result: bool, costs: beginsOrEnds }, ([x, y]) =>
    text(x).startsWith(text(y)),
  ),
  ...[fn, member].map((declare) =>
    declare('matches', { parameters: [string, string], result: bool, costs: matches() }, ([x, y]) => {
      const pattern = patternOf(text(y));
      if ('problem' in pattern) throw new EvaluationError(pattern.problem);
      return pattern.test(text(x));
    }),
  ),
];
