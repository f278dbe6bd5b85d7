import type { AnsweredRequest, Clock, EndedWatch, RequestObserver } from '@signalbox/cluster';

/** Whether the API answers. Who holds a lease, or waits for one, asks it every few seconds. */
export interface Reach extends RequestObserver {
  /** For how long nothing has been answered but that it cannot be; 0: it answers. */
  unreachableMs(): number;
}

export function createReach(clock: Clock): Reach {
  let failingSinceMs: number | undefined;
  const saw = (code: number): void => {
    if (code !== 503 && code !== 504) failingSinceMs = undefined;
    else failingSinceMs ??= clock.nowMs();
  };
  return {
    answered: ({ code }: AnsweredRequest) => saw(code),
    // A watch that ends by itself may have been silent because nobody was there.
    watchEnded: ({ code }: EndedWatch) => {
      if (code !== 200) saw(code);
    },
    unreachableMs: () => (failingSinceMs === undefined ? 0 : clock.nowMs() - failingSinceMs),
  };
}
