import type { ResourceType } from '../api/gvk.ts';
import type { Key, KubeObject } from '../api/meta.ts';
import type { Changes, Mark } from './journal.ts';

/** A local, read-only copy of one resource, kept up to date by a watch. Objects are frozen and shared. */
export interface Cache<T extends KubeObject = KubeObject> {
  readonly type: ResourceType<T>;
  readonly size: number;
  get(key: Key): T | undefined;
  /** In the order in which the keys first appeared. */
  values(): Iterable<T>;
  inNamespace(namespace: string): readonly T[];
  /** Objects whose controller is the owner with this uid. */
  ownedBy(uid: string): readonly T[];
  /** Objects that `index` files under `value`. Built on first use, then kept up to date. */
  by(index: Index<T>, value: string): readonly T[];
  /** Whose keys have changed since `mark` was given out, so that who keeps something that follows from them need not look at all. */
  changesSince(mark: Mark | undefined): Changes;
}

/** A way to find objects. Declare it once as a constant: caches tell indexes apart by identity. */
export interface Index<T extends KubeObject> {
  readonly name: string;
  valuesOf(object: T): Iterable<string>;
}

/** The caches of one process. */
export interface Caches {
  /** Throws an `InvariantError` for a resource that nobody declared as watched or read. */
  of<T extends KubeObject>(type: ResourceType<T>): Cache<T>;
}

export type CacheEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'added'; readonly object: T; readonly previous: undefined }
  | { readonly type: 'updated'; readonly object: T; readonly previous: T }
  | { readonly type: 'deleted'; readonly object: T; readonly previous: T };
