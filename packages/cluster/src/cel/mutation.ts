import type { Environment, Extension } from './environment.ts';
import { extend } from './environment.ts';
import { jsonPatches } from './library/json-patches.ts';
import { dyn, string, type Type } from './types/type.ts';
import { valuesOf } from './values/collections.ts';
import { List, Mapping, type Value } from './values/value.ts';

const patchFields: ReadonlyMap<string, Type> = new Map([
  ['op', string],
  ['path', string],
  ['from', string],
  ['value', dyn],
]);

export const jsonPatchType: Type = {
  kind: 'object',
  name: 'JSONPatch',
  parameters: [],
  field: (name) => patchFields.get(name),
};

/** `Object`, `Object.spec`, `Object.spec.template` …: any field may be set to anything; what becomes of it the schema says. */
function objectType(name: string): Type {
  return { kind: 'object', name, parameters: [], field: () => dyn };
}

const additions: Extension = {
  functions: jsonPatches,
  struct(name) {
    if (name === 'JSONPatch') return jsonPatchType;
    return name === 'Object' || name.startsWith('Object.') ? objectType(name) : undefined;
  },
};

/** What expressions may make besides that say how an object is to be changed. */
export function withMutations(environment: Environment): Environment {
  return extend(environment, additions);
}

/**
 * Objects are called by the place that they are for: below `Object` under `spec` stands an `Object.spec`. Yields those that are called
 * otherwise, in upstream's words.
 */
export function* misnamed(value: Value, path: string): Iterable<string> {
  if (value instanceof List) for (const each of valuesOf(value)) yield* misnamed(each, path);
  if (!(value instanceof Mapping)) return;
  const { typeName } = value;
  const isObject = typeName !== undefined && (typeName === 'Object' || typeName.startsWith('Object.'));
  if (isObject && typeName !== path)
    yield `unexpected type name ${JSON.stringify(typeName)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`;
  for (const key of value.keys()) {
    const inner = value.get(key);
    if (inner !== undefined) yield* misnamed(inner, isObject && typeof key === 'string' ? `${path}.${key}` : path);
  }
}
