import {
  type CacheEvent,
  type Index,
  type Informers,
  type KubeObject,
  type ResourceType,
  resourceId,
} from '@signalbox/cluster';
import { byNamespaceAndName, type World, worldFrom } from './world.ts';

/** The world as the caches of this process see it at this moment. */
export interface CacheWorld {
  readonly world: World;
  /** Stops following the caches. */
  close(): void;
}

/** Every resource that is asked for must be synced already. */
export function createCacheWorld(informers: Informers): CacheWorld {
  const byType = new Map<string, SortedList>();
  const sorted = <T extends KubeObject>(type: ResourceType<T>): readonly T[] => {
    const id = resourceId(type);
    const known = byType.get(id) ?? createSortedList(informers, type);
    byType.set(id, known);
    return known.objects() as readonly T[];
  };
  const world = worldFrom({
    sorted,
    get: (type, key) => informers.of(type).get(key),
    owned: (type, uid) => [...informers.of(type).by(byOwner, uid)].sort(byNamespaceAndName),
  });
  return {
    world,
    close() {
      for (const list of byType.values()) list.close();
      byType.clear();
    },
  };
}

const byOwner: Index<KubeObject> = {
  name: 'owner',
  valuesOf: ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid),
};

interface SortedList {
  objects(): readonly KubeObject[];
  close(): void;
}

/** Keeps the order while objects come, change and go, so that one change among ten thousand does not sort them all. */
function createSortedList<T extends KubeObject>(informers: Informers, type: ResourceType<T>): SortedList {
  let objects: KubeObject[] = [...informers.of(type).values()].sort(byNamespaceAndName);
  let isShared = false;
  let isLive = false;
  const change = ({ type: what, object }: CacheEvent<T>): void => {
    if (!isLive) return;
    // Whoever was given the list keeps the list as it was.
    if (isShared) objects = [...objects];
    isShared = false;
    const at = position(objects, object);
    const current = objects[at];
    const isThere = current !== undefined && byNamespaceAndName(current, object) === 0;
    if (what !== 'deleted') objects.splice(at, isThere ? 1 : 0, object);
    else if (isThere) objects.splice(at, 1);
  };
  // The first calls repeat what is in the list already.
  const close = informers.listen(type, change);
  isLive = true;
  return {
    objects() {
      isShared = true;
      return objects;
    },
    close,
  };
}

/** Where `object` is, or belongs. */
function position(objects: readonly KubeObject[], object: KubeObject): number {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const there = objects[middle];
    if (there !== undefined && byNamespaceAndName(there, object) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
