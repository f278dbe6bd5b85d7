import { type Key, type KubeObject, keyOf, type ResourceType, resourceId } from '@signalbox/cluster';
import { compileSelection, type Selection } from './select.ts';

/**
 * Everything that exists at one moment, read-only: the caches of a running operator, or a folder of manifests. What is
 * built from a world depends on nothing else, so the same world gives the same bytes.
 */
export interface World {
  /** Sorted by namespace, then name. */
  list<T extends KubeObject>(type: ResourceType<T>, namespace?: string): readonly T[];
  /** `key` is `namespace/name`, or the name alone for cluster-scoped objects. */
  get<T extends KubeObject>(type: ResourceType<T>, key: Key): T | undefined;
  /** What `selection` picks, sorted by namespace, then name. */
  select<T extends KubeObject>(type: ResourceType<T>, selection: Selection): readonly T[];
  /** Objects that name `uid` among their owners, sorted by namespace, then name. */
  owned<T extends KubeObject>(type: ResourceType<T>, uid: string): readonly T[];
}

/** What a world is read from. */
export interface WorldSource {
  /** Sorted by namespace, then name. */
  sorted<T extends KubeObject>(type: ResourceType<T>): readonly T[];
  get<T extends KubeObject>(type: ResourceType<T>, key: Key): T | undefined;
  owned<T extends KubeObject>(type: ResourceType<T>, uid: string): readonly T[];
}

/** Completes a source to a world. */
export function worldFrom(source: WorldSource): World {
  const list: World['list'] = (type, namespace) => {
    const all = source.sorted(type);
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  };
  return {
    list,
    get: source.get,
    owned: source.owned,
    select(type, selection) {
      const verdictOf = compileSelection(selection, source.get);
      return verdictOf.nothing ? [] : source.sorted(type).filter((object) => verdictOf(object).selected);
    },
  };
}

/**
 * The world of a folder of manifests. A later object of the same key replaces an earlier one, as a second `apply` would.
 * Objects that no server has seen yet get an empty uid.
 */
export function worldOf(objects: Iterable<KubeObject>): World {
  const byType = new Map<string, Map<Key, KubeObject>>();
  for (const object of objects) {
    const id = kindId(object.apiVersion, object.kind);
    const ofType = byType.get(id) ?? new Map<Key, KubeObject>();
    byType.set(id, ofType.set(keyOf(object), object));
  }
  const sortedByType = new Map<string, readonly KubeObject[]>();
  const sorted = <T extends KubeObject>(type: ResourceType<T>): readonly T[] => {
    const known = sortedByType.get(resourceId(type));
    if (known !== undefined) return known as readonly T[];
    const all = [...(byType.get(typeId(type))?.values() ?? [])].sort(byNamespaceAndName);
    sortedByType.set(resourceId(type), all);
    return all as readonly KubeObject[] as readonly T[];
  };
  return worldFrom({
    sorted,
    get: <T extends KubeObject>(type: ResourceType<T>, key: Key) => byType.get(typeId(type))?.get(key) as T | undefined,
    owned: (type, uid) => sorted(type).filter((object) => isOwnedBy(object, uid)),
  });
}

export function isOwnedBy({ metadata }: KubeObject, uid: string): boolean {
  return uid !== '' && (metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false);
}

/** By code units, so that every machine sorts alike. */
export function byNamespaceAndName(a: KubeObject, b: KubeObject): number {
  return compare(a.metadata.namespace ?? '', b.metadata.namespace ?? '') || compare(a.metadata.name, b.metadata.name);
}

export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function typeId({ group, version, kind }: ResourceType): string {
  return kindId(group === '' ? version : `${group}/${version}`, kind);
}

function kindId(apiVersion: string, kind: string): string {
  return `${apiVersion}/${kind}`;
}
