import { bool, bytes, double, dyn, int, nullType, string, type Type, uint } from '../types/type.ts';
import { Uint } from '../values/uint.ts';
import type { Value } from '../values/value.ts';

export function typeOfConstant(value: Value): Type {
  switch (typeof value) {
    case 'boolean':
      return bool;
    case 'bigint':
      return int;
    case 'number':
      return double;
    case 'string':
      return string;
    default:
      if (value === null) return nullType;
      if (value instanceof Uint) return uint;
      return value instanceof Uint8Array ? bytes : dyn;
  }
}
