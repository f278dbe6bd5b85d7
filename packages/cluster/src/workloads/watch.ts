import type { ResourceType } from '../api/gvk.ts';
import { controllerOf, type Key, type KubeObject, keyOf } from '../api/meta.ts';
import { equal } from '../base/equal.ts';
import type { Caches } from '../client/cache.ts';
import { mapped, type Watch } from '../runtime/controller.ts';
import { type Selecting, selects } from './selecting.ts';

/**
 * An object without a controller wakes every owner whose selector matches, so that it can be adopted. Changes other than
 * to its labels or its owners cannot make it adoptable and wake nobody; neither does its end.
 */
export function orphaned<T extends KubeObject>(type: ResourceType<T>, owners: ResourceType<Selecting>): Watch<T> {
  return mapped(type, function* (event, caches) {
    const { object, previous } = event;
    if (event.type === 'deleted' || controllerOf(object) !== undefined) return;
    if (object.metadata.deletionTimestamp !== undefined) return;
    if (previous !== undefined && controllerOf(previous) === undefined && sameLabels(previous, object)) return;
    yield* ownersSelecting(object, { owners, caches });
  });
}

function* ownersSelecting(
  object: KubeObject,
  { owners, caches }: { readonly owners: ResourceType<Selecting>; readonly caches: Caches },
): Iterable<Key> {
  for (const owner of caches.of(owners).inNamespace(object.metadata.namespace ?? ''))
    if (selects(owner, object)) yield keyOf(owner);
}

function sameLabels(a: KubeObject, b: KubeObject): boolean {
  return equal(a.metadata.labels ?? {}, b.metadata.labels ?? {});
}
