import type { Clock } from '../../base/clock.ts';
import { createHeap } from '../../base/heap.ts';

/**
 * A moment per name, and one timer for all of them. Moving a deadline to later, which happens ten thousand times a second
 * in a large cluster, costs one write to a map: the heap is put right when the old moment comes.
 */
export interface Deadlines {
  set(name: string, dueMs: number): void;
  clear(name: string): void;
  /** Whether the name's deadline has come. False for a name without one. */
  isPast(name: string): boolean;
  /** Cancels the timer. */
  stop(): void;
}

export interface DeadlinesOptions {
  readonly clock: Clock;
  /** Called once for each deadline that comes. */
  due(name: string): void;
}

interface Entry {
  readonly name: string;
  readonly dueMs: number;
}

export function createDeadlines({ clock, due }: DeadlinesOptions): Deadlines {
  const deadlines = new Map<string, number>();
  /** When the heap will look at a name: never later than its deadline. */
  const lookedAtMs = new Map<string, number>();
  const heap = createHeap<Entry>((a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.name < b.name));
  let armed: { readonly dueMs: number; readonly cancel: () => void } | undefined;

  const arm = (): void => {
    const first = heap.peek();
    if (first === undefined || (armed !== undefined && armed.dueMs <= first.dueMs)) return;
    armed?.cancel();
    armed = { dueMs: first.dueMs, cancel: clock.after(first.dueMs - clock.nowMs(), fire) };
  };

  const push = (name: string, dueMs: number): void => {
    lookedAtMs.set(name, dueMs);
    heap.push({ name, dueMs });
  };

  const fire = (): void => {
    armed = undefined;
    const nowMs = clock.nowMs();
    for (let entry = heap.peek(); entry !== undefined && entry.dueMs <= nowMs; entry = heap.peek()) {
      heap.pop();
      // A deadline that moved to earlier has left an entry behind.
      if (lookedAtMs.get(entry.name) !== entry.dueMs) continue;
      lookedAtMs.delete(entry.name);
      const dueMs = deadlines.get(entry.name);
      if (dueMs === undefined) continue;
      if (dueMs > nowMs) push(entry.name, dueMs);
      else due(entry.name);
    }
    arm();
  };

  return {
    set(name, dueMs) {
      deadlines.set(name, dueMs);
      const looked = lookedAtMs.get(name);
      if (looked !== undefined && looked <= dueMs) return;
      push(name, dueMs);
      arm();
    },
    clear(name) {
      deadlines.delete(name);
    },
    isPast: (name) => (deadlines.get(name) ?? Number.POSITIVE_INFINITY) <= clock.nowMs(),
    stop() {
      armed?.cancel();
      armed = undefined;
    },
  };
}
