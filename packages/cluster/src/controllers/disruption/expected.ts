/** How many pods there should be, as their controllers say: what percentages of a budget are of. */

import type { Pod } from '../../api/generated/core-v1.ts';
import { daemonsets, deployments, replicasets, statefulsets } from '../../api/generated/kinds.ts';
import { isOfKind, type ResourceType } from '../../api/gvk.ts';
import { controllerOf, type KubeObject } from '../../api/meta.ts';
import type { Caches } from '../../client/cache.ts';

/** The size of one workload that has pods in the budget; or why it is not known. */
export type Workload = { readonly uid: string; readonly replicas: number } | { readonly problem: string };

/** Workloads whose pods a percentage can be of. */
export const workloadTypes: readonly ResourceType[] = [
  replicasets as ResourceType,
  deployments as ResourceType,
  statefulsets as ResourceType,
  daemonsets as ResourceType,
];

/** Each workload once. Pods without a controller are left out: nobody says how many of them there should be. */
export function workloadsOf(pods: readonly Pod[], caches: Caches): readonly Workload[] {
  const seen = new Set<string>();
  const workloads = new Map<string, Workload>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined || seen.has(owner.uid)) continue;
    seen.add(owner.uid);
    const workload = workloadOf(pod, caches);
    workloads.set('uid' in workload ? workload.uid : owner.uid, workload);
  }
  return [...workloads.values()];
}

/** The top of the chain: a Deployment speaks for its ReplicaSets. */
function workloadOf(object: KubeObject, caches: Caches): Workload {
  const owner = ownerOf(object, caches);
  if ('problem' in owner) return owner;
  if (isOfKind(owner, replicasets) && controllerOf(owner) !== undefined) return workloadOf(owner, caches);
  return { uid: owner.metadata.uid, replicas: replicasOf(owner) };
}

function ownerOf(object: KubeObject, caches: Caches): KubeObject | { readonly problem: string } {
  const reference = controllerOf(object);
  const type = reference && workloadTypes.find((each) => isOfKind(reference, each));
  if (reference === undefined || type === undefined)
    return {
      problem: `the size of ${reference?.kind} ${reference?.name} is not known here; set spec.minAvailable to a number`,
    };
  const found = caches.of(type).get(`${object.metadata.namespace}/${reference.name}`);
  if (found?.metadata.uid === reference.uid) return found;
  return { problem: `found no controllers for ${object.kind} "${object.metadata.name}"` };
}

function replicasOf(workload: KubeObject): number {
  const { spec, status } = workload as KubeObject & {
    readonly spec?: { readonly replicas?: number };
    readonly status?: { readonly desiredNumberScheduled?: number };
  };
  if (isOfKind(workload, daemonsets)) return status?.desiredNumberScheduled ?? 0;
  return spec?.replicas ?? 1;
}
