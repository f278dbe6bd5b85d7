import { equal } from '../../base/equal.ts';
import { isObject, type JsonObject, own, put, without } from '../record.ts';
import type { SchemaNode } from '../schema/node.ts';
import { badRequest, StatusError } from '../status.ts';
import { mergeList } from './strategic-list.ts';
import { notAnObject } from './unreadable.ts';

/*
 * Strategic merge patch: a merge patch that knows from the schema which lists merge by a key and which are replaced as
 * a whole. Directives in the patch steer it:
 *   $patch: replace | delete | merge          on an object, or on an element of a merging list
 *   $retainKeys: [a, b]                       every other field of the stored object goes
 *   $deleteFromPrimitiveList/<field>: [v]     takes values out of a merging list of scalars
 *   $setElementOrder/<field>: [...]           the order of a merging list
 */
const orderPrefix = '$setElementOrder/';
const removalPrefix = '$deleteFromPrimitiveList/';

/** Parts that the patch does not touch are shared with `object`. Throws 400 for a patch that is malformed. */
export function applyStrategicPatch(object: JsonObject, patch: unknown, schema: SchemaNode): JsonObject {
  // Nothing is asked for.
  if (patch === null) return object;
  if (!isObject(patch)) throw new StatusError(badRequest(notAnObject(patch)));
  return mergeObject(object, patch, schema);
}

export function mergeObject(current: JsonObject, patch: JsonObject, node: SchemaNode | undefined): JsonObject {
  const directive = directiveOf(patch);
  if (directive === 'delete') return {};
  if (directive === 'replace') return mergeObject({}, without(patch, ['$patch']), node);
  const base = retained(current, patch);
  let next: Record<string, unknown> | undefined;
  for (const field of fieldsOf(patch)) {
    const stored = own(base, field);
    const merged = mergeField(stored, patch, { field, node: childOf(node, field) });
    if (merged === undefined) {
      if (!Object.hasOwn(base, field)) continue;
      next ??= { ...base };
      delete next[field];
    } else if (merged !== stored) {
      next ??= { ...base };
      put(next, field, merged);
    }
  }
  return next ?? base;
}

export type Directive = 'merge' | 'replace' | 'delete';

export function directiveOf(patch: JsonObject): Directive {
  const directive = own(patch, '$patch') ?? 'merge';
  if (directive === 'merge' || directive === 'replace' || directive === 'delete') return directive;
  throw malformed(`unknown patch type: ${JSON.stringify(directive)}; $patch is one of merge, replace, delete`);
}

/** The stored object without what `$retainKeys` leaves out. */
function retained(current: JsonObject, patch: JsonObject): JsonObject {
  const keep = own(patch, '$retainKeys');
  if (keep === undefined) return current;
  if (!Array.isArray(keep)) throw malformed('$retainKeys must be a list of field names');
  for (const [field, value] of Object.entries(patch)) {
    if (value !== null && !field.startsWith('$') && !keep.includes(field)) {
      throw malformed(`$retainKeys must name all fields of the patch, but "${field}" is missing`);
    }
  }
  return without(
    current,
    Object.keys(current).filter((field) => !keep.includes(field)),
  );
}

/** The fields that the patch speaks about, directly or through a directive. */
function fieldsOf(patch: JsonObject): Iterable<string> {
  const fields = new Set<string>();
  for (const key of Object.keys(patch)) {
    if (key === '$patch' || key === '$retainKeys') continue;
    if (key.startsWith(orderPrefix)) fields.add(key.slice(orderPrefix.length));
    else if (key.startsWith(removalPrefix)) fields.add(key.slice(removalPrefix.length));
    else fields.add(key);
  }
  return fields;
}

function childOf(node: SchemaNode | undefined, field: string): SchemaNode | undefined {
  const rest = node?.additionalProperties;
  return node?.properties?.get(field) ?? (typeof rest === 'object' ? rest : undefined);
}

/** The field's next value; undefined takes it away. */
function mergeField(
  stored: unknown,
  patch: JsonObject,
  { field, node }: { readonly field: string; readonly node: SchemaNode | undefined },
): unknown {
  const change = own(patch, field);
  if (change === null) return undefined;
  if (isObject(change)) {
    const replaces = node?.patchStrategy?.includes('replace') === true;
    return mergeObject(isObject(stored) && !replaces ? stored : {}, change, node);
  }
  if (change !== undefined && !Array.isArray(change)) return change;
  if (node === undefined || !mergesAsList(node)) {
    if (change === undefined) return stored;
    return equal(stored, change) ? stored : fresh(change, node);
  }
  const order = listOf(patch, `${orderPrefix}${field}`);
  const removals = listOf(patch, `${removalPrefix}${field}`);
  // Directives alone do not bring a list into being.
  if (change === undefined && !Array.isArray(stored)) return stored;
  // With nothing in it, it is none to Go.
  const isNew = !Array.isArray(stored) || stored.length === 0;
  return mergeList(isNew ? [] : stored, change ?? [], { node, order, removals, isNew });
}

/** Lists merge when the schema says so, and objects only by a key. */
function mergesAsList(node: SchemaNode): boolean {
  if (node.patchStrategy?.includes('merge') !== true) return false;
  return node.patchMergeKey !== undefined || node.items?.type !== 'object';
}

function listOf(patch: JsonObject, directive: string): readonly unknown[] | undefined {
  const list = own(patch, directive);
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) throw malformed(`${directive} must be a list`);
  return list;
}

/** A value of the patch that meets nothing stored: its directives have had their effect. */
export function fresh(value: unknown, node: SchemaNode | undefined): unknown {
  if (isObject(value)) return mergeObject({}, value, node);
  if (!Array.isArray(value)) return value;
  if (node !== undefined && mergesAsList(node))
    return mergeList([], value, { node, order: undefined, removals: undefined, isNew: true });
  return value.map((item: unknown) => fresh(item, node?.items));
}

export function malformed(why: string): StatusError {
  return new StatusError(badRequest(`invalid strategic merge patch: ${why}`));
}
