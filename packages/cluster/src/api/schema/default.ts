import { fresh } from '../../base/fresh.ts';
import { type FieldPath, root } from '../issue.ts';
import { isObject, type JsonObject, put } from '../record.ts';
import { checkSchema } from './check.ts';
import type { SchemaNode } from './node.ts';

/**
 * Fills in the defaults of a custom resource's schema. A null where the schema allows none makes room for the default,
 * and goes where there is none. Returns `value` itself when nothing changes.
 */
export function defaultValue(value: unknown, schema: SchemaNode): unknown {
  if (isObject(value)) return defaultObject(value, schema);
  if (!Array.isArray(value) || schema.items === undefined) return value;
  const { items } = schema;
  let next: unknown[] | undefined;
  for (const [index, item] of value.entries()) {
    const filled = item === null && hasDefault(items) ? items.default : defaultValue(item, items);
    if (filled !== item) next ??= value.slice();
    if (next !== undefined) next[index] = filled;
  }
  return next ?? value;
}

function mayNotBeNull({ type, intOrString, nullable, nullIsAbsent }: SchemaNode): boolean {
  return nullable !== true && nullIsAbsent !== true && (type !== undefined || intOrString === true);
}

function hasDefault(node: SchemaNode): boolean {
  return node.default !== undefined && node.nullable !== true;
}

function defaultObject(object: JsonObject, schema: SchemaNode): JsonObject {
  let next: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    const rest = schema.additionalProperties;
    const node = schema.properties?.get(key) ?? (typeof rest === 'object' ? rest : undefined);
    if (node === undefined) continue;
    const value = object[key];
    if (value === null && mayNotBeNull(node)) {
      next ??= { ...fresh, ...object };
      if (node.default === undefined) delete next[key];
      else put(next, key, defaultValue(node.default, node));
      continue;
    }
    const filled = defaultValue(value, node);
    if (filled === value) continue;
    next ??= { ...fresh, ...object };
    put(next, key, filled);
  }
  for (const [key, node] of schema.properties ?? []) {
    if (node.default === undefined || Object.hasOwn(next ?? object, key)) continue;
    next ??= { ...fresh, ...object };
    put(next, key, defaultValue(node.default, node));
  }
  return next ?? object;
}

/** The value without the fields that the schema does not know. The same reference when there are none. */
export function pruneValue(value: unknown, schema: SchemaNode): unknown {
  return checkSchema(value, schema, { unknownFields: 'prune' }).object;
}

export interface PlacedDefault {
  readonly where: FieldPath;
  readonly value: unknown;
  /** The schema that it stands in. */
  readonly schema: JsonObject;
}

/** Every default in a custom resource's schema. */
export function* defaultsOf(schema: JsonObject, at: FieldPath): Iterable<PlacedDefault> {
  for (const { where, schema: part } of defaultsIn(schema, () => at))
    yield { where: where()('default'), value: part['default'], schema: part };
}

export function hasDefaults(schema: JsonObject): boolean {
  return defaultsIn(schema, root)[Symbol.iterator]().next().done !== true;
}

// Nearly every field has none, so a path is made for those that have.
function* defaultsIn(
  schema: JsonObject,
  at: () => FieldPath,
): Iterable<{ readonly where: () => FieldPath; readonly schema: JsonObject }> {
  if (Object.hasOwn(schema, 'default')) yield { where: at, schema };
  const { properties, items, additionalProperties } = schema;
  if (isObject(properties)) {
    for (const name of Object.keys(properties)) {
      const property = properties[name];
      if (isObject(property) && !hasTypeOnly(property)) yield* defaultsIn(property, () => at()('properties').key(name));
    }
  }
  if (isObject(items)) yield* defaultsIn(items, () => at()('items'));
  if (isObject(additionalProperties)) yield* defaultsIn(additionalProperties, () => at()('additionalProperties'));
}

/** Nothing stands in it, and nothing more is said of it than what it is: so are most fields of large schemas. */
export function hasTypeOnly(schema: JsonObject): boolean {
  for (const key in schema) if (key !== 'type' && key !== 'description' && key !== 'format') return false;
  return true;
}
