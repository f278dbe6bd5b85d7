import { failure, type Status, StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import { limitTime } from '../../base/limit.ts';
import { onAbort } from '../../base/signal.ts';

export interface Within<T> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  work(signal: AbortSignal): Promise<T>;
}

/** Gives up waiting after `limitMs` or when the signal aborts, and tells the work to stop. */
export function within<T>(limitMs: number, { clock, signal, work }: Within<T>): Promise<T> {
  const limit = limitTime(limitMs, { clock, signal, late: () => new StatusError(timedOut()) });
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(limit.signal.reason);
    const stop = onAbort(limit.signal, giveUp);
    if (limit.signal.aborted) giveUp();
    work(limit.signal)
      .then(resolve, reject)
      .finally(() => {
        stop();
        limit.release();
      });
  });
}

function timedOut(): Status {
  return failure(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {});
}
