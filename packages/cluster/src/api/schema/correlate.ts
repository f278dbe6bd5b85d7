import { formatExactJson } from '../../base/exact-json.ts';
import { isObject } from '../record.ts';
import type { SchemaNode } from './node.ts';

const none = (): undefined => undefined;

/** Finds the element that an element of a list was before: by its keys, in a list that has keys; never in others. */
export function correlatedItems(
  { listType, listMapKeys = [], items }: SchemaNode,
  old: readonly unknown[],
): (item: unknown) => unknown {
  if (listType !== 'map' || old.length === 0) return none;
  const identify = (item: unknown): string =>
    formatExactJson(
      listMapKeys.map(
        (key) => (isObject(item) ? item[key] : undefined) ?? items?.properties?.get(key)?.default ?? null,
      ),
    );
  const known = new Map(old.map((item) => [identify(item), item]));
  return (item) => known.get(identify(item));
}
