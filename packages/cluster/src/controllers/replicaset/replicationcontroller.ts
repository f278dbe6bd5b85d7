import type { ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { ReplicationController } from '../../api/generated/core-v1.ts';
import { pods, replicationcontrollers } from '../../api/generated/kinds.ts';
import type { Key } from '../../api/meta.ts';
import type { Caches } from '../../client/cache.ts';
import { isPodActive } from '../../resources/core/pod/facts.ts';
import { type Controller, owned, primary } from '../../runtime/controller.ts';
import { claimFrom } from '../../workloads/claim.ts';
import { orphanPods } from '../../workloads/indexes.ts';
import { orphaned } from '../../workloads/watch.ts';
import { remember } from './controller.ts';
import { type Memory, type Observed, plan, wantedReplicas } from './plan.ts';

/** A number of like pods, as a ReplicaSet: one whose selector is a map of labels. */
export const replicationcontrollerController: Controller<Observed, Memory> = {
  name: 'replicationcontroller',
  source: 'replication-controller',
  watches: [
    primary(replicationcontrollers),
    owned(pods, replicationcontrollers),
    orphaned(pods, replicationcontrollers, { selecting: asReplicaSet }),
  ],
  observe,
  plan,
  remember,
};

export function observe(key: Key, caches: Caches, memory: Memory | undefined): Observed | undefined {
  const object = caches.of(replicationcontrollers).get(key);
  if (object === undefined) return undefined;
  const replicaset = asReplicaSet(object);
  const claims = claimFrom(replicaset, { type: pods, orphans: orphanPods, caches });
  const active = claims.claimed.filter(isPodActive).length;
  // Nobody stands behind it whose other pods could stand in for these.
  const related = active > wantedReplicas(replicaset) ? caches.of(pods).ownedBy(object.metadata.uid) : [];
  const original = { type: replicationcontrollers, object };
  return { replicaset, pods: claims, related, refusal: memory?.refusal, original };
}

const views = new WeakMap<ReplicationController, ReplicaSet>();

/** The same object with the selector of a ReplicaSet; one view for each version, so that its selector is compiled once. */
function asReplicaSet(controller: ReplicationController): ReplicaSet {
  let view = views.get(controller);
  if (view === undefined) {
    const { selector = {}, ...spec } = controller.spec;
    view = { ...controller, spec: { ...spec, selector: { matchLabels: selector } } } as unknown as ReplicaSet;
    views.set(controller, view);
  }
  return view;
}
