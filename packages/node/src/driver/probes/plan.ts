import type { Probe } from '@signalbox/cluster';

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

/** What a probe has found so far. */
export interface ProbeState {
  /** What the last results, enough of them in a row, say; undefined: not enough yet. */
  readonly verdict: boolean | undefined;
  /** Results of one kind in a row. */
  readonly inARow: { readonly success: boolean; readonly count: number } | undefined;
}

export const unprobed: ProbeState = { verdict: undefined, inARow: undefined };

/** One more result: a verdict changes after as many in a row as the probe's thresholds say. Upstream's defaults. */
export function withResult(
  before: ProbeState,
  success: boolean,
  { successThreshold = 1, failureThreshold = 3 }: Probe,
): ProbeState {
  const count = before.inARow?.success === success ? before.inARow.count + 1 : 1;
  const isEnough = count >= (success ? successThreshold : failureThreshold);
  return { verdict: isEnough ? success : before.verdict, inARow: { success, count } };
}

export interface ProbeTimes {
  readonly firstMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
}

export function probeTimes({ initialDelaySeconds = 0, periodSeconds = 10, timeoutSeconds = 1 }: Probe): ProbeTimes {
  return { firstMs: 1_000 * initialDelaySeconds, periodMs: 1_000 * periodSeconds, timeoutMs: 1_000 * timeoutSeconds };
}
