import { isObject } from '../../api/record.ts';
import { DataList, DataMap } from './data.ts';
import { Duration, parseDuration, parseTimestamp } from './time.ts';
import { EvaluationError, type Value } from './value.ts';

/** Values read from an object. What has another type than its schema says was let in before the schema said so. */

function wrong(wanted: string, data: unknown): EvaluationError {
  if (data === null) return new EvaluationError('invalid data, got null for schema with nullable=false');
  return new EvaluationError(`invalid data, expected ${wanted}, got ${Array.isArray(data) ? 'array' : typeof data}`);
}

export function readString(data: unknown): Value {
  if (typeof data !== 'string') throw wrong('string', data);
  return data;
}

export function readBoolean(data: unknown): Value {
  if (typeof data !== 'boolean') throw wrong('bool', data);
  return data;
}

export function readInt(data: unknown): Value {
  if (typeof data === 'bigint') return data;
  if (typeof data !== 'number' || !Number.isInteger(data)) throw wrong('int', data);
  return BigInt(data);
}

export function readDouble(data: unknown): Value {
  if (typeof data === 'number') return data;
  if (typeof data === 'bigint') return Number(data);
  throw wrong('float', data);
}

export function readIntOrString(data: unknown): Value {
  if (typeof data === 'string' || typeof data === 'bigint') return data;
  if (typeof data === 'number' && Number.isInteger(data)) return BigInt(data);
  throw new EvaluationError('invalid data, expected XIntOrString value to be either a string or integer');
}

export function readBytes(data: unknown): Value {
  if (typeof data !== 'string') throw wrong('string', data);
  if (!/^[A-Za-z0-9+/\-_]*={0,2}$/.test(data)) throw new EvaluationError(`Invalid byte formatted string ${data}`);
  return Uint8Array.from(Buffer.from(data, 'base64'));
}

const longUnits: Readonly<Record<string, bigint>> = {
  d: 86_400n,
  day: 86_400n,
  days: 86_400n,
  w: 604_800n,
  week: 604_800n,
  weeks: 604_800n,
};

export function readDuration(data: unknown): Value {
  if (typeof data !== 'string') throw wrong('string', data);
  const known = parseDuration(data);
  if (known !== undefined) return known;
  // Schemas know days and weeks besides.
  const [, amount, unit = ''] = /^(\d+)\s*([a-z]+)$/.exec(data) ?? [];
  const seconds = Object.hasOwn(longUnits, unit) ? longUnits[unit] : undefined;
  if (amount === undefined || seconds === undefined) throw new EvaluationError(`Invalid duration ${data}`);
  return new Duration(BigInt(amount) * seconds * 1_000_000_000n);
}

export function readDate(data: unknown): Value {
  if (typeof data !== 'string') throw wrong('string', data);
  const found = parseTimestamp(`${data}T00:00:00Z`);
  if (found === undefined) throw new EvaluationError(`Invalid date formatted string ${data}`);
  return found;
}

export function readMoment(data: unknown): Value {
  if (typeof data !== 'string') throw wrong('string', data);
  const found = parseTimestamp(data);
  if (found === undefined) throw new EvaluationError(`Invalid date-time formatted string ${data}`);
  return found;
}

/** As JSON shows it: whole numbers are integers. */
export function readDyn(data: unknown): Value {
  switch (typeof data) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return data;
    case 'number':
      return Number.isInteger(data) ? BigInt(data) : data;
    default:
      if (Array.isArray(data)) return new DataList(data, readDyn);
      return isObject(data) ? new DataMap(data, readDyn) : null;
  }
}
