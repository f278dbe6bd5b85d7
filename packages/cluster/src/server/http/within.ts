import { failure, type Status, StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import { onAbort } from '../../base/signal.ts';

export interface Within<T> {
  readonly clock: Clock;
  /** Of the work. It is aborted when the time is up. */
  readonly controller: AbortController;
  work(signal: AbortSignal): Promise<T>;
}

/** Gives up waiting after `limitMs` or when the work is aborted, and tells the work to stop. */
export function within<T>(limitMs: number, { clock, controller, work }: Within<T>): Promise<T> {
  const { signal } = controller;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    const cancel = clock.after(Math.max(0, limitMs), () => controller.abort(new StatusError(timedOut())));
    const stop = onAbort(signal, giveUp);
    if (signal.aborted) giveUp();
    const ended = (): void => {
      cancel();
      stop();
    };
    work(signal).then(
      (done) => {
        ended();
        resolve(done);
      },
      (error: unknown) => {
        ended();
        reject(error);
      },
    );
  });
}

function timedOut(): Status {
  return failure(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {});
}
