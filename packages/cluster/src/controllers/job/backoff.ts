import type { Pod } from '../../api/generated/core-v1.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { podCondition } from '../../resources/core/pod/facts.ts';

const firstWaitMs = 10_000;
const waitMsMax = 600_000;

/** Until the next pod may be made: twice as long after each failure, 10 s to 10 min. Zero or less: now. */
export function waitMs({
  failures,
  lastMs,
  nowMs,
}: {
  readonly failures: number;
  readonly lastMs: number;
  readonly nowMs: number;
}): number {
  if (failures === 0) return 0;
  return lastMs + Math.min(waitMsMax, firstWaitMs * 2 ** Math.min(failures - 1, 30)) - nowMs;
}

/**
 * How often pods have failed since the last one succeeded, and when the last of them did. It is read from the pods that are
 * there, not remembered, so that a controller which starts again waits as the one before would have.
 */
export function failuresSinceSuccess({
  succeeded,
  failed,
}: {
  readonly succeeded: readonly Pod[];
  readonly failed: readonly Pod[];
}): { readonly failures: number; readonly lastMs: number } {
  let successMs = Number.NEGATIVE_INFINITY;
  for (const pod of succeeded) successMs = Math.max(successMs, finishedMs(pod));
  let failures = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const pod of failed) {
    const endMs = finishedMs(pod);
    if (endMs < successMs) continue;
    failures++;
    lastMs = Math.max(lastMs, endMs);
  }
  return { failures, lastMs };
}

/** When the pod ended: its last container, else since when it is not ready, else when it was to end. */
export function finishedMs(pod: Pod): number {
  const ends = (pod.status.containerStatuses ?? []).map(({ state }) => state?.terminated?.finishedAt ?? '');
  if (ends.length > 0 && ends.every((end) => end !== '')) return Math.max(...ends.map(fromTimestamp));
  const ready = podCondition(pod, 'Ready');
  if (ready?.status === 'False' && ready.lastTransitionTime !== undefined)
    return fromTimestamp(ready.lastTransitionTime);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  if (deletionTimestamp === undefined) return fromTimestamp(creationTimestamp);
  return fromTimestamp(deletionTimestamp) - deletionGracePeriodSeconds * 1_000;
}
