import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { podAvailable, podReady } from '../../resources/core/pod/facts.ts';

/** A refusal of the API, as it stands in the condition `ReplicaFailure`. */
export interface Refusal {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

export interface StatusFacts {
  readonly active: readonly Pod[];
  readonly refusal: Refusal | undefined;
  readonly nowMs: number;
}

export function statusOf(replicaset: ReplicaSet, { active, refusal, nowMs }: StatusFacts): ReplicaSetStatus {
  const { minReadySeconds = 0, template } = replicaset.spec;
  const labels = Object.entries(template?.metadata?.labels ?? {});
  let fullyLabeled = 0;
  let ready = 0;
  let available = 0;
  for (const pod of active) {
    if (labels.every(([key, value]) => pod.metadata.labels?.[key] === value)) fullyLabeled++;
    if (!podReady(pod)) continue;
    ready++;
    if (podAvailable(pod, minReadySeconds, nowMs)) available++;
  }
  const conditions = conditionsOf(replicaset.status?.conditions ?? [], { refusal, nowMs });
  const { generation } = replicaset.metadata;
  return {
    replicas: active.length,
    ...(fullyLabeled > 0 && { fullyLabeledReplicas: fullyLabeled }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    ...(generation !== undefined && { observedGeneration: generation }),
    ...(conditions.length > 0 && { conditions }),
  };
}

function conditionsOf(
  before: readonly ReplicaSetCondition[],
  { refusal, nowMs }: { readonly refusal: Refusal | undefined; readonly nowMs: number },
): readonly ReplicaSetCondition[] {
  const others = before.filter(({ type }) => type !== 'ReplicaFailure');
  if (refusal === undefined) return others;
  // The first words stay, as upstream's do: the next refusal names another pod, and a status that changes with every try
  // would wake the next one at once.
  const known = before.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  const first = { type: 'ReplicaFailure', status: 'True', lastTransitionTime: toTimestamp(nowMs), ...refusal };
  return [...others, known ?? first];
}
