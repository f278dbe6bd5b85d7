import { assert } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { createHeap } from '../base/heap.ts';

/**
 * A clock that stands still until it is told to move. Everything due runs in the order of its time, then of its
 * scheduling, so one seed gives one history. It can only drive work that waits for this clock and for promises: real
 * input and output would finish at a moment that it does not know.
 */
export interface VirtualClock extends Clock {
  /** Runs everything that needs no time to pass. */
  settle(): Promise<void>;
  /** Lets `deltaMs` pass and runs everything that falls due, in order. */
  advance(deltaMs: number): Promise<void>;
  /** Lets time pass until `isReached`; gives up with an error after `withinMs` of virtual time. */
  advanceUntil(isReached: () => boolean | Promise<boolean>, options: { readonly withinMs: number }): Promise<void>;
}

interface Timer {
  readonly dueMs: number;
  readonly sequence: number;
  work: (() => void) | undefined;
}

/** The default start is an arbitrary, fixed moment: 2026-01-01T00:00:00Z. */
export function createVirtualClock({ startMs = 1_767_225_600_000 }: { readonly startMs?: number } = {}): VirtualClock {
  const timers = createHeap<Timer>((a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence));
  let nowMs = startMs;
  let sequence = 0;
  let turns: (() => void)[] = [];

  const settle = async (): Promise<void> => {
    for (;;) {
      // A real macrotask begins only when no microtask is left: then everybody waits for this clock.
      await new Promise((resolve) => setImmediate(resolve));
      if (turns.length === 0) return;
      const due = turns;
      turns = [];
      for (const resolve of due) resolve();
    }
  };

  const runDue = async (untilMs: number): Promise<boolean> => {
    const first = timers.peek();
    if (first === undefined || first.dueMs > untilMs) return false;
    nowMs = Math.max(nowMs, first.dueMs);
    for (let next = timers.peek(); next !== undefined && next.dueMs <= nowMs; next = timers.peek()) {
      timers.pop();
      next.work?.();
    }
    await settle();
    return true;
  };

  const advance = async (deltaMs: number): Promise<void> => {
    assert(deltaMs >= 0, 'time only goes forward', { deltaMs });
    const targetMs = nowMs + deltaMs;
    await settle();
    while (await runDue(targetMs));
    nowMs = targetMs;
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
    turn: () => new Promise((resolve) => turns.push(resolve)),
    settle,
    advance,
    async advanceUntil(isReached, { withinMs }) {
      const deadlineMs = nowMs + withinMs;
      await settle();
      while (!(await isReached())) {
        if (!(await runDue(deadlineMs))) {
          nowMs = deadlineMs;
          if (await isReached()) return;
          throw new Error(`not reached within ${withinMs} ms of virtual time`);
        }
      }
    },
  };
}
