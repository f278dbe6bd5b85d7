import { valuesOf } from '../../cel/values/collections.ts';
import { Duration, formatDuration, formatTimestamp, Timestamp } from '../../cel/values/time.ts';
import { Uint } from '../../cel/values/uint.ts';
import { List, Mapping, Optional, TypeName, type Value } from '../../cel/values/value.ts';

/** A value so that its type can be seen: `1` is an integer, `1u` unsigned, `d1` a double. */
export function showValue(value: Value): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return `d${Object.is(value, -0) ? '-0' : value}`;
    case 'object':
      return value === null ? 'null' : showObject(value);
    default:
      return String(value);
  }
}

function showObject(value: Exclude<Value, string | number | bigint | boolean | null>): string {
  if (value instanceof Uint) return `${value.amount}u`;
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`;
  if (value instanceof Duration) return `duration ${formatDuration(value)}`;
  if (value instanceof Timestamp) return `timestamp ${formatTimestamp(value)}`;
  if (value instanceof Optional) return `optional(${value.value === undefined ? '' : showValue(value.value)})`;
  if (value instanceof List) return `[${valuesOf(value).map(showValue).join(', ')}]`;
  if (value instanceof Mapping) return `map of ${value.size}`;
  return value instanceof TypeName ? `type ${value.name}` : value.typeName;
}
