import type { ResourceType } from '../api/gvk.ts';
import { controllerOf, type Key, type KubeObject, keyOf } from '../api/meta.ts';
import { equal } from '../base/equal.ts';
import type { Caches } from '../client/cache.ts';
import { mapped, nobody, type Watch } from '../runtime/controller.ts';
import { type Selecting, selects } from './selecting.ts';

/**
 * An object without a controller wakes every owner whose selector matches, so that it can be adopted. Changes other than
 * to its labels or its owners cannot make it adoptable and wake nobody; neither does its end.
 */
export function orphaned<T extends KubeObject, O extends KubeObject = Selecting>(
  type: ResourceType<T>,
  owners: ResourceType<O>,
  { selecting = (owner) => owner as KubeObject as Selecting }: { selecting?: (owner: O) => Selecting } = {},
): Watch<T> {
  return mapped(type, (event, caches) => {
    const { object, previous } = event;
    if (event.type === 'deleted' || controllerOf(object) !== undefined) return nobody;
    if (object.metadata.deletionTimestamp !== undefined) return nobody;
    if (previous !== undefined && controllerOf(previous) === undefined && sameLabels(previous, object)) return nobody;
    return ownersSelecting(object, { owners, caches, selecting });
  });
}

interface Owners<O extends KubeObject> {
  readonly owners: ResourceType<O>;
  readonly caches: Caches;
  /** The owner by its selector, where that is written in another way than most write it. */
  selecting(owner: O): Selecting;
}

function ownersSelecting<O extends KubeObject>(
  object: KubeObject,
  { owners, caches, selecting }: Owners<O>,
): readonly Key[] {
  const near = caches.of(owners).inNamespace(object.metadata.namespace ?? '');
  return near.length === 0 ? nobody : near.filter((owner) => selects(selecting(owner), object)).map(keyOf);
}

function sameLabels({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return a.labels === b.labels || equal(a.labels ?? {}, b.labels ?? {});
}
