import type { Clock } from '../base/clock.ts';
import { createHeap } from '../base/heap.ts';
import { isQuiet } from '../base/quiet.ts';
import { onAbort } from '../base/signal.ts';

/**
 * One timer for a hundred thousand appointments. Each name has at most one; a new one replaces the old, unless that is due already
 * and waits: whoever is told of often does not wait for ever.
 */
export interface Agenda {
  set(name: string, dueMs: number): void;
  cancel(name: string): void;
  /** Waits for the next appointments and takes all that are due, in order of time. Empty when the signal aborts. */
  due(options: { readonly signal: AbortSignal }): Promise<readonly string[]>;
  /** How late the first of those was that were taken last. */
  readonly lateMs: number;
}

/** All that is due at one time: signs of life share ticks, so of thousands of appointments few times are different. */
interface Moment {
  readonly dueMs: number;
  /** In the order in which they were made. A name that has another moment by now counts for nothing. */
  readonly names: string[];
  taken: number;
  /** How many names it still is the moment of. */
  current: number;
}

/** At most so many at once: the rest of the plane wants its turn too. */
const takenAtOnceMax = 256;
/** Of an agenda that gives way: what is done with them takes a few milliseconds, in which nobody else waits for long. */
const takenInQuietMax = 32;

export interface AgendaOptions {
  /**
   * So long what is due waits for a moment in which nobody else has anything to do: while a disk syncs, mostly. Absent: it does
   * not wait.
   */
  readonly patienceMs?: number;
}

export function createAgenda(clock: Clock, { patienceMs }: AgendaOptions = {}): Agenda {
  const moments = createMoments();
  let lateMs = 0;
  let wake: (() => void) | undefined;

  const take = (atOnceMax: number): readonly string[] => {
    const names: string[] = [];
    for (let first = moments.first(); first !== undefined && names.length < atOnceMax; first = moments.first()) {
      if (first.dueMs > clock.nowMs()) break;
      if (names.length === 0) lateMs = clock.nowMs() - first.dueMs;
      moments.take(first, { into: names, atOnceMax });
    }
    return names;
  };

  /** Until one is due that comes first by now, or the signal aborts. */
  const wait = (first: Moment | undefined, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel?.();
        stop();
        wake = undefined;
        resolve();
      };
      const cancel = first === undefined ? undefined : clock.after(first.dueMs - clock.nowMs(), end);
      const stop = onAbort(signal, end);
      wake = end;
    });

  return {
    get lateMs() {
      return lateMs;
    },
    set(name, dueMs) {
      if (moments.set(name, dueMs, clock.nowMs()) === 'comes first') wake?.();
    },
    cancel: moments.cancel,
    async due({ signal }) {
      await clock.turn();
      while (!signal.aborted) {
        const first = moments.first();
        const waitedMs = first === undefined ? -1 : clock.nowMs() - first.dueMs;
        if (waitedMs < 0) await wait(first, signal);
        else if (patienceMs === undefined || waitedMs >= patienceMs) return take(takenAtOnceMax);
        else if ((await isQuiet(clock)) && !signal.aborted) {
          const names = take(takenInQuietMax);
          // It may have been cancelled meanwhile.
          if (names.length > 0) return names;
        }
      }
      return [];
    },
  };
}

interface Taken {
  readonly into: string[];
  readonly atOnceMax: number;
}

interface Moments {
  set(name: string, dueMs: number, nowMs: number): 'comes first' | 'comes later';
  cancel(name: string): void;
  /** The first that is one of anybody. */
  first(): Moment | undefined;
  /** Takes names of it until there are so many. */
  take(moment: Moment, names: Taken): void;
}

function createMoments(): Moments {
  const heap = createHeap<Moment>((a, b) => a.dueMs < b.dueMs);
  const moments = new Map<number, Moment>();
  const momentOf = new Map<string, Moment>();

  const momentAt = (dueMs: number): Moment => {
    let moment = moments.get(dueMs);
    if (moment === undefined) {
      moment = { dueMs, names: [], taken: 0, current: 0 };
      moments.set(dueMs, moment);
      heap.push(moment);
    }
    return moment;
  };
  const cancel = (name: string): void => {
    const moment = momentOf.get(name);
    if (moment === undefined) return;
    moment.current -= 1;
    momentOf.delete(name);
  };

  return {
    set(name, dueMs, nowMs) {
      const before = momentOf.get(name);
      if (before !== undefined && before.dueMs <= dueMs && dueMs <= nowMs) return 'comes later';
      const moment = momentAt(dueMs);
      if (before === moment) return 'comes later';
      if (before !== undefined) before.current -= 1;
      momentOf.set(name, moment);
      moment.names.push(name);
      moment.current += 1;
      // Whoever waits knows a moment that was one of somebody before.
      return moment.current === 1 && heap.peek() === moment ? 'comes first' : 'comes later';
    },
    cancel,
    first() {
      for (let moment = heap.peek(); moment !== undefined; moment = heap.peek()) {
        if (moment.current > 0) return moment;
        heap.pop();
        moments.delete(moment.dueMs);
      }
      return undefined;
    },
    take(moment, { into, atOnceMax }) {
      while (moment.current > 0 && into.length < atOnceMax) {
        const name = moment.names[moment.taken++];
        if (name === undefined || momentOf.get(name) !== moment) continue;
        cancel(name);
        into.push(name);
      }
    },
  };
}
