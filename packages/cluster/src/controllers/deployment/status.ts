import { conditionOf } from '../../api/conditions.ts';
import type { Deployment, ReplicaSet, ReplicaSetStatus } from '../../api/generated/apps-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import type { Budget } from './budget.ts';
import { type Conditions, type Finding, withCondition, withoutCondition } from './conditions.ts';
import type { Generations } from './generations.ts';
import type { Counts } from './progress.ts';

export function countsOf(
  { metadata }: Deployment,
  { generations, collisionCount }: { readonly generations: Generations; readonly collisionCount: number | undefined },
): Counts {
  const { current, old } = generations;
  const all = current === undefined ? old : [...old, current];
  const sum = (field: 'replicas' | 'readyReplicas' | 'availableReplicas'): number =>
    all.reduce((total, { status }) => total + ((status as ReplicaSetStatus | undefined)?.[field] ?? 0), 0);
  const available = sum('availableReplicas');
  // By the sizes, not by what is there: a pod that could not be created is unavailable, too.
  const wanted = all.reduce((total, { spec }) => total + (spec.replicas ?? 1), 0);
  const { generation } = metadata;
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    ...positive('replicas', sum('replicas')),
    ...positive('updatedReplicas', current?.status?.replicas ?? 0),
    ...positive('readyReplicas', sum('readyReplicas')),
    ...positive('availableReplicas', available),
    ...positive('unavailableReplicas', wanted - available),
    ...(collisionCount !== undefined && { collisionCount }),
  };
}

/** `Available`: enough serve, whatever revision they are. */
export function withAvailability(
  conditions: Conditions,
  { counts, budget, nowMs }: { readonly counts: Counts; readonly budget: Budget; readonly nowMs: number },
): Conditions {
  const isAvailable = (counts.availableReplicas ?? 0) >= budget.replicas - budget.maxUnavailable;
  const finding: Finding = isAvailable
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
  return withCondition(conditions, finding, nowMs);
}

/** `ReplicaFailure`, as the ReplicaSets report it; the newest first. */
export function withFailure(
  conditions: Conditions,
  { generations: { current, old }, nowMs }: { readonly generations: Generations; readonly nowMs: number },
): Conditions {
  const failure = failureOf(current) ?? old.map(failureOf).find((found) => found !== undefined);
  const others = withoutCondition(conditions, 'ReplicaFailure');
  if (failure === undefined) return others;
  const { reason = '', message = '', lastTransitionTime: sinceThen = toTimestamp(nowMs) } = failure;
  const before = conditionOf(conditions, 'ReplicaFailure');
  // What is told already stays where it stands, in its first words.
  if (before?.status === 'True' && before.reason === reason) return conditions;
  const lastTransitionTime = (before?.status === 'True' ? before.lastTransitionTime : undefined) ?? sinceThen;
  const times = { lastUpdateTime: sinceThen, lastTransitionTime };
  return [...others, { type: 'ReplicaFailure', status: 'True', reason, message, ...times }];
}

function failureOf(
  replicaset: ReplicaSet | undefined,
): { reason?: string; message?: string; lastTransitionTime?: string } | undefined {
  return replicaset?.status?.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
}

function positive(field: keyof Counts, count: number): Counts {
  return count > 0 ? { [field]: count } : {};
}
