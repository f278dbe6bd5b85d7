import type { Pod } from '../../api/generated/core-v1.ts';
import { fromTimestamp } from '../../base/clock.ts';

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Failed or Succeeded: its containers will not run again. */
export function isTerminal({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** When the pod last became ready; undefined when it is not ready. */
export function readySinceMs({ status }: Pod): number | undefined {
  for (const { type, status: holds, lastTransitionTime } of status?.conditions ?? [])
    if (type === 'Ready') {
      if (holds !== 'True' || lastTransitionTime === undefined) return undefined;
      return fromTimestamp(lastTransitionTime);
    }
  return undefined;
}

/**
 * Milliseconds until the first of the ready pods has been ready for `minReadySeconds`: nothing will happen in the API at
 * that moment, so the controller has to look again by itself. Undefined when there is nothing to wait for.
 */
export function nextAvailableInMs(
  pods: Iterable<Pod>,
  { minReadySeconds, nowMs }: { readonly minReadySeconds: number; readonly nowMs: number },
): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  let soonest: number | undefined;
  for (const pod of pods) {
    const sinceMs = isTerminating(pod) ? undefined : readySinceMs(pod);
    if (sinceMs === undefined) continue;
    const leftMs = sinceMs + minReadySeconds * 1_000 - nowMs;
    // A pod whose time has just come still gets a look: it may count from the next millisecond on.
    if (leftMs >= 0) soonest = Math.min(soonest ?? Number.POSITIVE_INFINITY, leftMs + 1);
  }
  return soonest;
}

/** The sooner of two optional delays. */
export function sooner(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}
