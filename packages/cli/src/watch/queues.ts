import type { Clock, QueueFigures, RuntimeObserver } from '@signalbox/cluster';

/** The queues of all parts that work. */
export interface Queues extends RuntimeObserver {
  figures(): readonly NamedQueue[];
}

export interface NamedQueue {
  readonly component: string;
  readonly size: number;
  readonly failing: number;
  /** How long the first key has waited; 0: none does. */
  readonly oldestAgeMs: number;
  /** Since when no run has ended, or none began. */
  readonly restingMs: number;
}

export function createQueues(clock: Clock): Queues {
  const working = new Map<string, { readonly queue: QueueFigures; ranMs: number }>();
  return {
    works(component, queue) {
      const entry = { queue, ranMs: clock.nowMs() };
      working.set(component, entry);
      return () => {
        // Its next life may have begun already.
        if (working.get(component) === entry) working.delete(component);
      };
    },
    ran({ component, endedMs }) {
      const entry = working.get(component);
      if (entry !== undefined) entry.ranMs = endedMs;
    },
    acts: () => () => undefined,
    figures() {
      const nowMs = clock.nowMs();
      return [...working].map(([component, { queue, ranMs }]) => ({
        component,
        size: queue.size,
        failing: queue.failing,
        oldestAgeMs: queue.oldestMs === undefined ? 0 : nowMs - queue.oldestMs,
        restingMs: nowMs - ranMs,
      }));
    },
  };
}
