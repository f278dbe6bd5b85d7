import type { Clock } from '../base/clock.ts';
import { createHeap } from '../base/heap.ts';
import { onAbort } from '../base/signal.ts';

/**
 * One timer for a hundred thousand appointments. Each name has at most one; a new one replaces the old.
 */
export interface Agenda {
  set(name: string, dueMs: number): void;
  cancel(name: string): void;
  /** Waits for the next appointments and takes all that are due, in order of time. Empty when the signal aborts. */
  due(options: { readonly signal: AbortSignal }): Promise<readonly string[]>;
  /** How late the first of those was that were taken last. */
  readonly lateMs: number;
}

interface Appointment {
  readonly name: string;
  readonly dueMs: number;
  readonly sequence: number;
}

/** At most so many at once: the rest of the plane wants its turn too. */
const takenAtOnceMax = 256;

export function createAgenda(clock: Clock): Agenda {
  const heap = createHeap<Appointment>((a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence));
  const current = new Map<string, Appointment>();
  let sequence = 0;
  let lateMs = 0;
  let wake: (() => void) | undefined;

  const takeDue = (): readonly string[] => {
    const names: string[] = [];
    for (let first = heap.peek(); first !== undefined && names.length < takenAtOnceMax; first = heap.peek()) {
      const isCurrent = current.get(first.name) === first;
      if (isCurrent && first.dueMs > clock.nowMs()) break;
      heap.pop();
      if (!isCurrent) continue;
      current.delete(first.name);
      if (names.length === 0) lateMs = clock.nowMs() - first.dueMs;
      names.push(first.name);
    }
    return names;
  };

  return {
    get lateMs() {
      return lateMs;
    },
    set(name, dueMs) {
      const appointment = { name, dueMs, sequence: sequence++ };
      current.set(name, appointment);
      heap.push(appointment);
      if (heap.peek() === appointment) wake?.();
    },
    cancel: (name) => current.delete(name),
    async due({ signal }) {
      await clock.turn();
      while (!signal.aborted) {
        const names = takeDue();
        if (names.length > 0) return names;
        await new Promise<void>((resolve) => {
          const first = heap.peek();
          const end = (): void => {
            cancel?.();
            stop();
            resolve();
          };
          const cancel = first === undefined ? undefined : clock.after(first.dueMs - clock.nowMs(), end);
          const stop = onAbort(signal, end);
          wake = end;
        });
        wake = undefined;
      }
      return [];
    },
  };
}
