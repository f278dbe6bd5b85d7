import type { Key } from '../api/meta.ts';
import { type Backoff, backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { onAbort } from '../base/signal.ts';
import type { QueueFigure } from './plane-figures.ts';

/**
 * Keys that wait for a run. A key waits once, however often it is added; it runs in one place at a time; what is added
 * while it runs makes it run once more. Guarantees no order between keys but first come, first served.
 */
export interface Workqueue {
  readonly size: number;
  /** Since when the first of those that wait has waited. */
  readonly oldestMs: number | undefined;
  /** Keys whose last run failed. */
  readonly failing: number;
  /** Whether nothing waits, nothing runs, and no retry is due before someone adds a key. */
  readonly isIdle: boolean;
  add(key: Key): void;
  addAfter(key: Key, delayMs: number): void;
  /** The next key; it is this caller's until `done` or `retry`. Gives way for one macrotask first. */
  take(options: { readonly signal: AbortSignal }): Promise<Key>;
  /** `restMs`: whoever adds it before then adds it for then. */
  done(key: Key, options?: { readonly againInMs?: number | undefined; readonly restMs?: number }): void;
  /** Done without success: comes back after a wait that grows with each failure in a row. */
  retry(key: Key): void;
  /** Failures in a row. */
  failures(key: Key): number;
  /** Nothing of it keeps a process alive any more: what would have come back later waits now, for whoever takes next. */
  stop(): void;
}

export interface WorkqueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff?: Backoff;
  /** Undefined: nobody counts. */
  readonly figure?: QueueFigure | undefined;
}

/** 5 ms doubling as upstream, but never longer than a minute: nobody wants to wait a quarter of an hour for a mended object. */
const defaultBackoff: Backoff = { initialMs: 5, maxMs: 60_000, factor: 2, jitter: 0.1 };

export function createWorkqueue({ clock, random, backoff = defaultBackoff, figure }: WorkqueueOptions): Workqueue {
  const failures = new Map<Key, number>();
  const takers: (() => void)[] = [];
  const keys = createKeys({ clock, figure, waits: () => takers.shift()?.() });
  const later = createDelay(clock, keys.add);
  const rests = createDelay(clock, keys.release);
  return {
    get size() {
      return keys.waiting.size;
    },
    get oldestMs() {
      const [sinceMs] = keys.waiting.values();
      return sinceMs;
    },
    get failing() {
      return failures.size;
    },
    get isIdle() {
      return keys.waiting.size === 0 && keys.running.size === 0 && failures.size === 0;
    },
    add: keys.add,
    addAfter: later.after,
    async take({ signal }) {
      // In process a whole round of work resolves in microtasks; without this turn the queue would starve the caches.
      await clock.turn();
      for (;;) {
        signal.throwIfAborted();
        later.start();
        rests.start();
        const key = keys.next();
        if (key !== undefined) return key;
        await arrival(takers, signal);
      }
    },
    done(key, { againInMs, restMs = 0 } = {}) {
      failures.delete(key);
      if (againInMs !== undefined) later.after(key, againInMs);
      if (restMs > 0) {
        keys.rest(key);
        rests.after(key, restMs);
      } else keys.release(key);
    },
    retry(key) {
      const attempt = (failures.get(key) ?? 0) + 1;
      failures.set(key, attempt);
      figure?.retried();
      later.after(key, backoffMs(backoff, { attempt, random }));
      keys.release(key);
    },
    failures: (key) => failures.get(key) ?? 0,
    stop() {
      rests.stop();
      later.stop();
    },
  };
}

interface Keys {
  /** Each with the moment since which it waits. */
  readonly waiting: ReadonlyMap<Key, number>;
  /** Each with the moment since which it runs, where somebody counts. */
  readonly running: ReadonlyMap<Key, number>;
  add(key: Key): void;
  /** The one that waits longest, which runs from now on. */
  next(): Key | undefined;
  /** It runs no more, and is not to be taken yet. */
  rest(key: Key): void;
  /** It runs no more, and rests no more. */
  release(key: Key): void;
}

interface KeysOptions extends Pick<WorkqueueOptions, 'clock' | 'figure'> {
  /** Called when one waits. */
  waits(): void;
}

function createKeys({ clock, figure, waits }: KeysOptions): Keys {
  const waiting = new Map<Key, number>();
  const running = new Map<Key, number>();
  const resting = new Set<Key>();
  const dirty = new Set<Key>();
  const add = (key: Key): void => {
    if (running.has(key) || resting.has(key)) {
      dirty.add(key);
      return;
    }
    if (!waiting.has(key)) {
      waiting.set(key, clock.nowMs());
      figure?.added();
    }
    waits();
  };
  const end = (key: Key): void => {
    if (figure !== undefined) figure.worked(clock.nowMs() - (running.get(key) ?? 0));
    running.delete(key);
  };
  if (figure !== undefined) figure.seen = { depth: () => waiting.size, running: () => running.values() };
  return {
    ...{ waiting, running, add },
    next() {
      const [key] = waiting.keys();
      if (key === undefined) return undefined;
      const nowMs = figure === undefined ? 0 : clock.nowMs();
      figure?.waited(nowMs - (waiting.get(key) ?? nowMs));
      waiting.delete(key);
      running.set(key, nowMs);
      return key;
    },
    rest(key) {
      end(key);
      resting.add(key);
    },
    release(key) {
      if (!resting.delete(key)) end(key);
      if (dirty.delete(key)) add(key);
    },
  };
}

interface Delay {
  after(key: Key, delayMs: number): void;
  /** What is due later is done now, and so is what comes after that. */
  stop(): void;
  /** As before `stop`. */
  start(): void;
}

/** Does something with keys later; of several wishes for one key the nearest moment wins. */
function createDelay(clock: Clock, work: (key: Key) => void): Delay {
  const delayed = new Map<Key, { readonly dueMs: number; readonly cancel: () => void }>();
  let isStopped = false;
  return {
    after(key, delayMs) {
      if (isStopped) {
        work(key);
        return;
      }
      const dueMs = clock.nowMs() + delayMs;
      const earlier = delayed.get(key);
      if (earlier !== undefined && earlier.dueMs <= dueMs) return;
      earlier?.cancel();
      const cancel = clock.after(delayMs, () => {
        delayed.delete(key);
        work(key);
      });
      delayed.set(key, { dueMs, cancel });
    },
    stop() {
      isStopped = true;
      for (const [key, { cancel }] of delayed) {
        cancel();
        work(key);
      }
      delayed.clear();
    },
    start() {
      isStopped = false;
    },
  };
}

function arrival(takers: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const take = (): void => {
      stop();
      resolve();
    };
    const stop = onAbort(signal, () => {
      takers.splice(takers.indexOf(take), 1);
      reject(signal.reason);
    });
    takers.push(take);
  });
}
