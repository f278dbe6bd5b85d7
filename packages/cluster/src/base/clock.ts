import { onAbort } from './signal.ts';

/**
 * Time as a parameter. Everything that reads or waits for time takes a Clock, so that a whole cluster can run on a
 * virtual one. All times are milliseconds since the Unix epoch.
 */
export interface Clock {
  nowMs(): number;
  /** Runs `work` once, `delayMs` from now. Returns how to cancel it. */
  after(delayMs: number, work: () => void): () => void;
  /**
   * Gives way for one macrotask. In process everything else resolves in microtasks, so whoever loops without waiting
   * for time starves the rest unless it takes a turn.
   */
  turn(): Promise<void>;
}

/** Node runs a timer beyond this (24 days) at once instead of late. */
const timerMsMax = 2_147_483_647;

/** The computer's clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, work) {
    let cancel: () => void = () => undefined;
    const wait = (leftMs: number): void => {
      const timer =
        leftMs > timerMsMax ? setTimeout(() => wait(leftMs - timerMsMax), timerMsMax) : setTimeout(work, leftMs);
      cancel = () => clearTimeout(timer);
    };
    wait(delayMs);
    return () => cancel();
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};

/** Waits `delayMs`; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, delayMs: number, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const cancel = clock.after(delayMs, () => {
      stop();
      resolve();
    });
    const stop = onAbort(signal, () => {
      cancel();
      reject(signal.reason);
    });
  });
}

/** The wire form of a time: RFC 3339 in UTC, whole seconds. */
export function toTimestamp(timeMs: number): string {
  const second = Math.floor(timeMs / 1000);
  if (second !== lastTimestamp.second)
    lastTimestamp = { second, text: `${new Date(timeMs).toISOString().slice(0, 19)}Z` };
  return lastTimestamp.text;
}

/** Under load thousands of times of one second are written one after the other. */
let lastTimestamp = { second: Number.NaN, text: '' };

/** The wire form of a MicroTime: RFC 3339 in UTC with six decimals. */
export function toMicroTimestamp(timeMs: number): string {
  if (timeMs !== lastMicroTimestamp.timeMs)
    lastMicroTimestamp = { timeMs, text: `${new Date(timeMs).toISOString().slice(0, 23)}000Z` };
  return lastMicroTimestamp.text;
}

/** A fleet gives hundreds of signs of life in a moment: they share one text. */
let lastMicroTimestamp = { timeMs: Number.NaN, text: '' };

/** NaN when the text is no time. */
export function fromTimestamp(text: string): number {
  return Date.parse(text);
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * For what people and clients write: NaN for other forms, too, and for the 30th of February and the 24th hour, which
 * JavaScript takes for a moment of the next day or month, and Go for none.
 */
export function fromStrictTimestamp(text: string): number {
  if (!rfc3339.test(text) || text.startsWith('24', 11)) return Number.NaN;
  const day = Number(text.slice(8, 10));
  const exists = day <= 28 || new Date(text.slice(0, 10)).getUTCDate() === day;
  return exists ? Date.parse(text) : Number.NaN;
}
