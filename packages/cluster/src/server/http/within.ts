import { failure, type Status, StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';

export interface Within<T> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  work(signal: AbortSignal): Promise<T>;
}

/** Gives up waiting after `limitMs` or when the signal aborts, and tells the work to stop. */
export function within<T>(limitMs: number, { clock, signal, work }: Within<T>): Promise<T> {
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    const giveUp = (reason: unknown): void => {
      controller.abort(reason);
      reject(reason);
    };
    const aborted = (): void => giveUp(signal.reason);
    const cancel = clock.after(limitMs, () => giveUp(new StatusError(timedOut())));
    const settle = (): void => {
      cancel();
      signal.removeEventListener('abort', aborted);
    };
    if (signal.aborted) aborted();
    else signal.addEventListener('abort', aborted, { once: true });
    work(controller.signal).then(resolve, reject).finally(settle);
  });
}

function timedOut(): Status {
  return failure(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {});
}
