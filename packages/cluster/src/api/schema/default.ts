import type { FieldPath } from '../issue.ts';
import { isObject, type JsonObject, own, put } from '../record.ts';
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
    if (value === null && node.nullable !== true && node.nullIsAbsent !== true && node.type !== undefined) {
      next ??= { ...object };
      if (node.default === undefined) delete next[key];
      else put(next, key, defaultValue(node.default, node));
      continue;
    }
    const filled = defaultValue(value, node);
    if (filled === value) continue;
    next ??= { ...object };
    put(next, key, filled);
  }
  for (const [key, node] of schema.properties ?? []) {
    if (node.default === undefined || Object.hasOwn(next ?? object, key)) continue;
    next ??= { ...object };
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
  readonly node: SchemaNode;
}

/** Every default in the schema; `schema` is the text that `node` was made from. */
export function* defaultsOf(node: SchemaNode, schema: JsonObject, at: FieldPath): Iterable<PlacedDefault> {
  if (Object.hasOwn(schema, 'default')) yield { where: at('default'), value: schema['default'], node };
  const properties = own(schema, 'properties');
  if (isObject(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      const child = node.properties?.get(name);
      if (child !== undefined && isObject(property)) yield* defaultsOf(child, property, at('properties').key(name));
    }
  }
  const { items, additionalProperties } = schema;
  if (node.items !== undefined && isObject(items)) yield* defaultsOf(node.items, items, at('items'));
  if (typeof node.additionalProperties === 'object' && isObject(additionalProperties)) {
    yield* defaultsOf(node.additionalProperties, additionalProperties, at('additionalProperties'));
  }
}
