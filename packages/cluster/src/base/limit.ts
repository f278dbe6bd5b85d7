import type { Clock } from './clock.ts';
import { abortWith } from './signal.ts';

/** A signal with a time: aborts with the one it was made from, or when the time is up. */
export interface Limit {
  readonly signal: AbortSignal;
  /** Starts the time anew, with another limit. */
  again(limitMs: number): void;
  /** Ends it, in time. Whoever makes a limit releases it, or its timer stays. */
  release(): void;
}

export interface Limiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The reason that the signal aborts with when the time is up. */
  late?(limitMs: number): Error;
}

export function limitTime(limitMs: number, { clock, signal, late = tooLong }: Limiting): Limit {
  const limited = new AbortController();
  const start = (ms: number): (() => void) => clock.after(Math.max(0, ms), () => limited.abort(late(ms)));
  let cancel = start(limitMs);
  const stop = abortWith(signal, limited);
  return {
    signal: limited.signal,
    again(ms) {
      cancel();
      cancel = start(ms);
    },
    release() {
      cancel();
      stop();
    },
  };
}

/** Gives the work so long. It has to heed the signal that it gets. */
export async function within<T>(
  limitMs: number,
  { work, ...limiting }: Limiting & { readonly work: (signal: AbortSignal) => Promise<T> },
): Promise<T> {
  const limit = limitTime(limitMs, limiting);
  try {
    return await work(limit.signal);
  } finally {
    limit.release();
  }
}

function tooLong(): Error {
  return new Error('it took too long');
}
