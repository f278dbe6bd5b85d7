import type { DrivenClock } from '@signalbox/cluster';

const stepMs = 1_000;

/** Lets the time of a plane pass until all is ready, second by second, at most for so long. */
export async function runUntilReady(
  clock: DrivenClock,
  { isReady, forMs, signal }: { readonly isReady: () => boolean; readonly forMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const endMs = clock.nowMs() + forMs;
  // Between two steps of a chain of controllers everything may look done.
  for (let calm = 0; calm < 2 && clock.nowMs() < endMs && !signal.aborted; calm = isReady() ? calm + 1 : 0)
    await clock.moveTo(Math.min(endMs, clock.nowMs() + stepMs), { signal });
}
