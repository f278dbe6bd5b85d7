import type { ResourceType } from '../../api/gvk.ts';
import { type Key, type KubeObject, keyOf, type OwnerReference } from '../../api/meta.ts';
import type { CacheEvent } from '../../client/cache.ts';
import { isCollecting } from './finalizers.ts';

/** Where an object stands. The object itself is in the caches. */
export interface Place {
  readonly uid: string;
  readonly type: ResourceType;
  readonly key: Key;
}

/**
 * Who depends on whom, by uid. Kept up to date event by event; an event costs as much as the object has owner references,
 * never as much as there are objects. Objects without owners and dependents cost nothing.
 */
export interface Graph {
  /** Takes in a change and tells which owners have to be looked at because of it. */
  apply(type: ResourceType, event: CacheEvent<KubeObject>): ReadonlySet<string>;
  dependentsOf(uid: string): Iterable<Place>;
  dependentCount(uid: string): number;
  /** An object that waits, by its finalizer, for the collector to deal with its dependents. */
  collecting(uid: string): Place | undefined;
  /** Whether the end of the object was seen. Uids never come back. */
  hasEnded(uid: string): boolean;
}

export interface GraphOptions {
  /** Whether the caches hold the object that the reference means. */
  isCached(reference: OwnerReference, dependent: KubeObject): boolean;
}

interface Owner {
  readonly dependents: Map<string, Place>;
  /** Those of them that hold up a foreground deletion; absent where none does, as for the lease of a node. */
  blocking: Set<string> | undefined;
  hasEnded: boolean;
}

const noReferences: readonly OwnerReference[] = [];

export function createGraph({ isCached }: GraphOptions): Graph {
  const owners = new Map<string, Owner>();
  const collecting = new Map<string, Place>();

  const link = (place: Place, { uid, blockOwnerDeletion }: OwnerReference): void => {
    const owner = owners.get(uid) ?? { dependents: new Map(), blocking: undefined, hasEnded: false };
    owners.set(uid, owner);
    owner.dependents.set(place.uid, place);
    if (blockOwnerDeletion !== true) return;
    owner.blocking ??= new Set();
    owner.blocking.add(place.uid);
  };

  /** Wakes an owner that waits for the last of its dependents. */
  const unlink = (dependent: string, uid: string, woken: Set<string>): void => {
    const owner = owners.get(uid);
    if (owner === undefined) return;
    owner.dependents.delete(dependent);
    owner.blocking?.delete(dependent);
    if ((owner.blocking?.size ?? 0) === 0 && collecting.has(uid)) woken.add(uid);
    if (owner.dependents.size === 0) owners.delete(uid);
  };

  const relink = (
    place: Place,
    { before, after }: { readonly before: KubeObject | undefined; readonly after: KubeObject | undefined },
    woken: Set<string>,
  ): void => {
    const old = before?.metadata.ownerReferences ?? noReferences;
    const next = after?.metadata.ownerReferences ?? noReferences;
    if (old === next || (old.length === 0 && next.length === 0)) return;
    for (const reference of old) unlink(place.uid, reference.uid, woken);
    for (const reference of next) link(place, reference);
    if (after === undefined) return;
    for (const reference of next) {
      const isKnown = old.some((each) => isSameReference(each, reference));
      if (!isKnown && (collecting.has(reference.uid) || !isCached(reference, after))) woken.add(reference.uid);
    }
  };

  return {
    apply(type, event) {
      const { object, previous } = event;
      const { uid } = object.metadata;
      if (isNothingNew(event, collecting)) return nobody;
      const place: Place = { uid, type, key: keyOf(object) };
      const woken = new Set<string>();
      const isGone = event.type === 'deleted';
      if (!isGone && isCollecting(object)) {
        collecting.set(uid, place);
        woken.add(uid);
      } else collecting.delete(uid);
      relink(place, { before: previous, after: isGone ? undefined : object }, woken);
      const owner = owners.get(uid);
      if (isGone && owner !== undefined) {
        owner.hasEnded = true;
        woken.add(uid);
      }
      return woken;
    },
    dependentsOf: (uid) => owners.get(uid)?.dependents.values() ?? [],
    dependentCount: (uid) => owners.get(uid)?.dependents.size ?? 0,
    collecting: (uid) => collecting.get(uid),
    hasEnded: (uid) => owners.get(uid)?.hasEnded === true,
  };
}

const nobody: ReadonlySet<string> = new Set();

/** Most changes are of a status or of a lease: whose the object is stays the same value. */
function isNothingNew({ type, object, previous }: CacheEvent, collecting: ReadonlyMap<string, Place>): boolean {
  if (type !== 'updated' || previous === undefined || collecting.has(object.metadata.uid)) return false;
  return previous.metadata.ownerReferences === object.metadata.ownerReferences && !isCollecting(object);
}

function isSameReference(a: OwnerReference, b: OwnerReference): boolean {
  return a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}
