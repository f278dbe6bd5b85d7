import {
  type Cache,
  type CacheEvent,
  type Index,
  type Informers,
  type KubeObject,
  keyOf,
  type ResourceType,
} from '@signalbox/cluster';

/** Caches that a test fills by hand. Indexes are not kept: whoever asks by one looks at everything. */
export interface HandFilled {
  readonly informers: Informers;
  put(object: KubeObject): void;
  remove(object: KubeObject): void;
}

type Listener = (event: CacheEvent) => void;

export function handFilled(): HandFilled {
  const byKind = new Map<string, Map<string, KubeObject>>();
  const listeners = new Map<string, Set<Listener>>();
  const objectsOf = (kind: string): Map<string, KubeObject> => {
    const objects = byKind.get(kind) ?? new Map<string, KubeObject>();
    byKind.set(kind, objects);
    return objects;
  };
  const listenersOf = (kind: string): Set<Listener> => {
    const own = listeners.get(kind) ?? new Set();
    listeners.set(kind, own);
    return own;
  };
  const tell = (event: CacheEvent): void => {
    for (const listener of listenersOf(event.object.kind)) listener(event);
  };
  const informers: Pick<Informers, 'listen' | 'of' | 'sync'> = {
    of: <T extends KubeObject>(type: ResourceType<T>) => cacheOf(objectsOf(type.kind)) as unknown as Cache<T>,
    sync: () => Promise.resolve(),
    listen(type, handle) {
      for (const object of objectsOf(type.kind).values())
        (handle as Listener)({ type: 'added', object, previous: undefined });
      listenersOf(type.kind).add(handle as Listener);
      return () => listenersOf(type.kind).delete(handle as Listener);
    },
  };
  return {
    informers: informers as Informers,
    put(object) {
      const objects = objectsOf(object.kind);
      const previous = objects.get(keyOf(object));
      objects.set(keyOf(object), object);
      tell(previous === undefined ? { type: 'added', object, previous } : { type: 'updated', object, previous });
    },
    remove(object) {
      if (objectsOf(object.kind).delete(keyOf(object))) tell({ type: 'deleted', object, previous: object });
    },
  };
}

function cacheOf(objects: ReadonlyMap<string, KubeObject>): Pick<Cache, 'by' | 'get' | 'inNamespace' | 'values'> {
  const all = (): readonly KubeObject[] => [...objects.values()];
  return {
    get: (key) => objects.get(key),
    values: all,
    inNamespace: (namespace) => all().filter(({ metadata }) => metadata.namespace === namespace),
    by: (index: Index<KubeObject>, value) => all().filter((object) => [...index.valuesOf(object)].includes(value)),
  };
}
