import { mergeConditions } from '../../api/conditions.ts';
import type { HorizontalPodAutoscalerCondition } from '../../api/generated/autoscaling-v2.ts';
import { toTimestamp } from '../../base/clock.ts';

export interface Finding {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The conditions after new findings. Later ones win. */
export function withFindings(
  before: readonly HorizontalPodAutoscalerCondition[],
  findings: readonly Finding[],
  nowMs: number,
): readonly HorizontalPodAutoscalerCondition[] {
  const said = findings.map(({ isTrue, ...finding }) => ({ ...finding, status: isTrue ? 'True' : 'False' }));
  return mergeConditions(before, said, toTimestamp(nowMs));
}
