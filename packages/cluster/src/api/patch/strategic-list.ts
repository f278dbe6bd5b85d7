import { formatExactJson } from '../../base/exact-json.ts';
import { isObject, type JsonObject, own, without } from '../record.ts';
import type { SchemaNode } from '../schema/node.ts';
import { directiveOf, malformed, mergeObject } from './strategic.ts';

export interface ListMerge {
  readonly node: SchemaNode;
  /** `$setElementOrder` */
  readonly order: readonly unknown[] | undefined;
  /** `$deleteFromPrimitiveList` */
  readonly removals: readonly unknown[] | undefined;
  /** There was no list: what comes is taken as it is, also what does not say its key. */
  readonly isNew?: boolean;
}

/** Merges a list by its key, or as a set of scalars. Returns `stored` itself when nothing changes. */
export function mergeList(
  stored: readonly unknown[],
  change: readonly unknown[],
  merge: ListMerge,
): readonly unknown[] {
  const key = merge.node.patchMergeKey;
  if (key === undefined) return mergeScalars(stored, change, merge);
  const elements = change.map((element) => elementOf(element, { key, isNew: merge.isNew === true }));
  if (elements.some(({ directive }) => directive === 'replace')) {
    // The element that carries the directive may be nothing but the directive.
    const kept = elements.filter(({ directive, identity }) => directive !== 'delete' && identity !== undefined);
    return kept.map(({ value }) => mergeObject({}, value, merge.node.items));
  }
  if (merge.isNew === true && elements.some(({ identity }) => identity === undefined))
    return elements
      .filter(({ directive }) => directive !== 'delete')
      .map(({ value }) => mergeObject({}, value, merge.node.items));
  const merged = mergeElements(stored, elements, merge);
  const changed = elements.filter(({ directive }) => directive === 'merge').map(({ identity }) => identity ?? '');
  const order = merge.order?.map((element) => identityOf(element, key) ?? '');
  requireSubset(changed, order);
  return unchanged(
    stored,
    arrange(merged, stored, { order: order ?? changed, identity: (item) => identityOf(item, key) }),
  );
}

interface Element {
  readonly value: JsonObject;
  readonly directive: 'merge' | 'replace' | 'delete';
  readonly identity: string | undefined;
}

function elementOf(element: unknown, { key, isNew }: { readonly key: string; readonly isNew: boolean }): Element {
  if (!isObject(element)) throw malformed(`a list that merges by "${key}" holds objects only`);
  const directive = directiveOf(element);
  const identity = identityOf(element, key);
  if (identity === undefined && directive !== 'replace' && !isNew) {
    throw malformed(`map: ${shortened(element)} does not contain declared merge key: ${key}`);
  }
  return { value: without(element, ['$patch']), directive, identity };
}

function shortened(element: JsonObject): string {
  const text = formatExactJson(element);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function identityOf(item: unknown, key: string): string | undefined {
  const value = isObject(item) ? own(item, key) : undefined;
  return value === undefined || value === null ? undefined : String(value as string);
}

function mergeElements(
  stored: readonly unknown[],
  elements: readonly Element[],
  { node }: ListMerge,
): readonly unknown[] {
  const places = placesOf(stored, node.patchMergeKey ?? '');
  const merged: unknown[] = [...stored];
  const gone = new Set<number>();
  for (const { value, directive, identity = '' } of elements) {
    const candidates = (places.get(identity) ?? []).filter((index) => !gone.has(index));
    const meant = narrowed(candidates, { merged, value, keys: node.listMapKeys ?? [] });
    if (directive === 'delete') {
      for (const index of meant) gone.add(index);
      continue;
    }
    const [index] = meant;
    if (index !== undefined) {
      merged[index] = mergeObject(merged[index] as JsonObject, value, node.items);
      continue;
    }
    places.set(identity, [...(places.get(identity) ?? []), merged.length]);
    merged.push(mergeObject({}, value, node.items));
  }
  return gone.size === 0 ? merged : merged.filter((_, index) => !gone.has(index));
}

function placesOf(stored: readonly unknown[], key: string): Map<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, item] of stored.entries()) {
    const identity = identityOf(item, key);
    if (identity === undefined) continue;
    const known = places.get(identity);
    if (known === undefined) places.set(identity, [index]);
    else known.push(index);
  }
  return places;
}

interface Narrowing {
  readonly merged: readonly unknown[];
  readonly value: JsonObject;
  readonly keys: readonly string[];
}

/**
 * A list may have several keys (ports: number and protocol) of which patches merge by the first. Where that is ambiguous
 * the others decide, so that a patch of 53/TCP leaves 53/UDP alone.
 */
function narrowed(candidates: readonly number[], { merged, value, keys }: Narrowing): readonly number[] {
  if (candidates.length < 2) return candidates;
  const given = keys.filter((key) => own(value, key) !== undefined);
  return candidates.filter((index) => given.every((key) => identityOf(merged[index], key) === identityOf(value, key)));
}

function mergeScalars(
  stored: readonly unknown[],
  change: readonly unknown[],
  { order, removals }: ListMerge,
): readonly unknown[] {
  const removed = new Set(removals);
  const merged = [...new Set([...stored.filter((item) => !removed.has(item)), ...change])];
  const identity = (item: unknown): string => formatExactJson(item);
  const changed = change.map(identity);
  const wanted = order?.map(identity);
  requireSubset(changed, wanted);
  return unchanged(stored, arrange(merged, stored, { order: wanted ?? changed, identity }));
}

function requireSubset(changed: readonly string[], order: readonly string[] | undefined): void {
  if (order === undefined) return;
  const ordered = new Set(order);
  const missing = changed.find((identity) => !ordered.has(identity));
  if (missing !== undefined) throw malformed(`$setElementOrder does not name the element ${missing} of the patch`);
}

interface Arrangement {
  readonly order: readonly string[];
  readonly identity: (item: unknown) => string | undefined;
}

/**
 * Elements that the patch orders stand in the patch's order, the others in the stored one. Of two heads, the stored one
 * goes first only when it stood in front of the other before; so new elements come as early as they can.
 */
function arrange(
  merged: readonly unknown[],
  stored: readonly unknown[],
  { order, identity }: Arrangement,
): readonly unknown[] {
  if (order.length === 0) return merged;
  const rank = firstIndexes(order);
  const rankOf = (item: unknown): number | undefined => rank.get(identity(item) ?? '');
  const ordered = merged.filter((item) => rankOf(item) !== undefined);
  ordered.sort((a, b) => (rankOf(a) ?? 0) - (rankOf(b) ?? 0));
  const others = merged.filter((item) => rankOf(item) === undefined);
  const before = firstIndexes(stored.map((item) => identity(item) ?? ''));
  const arranged: unknown[] = [];
  let next = 0;
  for (const item of ordered) {
    const place = before.get(identity(item) ?? '') ?? -1;
    while (next < others.length && (before.get(identity(others[next]) ?? '') ?? place) < place) {
      arranged.push(others[next++]);
    }
    arranged.push(item);
  }
  return [...arranged, ...others.slice(next)];
}

function firstIndexes(identities: readonly string[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, identity] of identities.entries()) if (!indexes.has(identity)) indexes.set(identity, index);
  return indexes;
}

function unchanged(stored: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  return stored.length === next.length && stored.every((item, index) => item === next[index]) ? stored : next;
}
