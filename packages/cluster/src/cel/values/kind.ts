import { Duration, Timestamp } from './time.ts';
import { Uint } from './uint.ts';
import { List, Mapping, Optional, TypeName, type Value } from './value.ts';

/** The name of a value's type, as `type(x)` gives it. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      return value === null ? 'null_type' : objectTypeName(value);
  }
}

function objectTypeName(value: Exclude<Value, boolean | bigint | number | string | null>): string {
  if (value instanceof Uint) return 'uint';
  if (value instanceof List) return 'list';
  if (value instanceof Mapping) return value.typeName ?? 'map';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Optional) return 'optional_type';
  if (value instanceof TypeName) return 'type';
  return value.typeName;
}
