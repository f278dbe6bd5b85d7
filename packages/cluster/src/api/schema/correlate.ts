import { equal } from '../../base/equal.ts';
import { formatExactJson } from '../../base/exact-json.ts';
import { isObject, own } from '../record.ts';
import type { SchemaNode } from './node.ts';

const none = (): undefined => undefined;

/**
 * Finds the element that an element of a list was before: by its keys, in a list that has keys; never in others. Of several
 * with the same keys the first one counts; one without keys is nobody's.
 */
export function correlatedItems(
  { listType, listMapKeys = [], items }: SchemaNode,
  old: readonly unknown[],
): (item: unknown) => unknown {
  if (listType !== 'map' || old.length === 0) return none;
  const identify = (item: unknown): string | undefined => {
    if (!isObject(item)) return undefined;
    const keys = listMapKeys.map((key) => own(item, key) ?? items?.properties?.get(key)?.default);
    return keys.includes(undefined) ? undefined : formatExactJson(keys);
  };
  const known = new Map<string, unknown>();
  for (const item of old) {
    const identity = identify(item);
    if (identity !== undefined && !known.has(identity)) known.set(identity, item);
  }
  return (item) => known.get(identify(item) ?? '');
}

/**
 * Whether a value is what it was before, each part compared with the one that it was: in what order the elements of a list with
 * keys stand does not matter. Fields of which the schema says nothing cannot be told to be the same, as upstream has it.
 */
export function isSameBySchema(value: unknown, old: unknown, node: SchemaNode): boolean {
  if (isPlain(node)) return equal(value, old);
  if (Array.isArray(value)) {
    if (!Array.isArray(old) || value.length !== old.length) return false;
    const { items } = node;
    if (node.listType !== 'map' || items === undefined) return equal(value, old);
    const before = correlatedItems(node, old);
    return value.every((item: unknown) => {
      const same = before(item);
      return same !== undefined && isSameBySchema(item, same, items);
    });
  }
  if (!isObject(value)) return equal(value, old);
  if (!isObject(old)) return false;
  const keys = Object.keys(value);
  return (
    keys.length === Object.keys(old).length &&
    keys.every((key) => {
      const part = partOf(node, key);
      return part !== undefined && Object.hasOwn(old, key) && isSameBySchema(value[key], old[key], part);
    })
  );
}

function partOf({ properties, additionalProperties }: SchemaNode, key: string): SchemaNode | undefined {
  const part = properties?.get(key) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  // What built-in types say of metadata stands in no schema of a custom resource.
  return part?.definition === undefined ? part : undefined;
}

const known = new WeakMap<SchemaNode, boolean>();

/** Whether values of a schema are the same when they are equal: no list in it has keys, and no field is unknown. */
function isPlain(node: SchemaNode): boolean {
  const found = known.get(node);
  if (found !== undefined) return found;
  const { additionalProperties, properties, items } = node;
  const plain =
    node.definition === undefined &&
    node.listType !== 'map' &&
    node.preserveUnknownFields !== true &&
    node.embeddedResource !== true &&
    additionalProperties !== true &&
    (additionalProperties === undefined || additionalProperties === false || isPlain(additionalProperties)) &&
    // What is in a list without keys is compared as a whole.
    (items === undefined || node.type === 'array' || isPlain(items)) &&
    [...(properties?.values() ?? [])].every(isPlain);
  known.set(node, plain);
  return plain;
}
