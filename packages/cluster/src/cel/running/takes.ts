import type { Overload } from '../library/overload.ts';
import { first, type Type } from '../types/type.ts';
import { Duration, Timestamp } from '../values/time.ts';
import { Uint } from '../values/uint.ts';
import { List, Mapping, Opaque, Optional, TypeName, type Value } from '../values/value.ts';

/** Whether values at hand are what a signature wants. Of a list or map one element speaks for all. */
export function takes({ parameters }: Overload, values: readonly Value[]): boolean {
  for (let index = 0; index < parameters.length; index++) {
    const type = parameters[index];
    const value = values[index];
    if (type === undefined || value === undefined || !isOf(value, type)) return false;
  }
  return true;
}

function isOf(value: Value, type: Type): boolean {
  switch (type.kind) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'null':
      return value === null;
    case 'uint':
      return value instanceof Uint;
    case 'bytes':
      return value instanceof Uint8Array;
    case 'timestamp':
      return value instanceof Timestamp;
    case 'duration':
      return value instanceof Duration;
    case 'type':
      return value instanceof TypeName;
    case 'list':
      return value instanceof List && (value.length === 0 || mayBe(value.at(0), first(type)));
    case 'map':
      return value instanceof Mapping && (value.size === 0 || mayBe(keyOf(value), first(type)));
    case 'optional':
      return value instanceof Optional && (value.value === undefined || mayBe(value.value, first(type)));
    case 'opaque':
      return value instanceof Opaque && value.typeName === type.name;
    case 'object':
      return value instanceof Mapping;
    default:
      return true;
  }
}

function keyOf(map: Mapping): Value {
  for (const key of map.keys()) return key;
  return null;
}

function mayBe(value: Value, type: Type): boolean {
  return isOf(value, type);
}
