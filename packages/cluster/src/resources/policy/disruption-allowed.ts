import { mergeConditions } from '../../api/conditions.ts';
import type { Condition } from '../../api/generated/meta-v1.ts';

export interface Allowance {
  readonly before: readonly Condition[] | undefined;
  readonly disruptionsAllowed: number;
  /** The version of the budget that was looked at. */
  readonly generation: number | undefined;
  /** Why it is not known how many may go. */
  readonly failure?: string | undefined;
  readonly now: string;
}

/** The conditions of a budget of which so many pods may go: what its controller writes, and whoever spends the last one. */
export function disruptionConditions({
  before,
  disruptionsAllowed,
  generation,
  failure,
  now,
}: Allowance): readonly Condition[] {
  const isAllowed = disruptionsAllowed > 0;
  const condition = {
    type: 'DisruptionAllowed',
    status: isAllowed ? 'True' : 'False',
    reason: failure !== undefined ? 'SyncFailed' : isAllowed ? 'SufficientPods' : 'InsufficientPods',
    message: failure ?? '',
    ...(generation !== undefined && generation > 0 && { observedGeneration: generation }),
  };
  return mergeConditions(before, [condition], now);
}
