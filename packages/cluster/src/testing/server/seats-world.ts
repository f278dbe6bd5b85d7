import { createSeatQueues, type QueueLevel, type SeatQueues, type Turn } from '../../server/flowcontrol/queues.ts';

/** A request with a name. */
export interface Named extends Turn {
  readonly name: string;
}

/** Seats and who has them, told by names. */
export interface World {
  readonly queues: SeatQueues<Named>;
  nowMs: number;
  /** What came of a new request. */
  arrive(level: string, flow: string, name?: string, rest?: { readonly seats?: number }): string;
  /** Who runs now, since this one is done. */
  leave(name: string): readonly string[];
  readonly running: Map<string, Named>;
}

const queued = { flowsMax: 4, lengthMax: 3 };

export function level(name: string, seats: Partial<QueueLevel['seats']>, rest: Partial<QueueLevel> = {}): QueueLevel {
  const nominal = seats.nominal ?? 1;
  return { name, isExempt: false, queues: queued, seats: { nominal, own: nominal, most: nominal, ...seats }, ...rest };
}

export function world(
  levels: readonly QueueLevel[],
  { seats = 0, startMs = 0 }: { readonly seats?: number; readonly startMs?: number } = {},
): World {
  const queues = createSeatQueues<Named>(seats);
  queues.setLevels(levels);
  const running = new Map<string, Named>();
  let count = 0;
  const self: World = {
    queues,
    nowMs: startMs,
    running,
    arrive(to, flow, name = `${flow}${++count}`, { seats = 1 } = {}) {
      const turn: Named = { name, level: to, flow, seats, arrivedMs: 0, startedMs: 0 };
      const arrival = queues.arrive(turn, self.nowMs);
      if (arrival.is === 'runs') running.set(name, turn);
      if (arrival.is === 'refused') return arrival.reason;
      return arrival.is === 'waits' && arrival.instead !== undefined
        ? `instead of ${arrival.instead.name}`
        : arrival.is;
    },
    leave(name) {
      const turn = running.get(name);
      if (turn === undefined) throw new Error(`${name} does not run`);
      running.delete(name);
      const begun = queues.leave(turn, self.nowMs);
      for (const each of begun) running.set(each.name, each);
      return begun.map((each) => each.name);
    },
  };
  return self;
}
