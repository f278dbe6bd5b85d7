import type { ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { pods, replicasets } from '../../api/generated/kinds.ts';
import { controllerOf, type Key } from '../../api/meta.ts';
import type { Caches } from '../../client/cache.ts';
import { isPodActive } from '../../resources/core/pod/facts.ts';
import { type Controller, type Failure, owned, primary } from '../../runtime/controller.ts';
import { claimFrom } from '../../workloads/claim.ts';
import { orphanPods } from '../../workloads/indexes.ts';
import { orphaned } from '../../workloads/watch.ts';
import { type Memory, type Observed, plan, wantedReplicas } from './plan.ts';

/** A number of like pods. */
export const replicasetController: Controller<Observed, Memory> = {
  name: 'replicaset',
  watches: [primary(replicasets), owned(pods, replicasets), orphaned(pods, replicasets)],
  observe,
  plan,
  remember,
};

export function observe(key: Key, caches: Caches, memory: Memory | undefined): Observed | undefined {
  const replicaset = caches.of(replicasets).get(key);
  if (replicaset === undefined) return undefined;
  const claims = claimFrom(replicaset, { type: pods, orphans: orphanPods, caches });
  const active = claims.claimed.filter(isPodActive).length;
  const related = active > wantedReplicas(replicaset) ? relatedPods(replicaset, caches) : [];
  return { replicaset, pods: claims, related, refusal: memory?.refusal };
}

/** The pods of all ReplicaSets of the same Deployment: during a rollout they stand in for each other. */
function relatedPods(replicaset: ReplicaSet, caches: Caches): readonly Pod[] {
  const owner = controllerOf(replicaset);
  const siblings = owner === undefined ? [replicaset] : caches.of(replicasets).ownedBy(owner.uid);
  return siblings.flatMap(({ metadata }) => caches.of(pods).ownedBy(metadata.uid));
}

/** The first refused pod explains why there are too few or too many. */
export function remember(_memory: Memory | undefined, failures: readonly Failure[]): Memory | undefined {
  for (const { action, message } of failures) {
    if (action.do === 'create') return { refusal: { reason: 'FailedCreate', message } };
    if (action.do === 'delete') return { refusal: { reason: 'FailedDelete', message } };
  }
  return undefined;
}
