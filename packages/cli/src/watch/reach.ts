import type { AnsweredRequest, Clock, EndedWatch, RequestObserver } from '@signalbox/cluster';

/** Whether the API answers. Who holds a lease, or waits for one, asks it every few seconds. */
export interface Reach extends RequestObserver {
  /** For how long nothing has been answered but that it cannot be, or nothing at all; 0: it answers. */
  unreachableMs(): number;
}

/** An answer may take so long while nothing is wrong. */
const slowMs = 10_000;

export function createReach(clock: Clock): Reach {
  // Whoever gives a request up tells of no failure: so what counts is what was asked and is not answered.
  let askedSinceMs: number | undefined;
  let hasFailed = false;
  const saw = (code: number): void => {
    hasFailed = code === 503 || code === 504;
    if (hasFailed) askedSinceMs ??= clock.nowMs();
    else askedSinceMs = undefined;
  };
  return {
    asked() {
      askedSinceMs ??= clock.nowMs();
    },
    answered: ({ code }: AnsweredRequest) => saw(code),
    // A watch that ends by itself may have been silent because nobody was there.
    watchEnded: ({ code }: EndedWatch) => {
      if (code !== 200) saw(code);
    },
    unreachableMs() {
      const silentMs = askedSinceMs === undefined ? 0 : clock.nowMs() - askedSinceMs;
      return hasFailed || silentMs > slowMs ? silentMs : 0;
    },
  };
}
