import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { controllerrevisions, persistentvolumeclaims, pods, statefulsets } from '../../api/generated/kinds.ts';
import { type Key, keyOf } from '../../api/meta.ts';
import type { CacheEvent, Caches } from '../../client/cache.ts';
import { type Controller, mapped, owned, primary } from '../../runtime/controller.ts';
import { orphaned } from '../../workloads/watch.ts';
import { type Observed, observe } from './observe.ts';
import { plan } from './plan.ts';

/** Pods with a name, an order and storage of their own. */
export const statefulsetController: Controller<Observed> = {
  name: 'statefulset',
  watches: [
    primary(statefulsets),
    owned(pods, statefulsets),
    orphaned(pods, statefulsets),
    owned(controllerrevisions, statefulsets),
    orphaned(controllerrevisions, statefulsets),
    mapped(persistentvolumeclaims, setsUsing),
  ],
  observe,
  plan,
};

/** A claim wakes the sets whose pods use it: they may wait for it to go, or have to make it again. */
export function* setsUsing({ object }: CacheEvent<PersistentVolumeClaim>, caches: Caches): Iterable<Key> {
  for (const set of caches.of(statefulsets).inNamespace(object.metadata.namespace ?? ''))
    if (uses(set, object.metadata.name)) yield keyOf(set);
}

function uses({ metadata, spec }: StatefulSet, claim: string): boolean {
  return (spec.volumeClaimTemplates ?? []).some((template) => {
    const prefix = `${template.metadata.name}-${metadata.name}-`;
    return claim.startsWith(prefix) && /^\d+$/.test(claim.slice(prefix.length));
  });
}
