import type { ResourceType } from '../api/gvk.ts';
import { controllerOf, type Key, type KubeObject, keyOf } from '../api/meta.ts';
import type { Cache, Index } from './cache.ts';
import { createJournal } from './journal.ts';

/** A cache and the two ways to change it. Only its informer writes. */
export interface ObjectCache<T extends KubeObject> extends Cache<T> {
  /** `at`: its key and the version before, for who knows them. Of all that changes, most comes this way. */
  put(object: T, at?: { readonly key: Key; readonly previous: T | undefined }): void;
  remove(key: Key): T | undefined;
  keys(): Iterable<Key>;
}

const byNamespace: Index<KubeObject> = {
  name: 'metadata.namespace',
  valuesOf: ({ metadata }) => (metadata.namespace === undefined ? [] : [metadata.namespace]),
};

const byOwner: Index<KubeObject> = {
  name: 'controller uid',
  valuesOf(object) {
    const owner = controllerOf(object);
    return owner === undefined ? [] : [owner.uid];
  },
};

export function createObjectCache<T extends KubeObject>(type: ResourceType<T>): ObjectCache<T> {
  const objects = new Map<Key, T>();
  const indexes = new Map<Index<T>, Buckets<T>>();
  const journal = createJournal(() => objects.size);

  const indexed = (index: Index<T>): Buckets<T> => {
    const existing = indexes.get(index);
    if (existing !== undefined) return existing;
    const buckets = createBuckets(index);
    for (const [key, object] of objects) buckets.move(key, undefined, object);
    indexes.set(index, buckets);
    return buckets;
  };

  return {
    type,
    get size() {
      return objects.size;
    },
    get: (key) => objects.get(key),
    values: () => objects.values(),
    keys: () => objects.keys(),
    inNamespace: (namespace) => indexed(byNamespace as Index<T>).get(namespace),
    ownedBy: (uid) => indexed(byOwner as Index<T>).get(uid),
    by: (index, value) => indexed(index).get(value),
    changesSince: (mark) => journal.since(mark),
    put(object, at) {
      const key = at?.key ?? keyOf(object);
      const previous = at === undefined ? objects.get(key) : at.previous;
      objects.set(key, object);
      journal.note(key);
      for (const buckets of indexes.values()) buckets.move(key, previous, object);
    },
    remove(key) {
      const previous = objects.get(key);
      objects.delete(key);
      journal.note(key);
      for (const buckets of indexes.values()) buckets.move(key, previous, undefined);
      return previous;
    },
  };
}

interface Buckets<T> {
  get(value: string): readonly T[];
  move(key: Key, previous: T | undefined, next: T | undefined): void;
}

interface Bucket<T> {
  readonly members: Map<Key, T>;
  /** The members as an array, until they change: observers ask far more often than members change. */
  list: readonly T[] | undefined;
}

function createBuckets<T extends KubeObject>(index: Index<T>): Buckets<T> {
  const buckets = new Map<string, Bucket<T>>();
  const bucketOf = (value: string): Bucket<T> => {
    const existing = buckets.get(value);
    if (existing !== undefined) return existing;
    const bucket: Bucket<T> = { members: new Map(), list: undefined };
    buckets.set(value, bucket);
    return bucket;
  };
  const take = (value: string, key: Key): void => {
    const bucket = buckets.get(value);
    if (bucket === undefined) return;
    bucket.members.delete(key);
    bucket.list = undefined;
    if (bucket.members.size === 0) buckets.delete(value);
  };
  return {
    get(value) {
      const bucket = buckets.get(value);
      if (bucket === undefined) return [];
      bucket.list ??= Object.freeze([...bucket.members.values()]);
      return bucket.list;
    },
    move(key, previous, next) {
      const before = previous === undefined ? none : listOf(index.valuesOf(previous));
      const after = next === undefined ? none : listOf(index.valuesOf(next));
      for (const value of before) if (!after.includes(value)) take(value, key);
      if (next === undefined) return;
      for (const value of after) {
        const bucket = bucketOf(value);
        bucket.members.set(key, next);
        bucket.list = undefined;
      }
    },
  };
}

const none: readonly string[] = [];

/** Each change of each object asks: most answer with a list, which needs no copy. */
function listOf(values: Iterable<string>): readonly string[] {
  return Array.isArray(values) ? (values as readonly string[]) : [...values];
}
