import type { ReplicaSet, ReplicaSetStatus } from '../../api/generated/apps-v1.ts';
import type { Pod, ReplicationController } from '../../api/generated/core-v1.ts';
import { pods as podsType, replicasets } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import { isPodActive } from '../../resources/core/pod/facts.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';
import { createPod, deletePod, statusIfChanged } from '../../workloads/actions.ts';
import { type Claims, claimActions } from '../../workloads/claim.ts';
import { nextAvailableInMs } from '../../workloads/phase.ts';
import { leastUsefulFirst } from '../../workloads/ranking.ts';
import { podFromTemplate } from '../../workloads/template.ts';
import { type Refusal, statusOf } from './status.ts';

export interface Observed {
  readonly replicaset: ReplicaSet;
  readonly pods: Claims<Pod>;
  /** See {@link leastUsefulFirst}; only filled when there are too many pods. */
  readonly related: readonly Pod[];
  /** What the API said no to last time. */
  readonly refusal: Refusal | undefined;
  /** What the status is written to, where the ReplicaSet is only how another kind is looked at. */
  readonly original?: { readonly type: ResourceType<ReplicationController>; readonly object: ReplicationController };
}

export interface Memory {
  readonly refusal: Refusal;
}

/** At most so many creates or deletes in one plan. */
const burst = 500;

export function plan(observed: Observed, nowMs: number): Plan<Memory> {
  const { replicaset, pods } = observed;
  if (replicaset.metadata.deletionTimestamp !== undefined) return nothingToDo;
  const active = pods.claimed.filter(isPodActive);
  const missing = wantedReplicas(replicaset) - active.length;
  const refusal = missing === 0 ? undefined : observed.refusal;
  const status = statusOf(replicaset, { active, refusal, nowMs });
  const { minReadySeconds = 0 } = replicaset.spec;
  return {
    actions: [
      ...claimActions(observed.original ?? { type: replicasets, object: replicaset }, { type: podsType, claims: pods }),
      ...(missing > 0 ? creations(replicaset, missing) : deletions(observed, { active, surplus: -missing, nowMs })),
      ...statusActions(observed, status),
    ],
    againInMs: nextAvailableInMs(active, { minReadySeconds, nowMs }),
  };
}

function statusActions({ replicaset, original }: Observed, status: ReplicaSetStatus): readonly Action[] {
  return original === undefined
    ? statusIfChanged(replicasets, { object: replicaset, status })
    : statusIfChanged(original.type, { object: original.object, status });
}

export function wantedReplicas({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

function creations(replicaset: ReplicaSet, missing: number): readonly Action[] {
  const pod = podFromTemplate(replicaset.spec.template ?? {}, { owner: replicaset });
  return Array.from({ length: Math.min(missing, burst) }, () => createPod(replicaset, pod));
}

function deletions(
  { replicaset, related }: Observed,
  { active, surplus, nowMs }: { readonly active: readonly Pod[]; readonly surplus: number; readonly nowMs: number },
): readonly Action[] {
  if (surplus === 0) return [];
  const ranked = leastUsefulFirst(active, { related, nowMs });
  return ranked.slice(0, Math.min(surplus, burst)).map((pod) => deletePod(replicaset, pod));
}
