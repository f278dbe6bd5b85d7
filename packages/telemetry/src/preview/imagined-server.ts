import {
  type Action,
  applyMergePatch,
  type DeleteOptions,
  type JsonObject,
  type Key,
  type KubeObject,
  keyOf,
  type New,
  type ResourceType,
  resourceId,
} from '@signalbox/cluster';
import { byNamespaceAndName, compare, isOwnedBy, type World, worldFrom } from '../world/world.ts';

/** Takes what operators do as an API server would, and answers at once: nothing runs behind it. */
export interface ImaginedServer {
  readonly world: World;
  readonly objects: () => readonly KubeObject[];
  /** Whether anything has changed by it. */
  apply(action: Action): boolean;
  /** Changes an object behind everybody's back, as the controllers of a cluster do. */
  put(object: KubeObject): void;
  remove(object: KubeObject): void;
  /** How objects were deleted that have come again since, by {@link placeOf}. */
  readonly recreated: ReadonlyMap<string, Recreated>;
}

export type Recreated = NonNullable<DeleteOptions['propagationPolicy']>;

export function createImaginedServer(objects: Iterable<KubeObject>): ImaginedServer {
  const store = createStore(objects);
  const deleted = new Map<string, Recreated>();
  const recreated = new Map<string, Recreated>();
  const apply = (action: Action): boolean => {
    switch (action.do) {
      case 'create': {
        const object = created(action.object);
        // The API refuses a second one.
        if (store.find(object) !== undefined) return false;
        store.put(object);
        const how = deleted.get(placeOf(object));
        if (how !== undefined) recreated.set(placeOf(object), how);
        return true;
      }
      case 'update':
      case 'setStatus':
        if (store.find(action.object) === undefined) return false;
        store.put(action.object);
        return true;
      case 'patch': {
        const current = store.find(action.target);
        if (current === undefined) return false;
        store.put(applyMergePatch(current as unknown as JsonObject, action.body) as unknown as KubeObject);
        return true;
      }
      case 'delete':
        if (store.find(action.target) === undefined) return false;
        deleted.set(placeOf(action.target), action.options?.propagationPolicy ?? 'Background');
        store.remove(action.target);
        return true;
      case 'emit':
        return false;
      case 'inOrder':
        return action.actions.map(apply).includes(true);
      default:
        return action satisfies never;
    }
  };
  return { world: store.world, objects: store.objects, apply, put: store.put, remove: store.remove, recreated };
}

/** `apps/v1 StatefulSet monitoring/main`: what stands where, whatever has become of it. */
export function placeOf({ apiVersion, kind, metadata }: KubeObject | New<KubeObject>): string {
  return `${apiVersion} ${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** What a server gives out, told from the place, so that two forecasts of one world are the same. */
export function withIdentity(object: New<KubeObject>): KubeObject {
  const identity = {
    name: '',
    uid: `imagined ${placeOf(object)}`,
    resourceVersion: '1',
    creationTimestamp: imaginedTime,
  };
  return { ...object, metadata: { ...identity, ...object.metadata } } as KubeObject;
}

// A forecast must not depend on when it is made.
const imaginedTime = '1970-01-01T00:00:00Z';

function created(object: New<KubeObject>): KubeObject {
  return withIdentity(object);
}

interface Store {
  readonly world: World;
  objects(): readonly KubeObject[];
  find(object: KubeObject | New<KubeObject>): KubeObject | undefined;
  put(object: KubeObject): void;
  remove(object: KubeObject): void;
}

interface OfKind {
  readonly byKey: Map<Key, KubeObject>;
  /** Undefined: something has changed since. */
  sorted: readonly KubeObject[] | undefined;
  byNamespace: ReadonlyMap<string, readonly KubeObject[]> | undefined;
}

function createStore(objects: Iterable<KubeObject>): Store {
  const byKind = new Map<string, OfKind>();
  const kindOf = (id: string): OfKind => {
    const known = byKind.get(id) ?? { byKey: new Map<Key, KubeObject>(), sorted: undefined, byNamespace: undefined };
    byKind.set(id, known);
    return known;
  };
  const idOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string =>
    `${apiVersion}/${kind}`;
  const ids = new Map<string, string>();
  const ofType = (type: ResourceType): OfKind => {
    const id = resourceId(type);
    const known = ids.get(id) ?? `${type.group === '' ? '' : `${type.group}/`}${type.version}/${type.kind}`;
    ids.set(id, known);
    return kindOf(known);
  };
  const put = (object: KubeObject): void => {
    const kind = kindOf(idOf(object));
    kind.byKey.set(keyOf(object), object);
    kind.sorted = undefined;
    kind.byNamespace = undefined;
  };
  for (const object of objects) put(object);
  const sorted = <T extends KubeObject>(type: ResourceType<T>): readonly T[] => {
    const kind = ofType(type);
    kind.sorted ??= [...kind.byKey.values()].sort(byNamespaceAndName);
    return kind.sorted as readonly KubeObject[] as readonly T[];
  };
  const inNamespace = <T extends KubeObject>(type: ResourceType<T>, namespace: string): readonly T[] => {
    const kind = ofType(type);
    kind.byNamespace ??= grouped(sorted(type));
    return (kind.byNamespace.get(namespace) ?? []) as readonly KubeObject[] as readonly T[];
  };
  const world = worldFrom({
    sorted,
    get: <T extends KubeObject>(type: ResourceType<T>, key: Key) => ofType(type).byKey.get(key) as T | undefined,
    owned: (type, uid) => sorted(type).filter((object) => isOwnedBy(object, uid)),
  });
  return {
    // Ten thousand jobs each look at one namespace of it.
    world: {
      ...world,
      list: (type, namespace) => (namespace === undefined ? sorted(type) : inNamespace(type, namespace)),
    },
    objects: () =>
      [...byKind]
        .sort(([a], [b]) => compare(a, b))
        .flatMap(([, kind]) => [...kind.byKey.values()].sort(byNamespaceAndName)),
    find: (object) => kindOf(idOf(object)).byKey.get(keyOf(object)),
    put,
    remove(object) {
      const kind = kindOf(idOf(object));
      kind.byKey.delete(keyOf(object));
      kind.sorted = undefined;
      kind.byNamespace = undefined;
    },
  };
}

function grouped(objects: readonly KubeObject[]): ReadonlyMap<string, readonly KubeObject[]> {
  const groups = new Map<string, KubeObject[]>();
  for (const object of objects) {
    const { namespace = '' } = object.metadata;
    const group = groups.get(namespace) ?? [];
    group.push(object);
    groups.set(namespace, group);
  }
  return groups;
}
