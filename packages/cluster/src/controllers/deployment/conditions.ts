import type { DeploymentCondition } from '../../api/generated/apps-v1.ts';
import { toTimestamp } from '../../base/clock.ts';

export type Conditions = readonly DeploymentCondition[];

/** A condition without its times. */
export interface Finding {
  readonly type: 'Progressing' | 'Available' | 'ReplicaFailure';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(conditions: Conditions, type: Finding['type']): DeploymentCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function withoutCondition(conditions: Conditions, type: Finding['type']): Conditions {
  return conditions.filter((condition) => condition.type !== type);
}

/** Says something new, or nothing: the same status for the same reason keeps what stood there, times included. */
export function withCondition(conditions: Conditions, finding: Finding, nowMs: number): Conditions {
  const before = conditionOf(conditions, finding.type);
  if (before?.status === finding.status && before.reason === finding.reason) return conditions;
  return refreshed(conditions, finding, nowMs);
}

/** Says it again: `lastUpdateTime` tells when there was news last. */
export function refreshed(conditions: Conditions, finding: Finding, nowMs: number): Conditions {
  const now = toTimestamp(nowMs);
  const before = conditionOf(conditions, finding.type);
  const since = before?.status === finding.status ? (before.lastTransitionTime ?? now) : now;
  const condition: DeploymentCondition = { ...finding, lastUpdateTime: now, lastTransitionTime: since };
  return [...withoutCondition(conditions, finding.type), condition];
}
