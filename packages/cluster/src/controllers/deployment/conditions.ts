import { conditionOf, datedCondition } from '../../api/conditions.ts';
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

export function withoutCondition(conditions: Conditions, type: Finding['type']): Conditions {
  return conditions.filter((condition) => condition.type !== type);
}

/** Says something new, or nothing: the same status for the same reason keeps what stood there, times included. */
export function withCondition(conditions: Conditions, finding: Finding, nowMs: number): Conditions {
  const before = conditionOf(conditions, finding.type);
  if (before?.status === finding.status && before.reason === finding.reason) return conditions;
  return refreshed(conditions, finding, nowMs);
}

/** Says it again: `lastUpdateTime` tells when there was news last. As upstream has it, the newest stands last. */
export function refreshed(conditions: Conditions, finding: Finding, nowMs: number): Conditions {
  const now = toTimestamp(nowMs);
  const condition = datedCondition({ ...finding, lastUpdateTime: now }, { before: conditions, now });
  return [...withoutCondition(conditions, finding.type), condition];
}
