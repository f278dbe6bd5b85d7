import { valuesOf } from './collections.ts';
import { Duration, formatDuration, formatTimestamp, Timestamp } from './time.ts';
import { Uint } from './uint.ts';
import { EvaluationError, List, Mapping, Optional, type Value } from './value.ts';

/** A value as JSON has it. Throws an `EvaluationError` for what JSON has no form for. */
export function toJson(value: Value): unknown {
  if (typeof value === 'bigint') return integerOf(value);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Uint) return integerOf(value.amount);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof List) return valuesOf(value).map(toJson);
  if (value instanceof Mapping) return objectOf(value);
  if (value instanceof Optional) return value.value === undefined ? null : toJson(value.value);
  throw new EvaluationError(`a ${'typeName' in value ? value.typeName : 'type'} has no form in JSON`);
}

function integerOf(value: bigint): number | bigint {
  const narrow = Number(value);
  return Number.isSafeInteger(narrow) ? narrow : value;
}

function objectOf(map: Mapping): Readonly<Record<string, unknown>> {
  const entries: [string, unknown][] = [];
  for (const key of map.keys()) {
    const value = map.get(key);
    if (typeof key !== 'string') throw new EvaluationError('map keys must be strings to have a form in JSON');
    if (value !== undefined) entries.push([key, toJson(value)]);
  }
  return Object.fromEntries(entries);
}
