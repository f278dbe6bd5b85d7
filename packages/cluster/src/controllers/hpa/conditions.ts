import type { HorizontalPodAutoscalerCondition } from '../../api/generated/autoscaling-v2.ts';
import { toTimestamp } from '../../base/clock.ts';

export interface Finding {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The conditions after new findings; a time of transition moves only with the status. Later findings win. */
export function withFindings(
  before: readonly HorizontalPodAutoscalerCondition[],
  findings: readonly Finding[],
  nowMs: number,
): readonly HorizontalPodAutoscalerCondition[] {
  const conditions = new Map(before.map((each) => [each.type, each]));
  for (const { type, isTrue, reason, message } of findings) {
    const status = isTrue ? 'True' : 'False';
    const known = before.find((each) => each.type === type);
    const since = known?.status === status ? known.lastTransitionTime : undefined;
    conditions.set(type, { type, status, reason, message, lastTransitionTime: since ?? toTimestamp(nowMs) });
  }
  return [...conditions.values()];
}
