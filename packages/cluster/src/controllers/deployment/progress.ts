import { conditionOf } from '../../api/conditions.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { type Conditions, type Finding, refreshed, withCondition, withoutCondition } from './conditions.ts';

/** Upstream's word for: no deadline. */
const noDeadline = 2_147_483_647;

/** What the counts say, without conditions. */
export type Counts = Omit<DeploymentStatus, 'conditions'>;

export interface ProgressFacts {
  readonly counts: Counts;
  readonly current: ReplicaSet | undefined;
  /** The template's ReplicaSet is made in this plan under this name. */
  readonly created: string | undefined;
  /** What the API said when it was to be made before. */
  readonly refusal: string | undefined;
  readonly nowMs: number;
}

export function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== noDeadline;
}

/** The condition `Progressing` after one more look at a rollout. */
export function progressed(deployment: Deployment, conditions: Conditions, facts: ProgressFacts): Conditions {
  if (!hasDeadline(deployment)) return withoutCondition(conditions, 'Progressing');
  const { counts, current, created, nowMs } = facts;
  if (created !== undefined) return withCondition(conditions, creation(created, facts), nowMs);
  const before = conditionOf(conditions, 'Progressing');
  if (before?.reason === createError && current !== undefined)
    return withCondition(conditions, creation(current.metadata.name, {}), nowMs);
  const isSettled = counts.replicas === counts.updatedReplicas && before?.reason === 'NewReplicaSetAvailable';
  if (isSettled) return conditions;
  const subject =
    current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
  if (isComplete(deployment, counts)) {
    const message = `${subject} has successfully progressed.`;
    return withCondition(conditions, progressing('True', 'NewReplicaSetAvailable', message), nowMs);
  }
  if (isMoving(deployment.status ?? {}, counts))
    return refreshed(conditions, progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`), nowMs);
  if (deadlineMs(deployment, conditions) < nowMs) {
    const message = `${subject} has timed out progressing.`;
    return withCondition(conditions, progressing('False', 'ProgressDeadlineExceeded', message), nowMs);
  }
  if (before !== undefined || current === undefined) return conditions;
  const message = `Found new replica set "${current.metadata.name}"`;
  return withCondition(conditions, progressing('True', 'FoundNewReplicaSet', message), nowMs);
}

const createError = 'ReplicaSetCreateError';

function creation(name: string, { refusal }: Partial<Pick<ProgressFacts, 'refusal'>>): Finding {
  return refusal === undefined
    ? progressing('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`)
    : progressing('False', createError, `Failed to create new replica set "${name}": ${refusal}`);
}

/** Pausing stops the deadline; resuming starts it anew. */
export function pausedOrResumed(deployment: Deployment, conditions: Conditions, nowMs: number): Conditions {
  const before = conditionOf(conditions, 'Progressing');
  if (!hasDeadline(deployment) || before?.reason === 'ProgressDeadlineExceeded') return conditions;
  const wasPaused = before?.reason === 'DeploymentPaused';
  const isPaused = deployment.spec.paused === true;
  if (isPaused === wasPaused) return conditions;
  return isPaused
    ? withCondition(conditions, progressing('Unknown', 'DeploymentPaused', 'Deployment is paused'), nowMs)
    : withCondition(conditions, progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed'), nowMs);
}

/** All replicas are up to date, there and serving, and no others are left. */
export function isComplete({ spec, metadata }: Deployment, counts: Counts): boolean {
  const replicas = spec.replicas ?? 1;
  return (
    (counts.updatedReplicas ?? 0) === replicas &&
    (counts.replicas ?? 0) === replicas &&
    (counts.availableReplicas ?? 0) === replicas &&
    (counts.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

/** When to look whether the deadline has passed; undefined when it does not run. */
export function deadlineInMs(deployment: Deployment, conditions: Conditions, nowMs: number): number | undefined {
  const atMs = deadlineMs(deployment, conditions);
  return atMs === Number.POSITIVE_INFINITY ? undefined : Math.max(0, atMs - nowMs) + 1_000;
}

function deadlineMs(deployment: Deployment, conditions: Conditions): number {
  const { progressDeadlineSeconds = noDeadline, paused } = deployment.spec;
  const condition = conditionOf(conditions, 'Progressing');
  if (!hasDeadline(deployment) || condition?.lastUpdateTime === undefined) return Number.POSITIVE_INFINITY;
  const { reason } = condition;
  if (paused === true || reason === 'NewReplicaSetAvailable' || reason === 'ProgressDeadlineExceeded')
    return Number.POSITIVE_INFINITY;
  return fromTimestamp(condition.lastUpdateTime) + progressDeadlineSeconds * 1_000;
}

function isMoving(before: Counts, after: Counts): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: Counts): number => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function progressing(status: Finding['status'], reason: string, message: string): Finding {
  return { type: 'Progressing', status, reason, message };
}
