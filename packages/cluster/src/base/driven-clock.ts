import { assert } from './assert.ts';
import { type Clock, systemClock } from './clock.ts';
import { createHeap } from './heap.ts';

/**
 * A clock that stands still until somebody moves it, for a plane that serves others meanwhile. What needs no time goes on: loops
 * take their turns and requests are answered. Unlike the virtual clock of tests it lives beside sockets and disks, so two runs
 * are alike only as far as those are.
 */
export interface DrivenClock extends Clock {
  /** Where it is being moved to; undefined: it stands. */
  readonly targetMs: number | undefined;
  /**
   * Lets everything up to `targetMs` fall due, in the order of its time. After each moment it waits until nobody takes a turn any
   * more and `settled` has resolved, and then for `paceMs` of real time. When the signal aborts it stops where it is.
   */
  moveTo(targetMs: number, options?: Moving): Promise<void>;
}

export interface Moving {
  readonly paceMs?: number;
  readonly signal?: AbortSignal;
}

export interface DrivenClockOptions {
  readonly startMs: number;
  /** Resolves when nothing of the plane is on its way to a disk or the like. The default is at once. */
  readonly settled?: () => Promise<void>;
  /** What passes while this one stands. */
  readonly real?: Clock;
}

interface Timer {
  readonly dueMs: number;
  readonly sequence: number;
  work: (() => void) | undefined;
}

export function createDrivenClock({ startMs, settled, real = systemClock }: DrivenClockOptions): DrivenClock {
  const timers = createHeap<Timer>((a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence));
  let nowMs = startMs;
  let sequence = 0;
  let turns = 0;
  let targetMs: number | undefined;

  const settle = async (): Promise<void> => {
    for (let seen = -1; seen !== turns; ) {
      seen = turns;
      await settled?.();
      // Two: whoever is woken by the end of a turn may only then ask for the next.
      await real.turn();
      await real.turn();
    }
  };

  const runDue = (): void => {
    for (let next = timers.peek(); next !== undefined && next.dueMs <= nowMs; next = timers.peek()) {
      timers.pop();
      next.work?.();
    }
  };

  const pause = (paceMs: number): Promise<void> =>
    paceMs === 0 ? Promise.resolve() : new Promise((resolve) => void real.after(paceMs, resolve));

  const moveTo = async (toMs: number, { paceMs = 0, signal }: Moving = {}): Promise<void> => {
    assert(toMs >= nowMs, 'time only goes forward', { toMs, nowMs });
    assert(targetMs === undefined, 'a clock is moved by one at a time', { targetMs });
    targetMs = toMs;
    try {
      await settle();
      while (signal?.aborted !== true) {
        const next = timers.peek();
        if (next === undefined || next.dueMs > toMs) {
          nowMs = toMs;
          return;
        }
        nowMs = Math.max(nowMs, next.dueMs);
        runDue();
        await settle();
        await pause(paceMs);
      }
    } finally {
      targetMs = undefined;
    }
  };

  return {
    nowMs: () => nowMs,
    after(delayMs, work) {
      const timer: Timer = { dueMs: nowMs + Math.max(0, delayMs), sequence: sequence++, work };
      timers.push(timer);
      return () => {
        timer.work = undefined;
      };
    },
    turn() {
      turns++;
      return real.turn();
    },
    get targetMs() {
      return targetMs;
    },
    moveTo,
  };
}
