import type { Pod } from '../api/generated/core-v1.ts';
import { fromTimestamp } from '../base/clock.ts';
import { podCondition } from '../resources/core/pod/facts.ts';

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** When the pod last became ready; undefined when it is not ready. */
export function readySinceMs(pod: Pod): number | undefined {
  const condition = podCondition(pod, 'Ready');
  if (condition?.status !== 'True' || condition.lastTransitionTime === undefined) return undefined;
  return fromTimestamp(condition.lastTransitionTime);
}

/**
 * Milliseconds until the first of the ready pods has been ready for `minReadySeconds`: nothing will happen in the API at
 * that moment, so the controller has to look again by itself. Undefined when there is nothing to wait for.
 */
export function nextAvailableInMs(
  pods: Iterable<Pod>,
  waiting: { readonly minReadySeconds: number; readonly nowMs: number },
): number | undefined {
  let soonest: number | undefined;
  if (waiting.minReadySeconds <= 0) return soonest;
  for (const pod of pods) if (!isTerminating(pod)) soonest = sooner(soonest, availableInMs(readySinceMs(pod), waiting));
  return soonest;
}

/** Undefined: it is, or nothing is known of when it will be. */
export function availableInMs(
  sinceMs: number | undefined,
  { minReadySeconds, nowMs }: { readonly minReadySeconds: number; readonly nowMs: number },
): number | undefined {
  if (sinceMs === undefined) return undefined;
  const leftMs = sinceMs + minReadySeconds * 1_000 - nowMs;
  return leftMs > 0 ? leftMs : undefined;
}

/** The sooner of two optional delays. */
export function sooner(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}
