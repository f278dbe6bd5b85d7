/** When whoever was refused is to come again, by how many were refused lately. Time is said with every call. */

/** As upstream: no client is sent away for longer. */
const secondsMax = 32;
/** Refusals for each second of the time that clients were told. */
const manyPerSecond = 3;

interface Told {
  seconds: number;
  /** When it was last changed or looked at. */
  sinceMs: number;
  /** Refusals since then. */
  count: number;
}

export interface RetryAfter {
  /** One more was refused at a level. Returns the seconds to tell it. */
  refuse(level: string, nowMs: number): number;
}

/**
 * One second at first. Where many are refused for as long as they were told, they did not stay away for long enough: it doubles. Each second
 * in which hardly anybody is refused takes one off again.
 */
export function createRetryAfter(): RetryAfter {
  const levels = new Map<string, Told>();
  return {
    refuse(level, nowMs) {
      const told = levels.get(level) ?? { seconds: 1, sinceMs: nowMs, count: 0 };
      levels.set(level, told);
      const forMs = nowMs - told.sinceMs;
      if (forMs >= told.seconds * 1_000) {
        told.seconds = next(told, forMs / 1_000);
        told.sinceMs = nowMs;
        told.count = 0;
      }
      told.count++;
      return told.seconds;
    },
  };
}

function next({ seconds, count }: Told, forSeconds: number): number {
  if (count >= manyPerSecond * forSeconds) return Math.min(secondsMax, 2 * seconds);
  return count < forSeconds ? Math.max(1, seconds - Math.floor(forSeconds)) : seconds;
}
