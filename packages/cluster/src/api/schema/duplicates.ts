import { formatExactJson } from '../../base/exact-json.ts';
import type { FieldPath, Issue } from '../issue.ts';
import { isObject, type JsonObject } from '../record.ts';
import type { SchemaNode } from './node.ts';

/** What stands twice in sets and in lists with keys, of each once; and the first element that can have no keys. */
export function* duplicates(value: unknown, node: SchemaNode, at: FieldPath): Iterable<Issue> {
  if (!hasUniqueLists(node)) return;
  if (Array.isArray(value)) {
    const { items, listType } = node;
    if (listType === 'set' || listType === 'map') yield* repeated(value, node, at);
    if (items === undefined) return;
    for (const [index, item] of (value as readonly unknown[]).entries()) yield* duplicates(item, items, at(index));
  } else if (isObject(value)) {
    const { properties, additionalProperties } = node;
    for (const key of Object.keys(value)) {
      const part = properties?.get(key) ?? additionalProperties;
      if (typeof part === 'object') yield* duplicates(value[key], part, at(key));
    }
  }
}

const known = new WeakMap<SchemaNode, boolean>();

/** Most schemas have few of them: there is no need to look into what has none. */
function hasUniqueLists(node: SchemaNode): boolean {
  const found = known.get(node);
  if (found !== undefined) return found;
  // Built-in types, which may contain themselves, have checks of their own.
  const { definition, listType, items, properties, additionalProperties } = node;
  const has =
    definition === undefined &&
    (listType === 'set' ||
      listType === 'map' ||
      (items !== undefined && hasUniqueLists(items)) ||
      (typeof additionalProperties === 'object' && hasUniqueLists(additionalProperties)) ||
      [...(properties?.values() ?? [])].some(hasUniqueLists));
  known.set(node, has);
  return has;
}

function* repeated(
  list: readonly unknown[],
  { listType, listMapKeys = [], items }: SchemaNode,
  at: FieldPath,
): Iterable<Issue> {
  const stranger = listType === 'map' ? list.findIndex((item) => item !== null && !isObject(item)) : -1;
  if (stranger >= 0) {
    yield at(stranger).invalid(list[stranger], 'must be an object for an array of list-type map');
    return;
  }
  const counts = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const identity = sorted(listType === 'map' ? keyFieldsOf(item, { keys: listMapKeys, items }) : item);
    const text = formatExactJson(identity);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count === 2) yield at(index).duplicate(identity);
  }
}

function keyFieldsOf(
  item: unknown,
  { keys, items }: { readonly keys: readonly string[]; readonly items: SchemaNode | undefined },
): JsonObject {
  const object = isObject(item) ? item : {};
  return Object.fromEntries(
    keys
      .map((key) => [key, Object.hasOwn(object, key) ? object[key] : items?.properties?.get(key)?.default] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** Equal values are equal texts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}
