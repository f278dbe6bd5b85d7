/** How many pods there should be, as their controllers say: what percentages of a budget are of. */

import type { Pod } from '../../api/generated/core-v1.ts';
import {
  daemonsets,
  deployments,
  replicasets,
  replicationcontrollers,
  statefulsets,
} from '../../api/generated/kinds.ts';
import { isOfKind, type ResourceType } from '../../api/gvk.ts';
import { controllerOf, type KubeObject, type OwnerReference } from '../../api/meta.ts';
import type { Caches } from '../../client/cache.ts';

/** The size of one workload that has pods in the budget; or why it is not known. */
export type Workload = { readonly uid: string; readonly replicas: number } | { readonly problem: string };

/** A workload that nobody follows here: the API is to be asked for its scale. */
export interface Unread {
  readonly unread: OwnerReference;
  /** One of its pods. */
  readonly pod: string;
}

/** Workloads whose pods a percentage can be of, and that are followed anyway. */
export const workloadTypes: readonly ResourceType[] = [
  replicasets as ResourceType,
  deployments as ResourceType,
  statefulsets as ResourceType,
  daemonsets as ResourceType,
  replicationcontrollers as ResourceType,
];

/** Each workload once. Pods without a controller are left out: nobody says how many of them there should be. */
export function workloadsOf(pods: readonly Pod[], caches: Caches): readonly (Workload | Unread)[] {
  const seen = new Set<string>();
  const workloads = new Map<string, Workload | Unread>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined || seen.has(owner.uid)) continue;
    seen.add(owner.uid);
    const workload = workloadOf(owner, { pod, caches });
    workloads.set('uid' in workload ? workload.uid : owner.uid, workload);
  }
  return [...workloads.values()];
}

/** What is to be said of a pod whose controller is not there, or is another one of its name. */
export function noController(pod: string): Workload {
  return { problem: `found no controllers for pod "${pod}"` };
}

interface Place {
  readonly pod: Pod;
  readonly caches: Caches;
}

function workloadOf(reference: OwnerReference, { pod, caches }: Place): Workload | Unread {
  const { namespace, name } = pod.metadata;
  const type = workloadTypes.find((each) => isOfKind(reference, each));
  if (type === undefined) return { unread: reference, pod: name };
  const found = caches.of(type).get(`${namespace}/${reference.name}`);
  if (found?.metadata.uid !== reference.uid) return noController(name);
  // The top of the chain: a Deployment speaks for its ReplicaSets.
  const above = isOfKind(found, replicasets) ? controllerOf(found) : undefined;
  if (above !== undefined && isOfKind(above, deployments)) return workloadOf(above, { pod, caches });
  return { uid: found.metadata.uid, replicas: replicasOf(found) };
}

function replicasOf(workload: KubeObject): number {
  const { spec, status } = workload as KubeObject & {
    readonly spec?: { readonly replicas?: number };
    readonly status?: { readonly desiredNumberScheduled?: number };
  };
  if (isOfKind(workload, daemonsets)) return status?.desiredNumberScheduled ?? 0;
  return spec?.replicas ?? 1;
}
