/** Lets requests in, in the order in which `queues.ts` decides. */
import type { StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import { onAbort } from '../../base/signal.ts';
import type { Access } from '../context/authorizer.ts';
import type { FlowObjects } from '../context/flow-objects.ts';
import { type Configuration, configure, type Flow } from './configuration.ts';
import { type Dumps, dumpLevels, dumpQueues, dumpRequests } from './dumps.ts';
import { type FlowCounts, flowText, newCounts, time } from './figures.ts';
import { createSeatQueues, type Refusal, type SeatQueues, type Turn } from './queues.ts';
import { createRetryAfter } from './retry-after.ts';
import { tooMany } from './too-many.ts';

export interface FlowControl {
  classify(access: Access): Flow;
  /** At once where there is a seat. Throws, or rejects with, a 429. */
  enter(flow: Flow, entering: Entering): Place | Promise<Place>;
  /** Every series, in the text format of Prometheus. */
  text(): string;
  readonly dumps: Dumps;
}

export interface Entering {
  readonly access: Access;
  /** How many it takes; the default is one. */
  readonly seats?: number | undefined;
  /** Whoever has gone waits no longer. */
  readonly signal: AbortSignal;
}

export interface Place {
  /** The request is done; a second time does nothing. */
  leave(): void;
}

export interface FlowControlOptions {
  readonly objects: FlowObjects;
  readonly clock: Clock;
  readonly limits?: Partial<FlowControlLimits>;
}

export interface FlowControlLimits {
  /**
   * How many may be taken at once by all requests that are not exempt. One thread does their work, so more seats than keep the disk
   * busy would only let them wait where nobody sees whose turn it is.
   */
  readonly seats: number;
  /** How long a request may wait: a quarter of what it may take, as upstream. */
  readonly waitMsMax: number;
}

export const flowControlLimits: FlowControlLimits = Object.freeze({ seats: 120, waitMsMax: 15_000 });

export interface FlowTurn extends Turn {
  readonly of: Flow;
  readonly access: Access;
  readonly counts: FlowCounts;
  readonly seats: number;
}

export function createFlowControl({ objects, clock, limits }: FlowControlOptions): FlowControl {
  const { seats, waitMsMax } = { ...flowControlLimits, ...limits };
  const queues = createSeatQueues<FlowTurn>(seats);
  const running = new Set<FlowTurn>();
  const counts = createCounts(clock);
  const waiting = createWaiting({ clock, waitMsMax, queues, counts });
  let state: object | undefined;
  let configuration: Configuration = configure({ schemas: [], levels: [], seats });

  const current = (): Configuration => {
    if (objects.state === state) return configuration;
    state = objects.state;
    configuration = configure({ schemas: objects.schemas(), levels: objects.levels(), seats });
    waiting.refuse(queues.setLevels(configuration.levels.values()), 'concurrency-limit');
    waiting.begin(queues.next(clock.nowMs()));
    return configuration;
  };
  const placeOf = (turn: FlowTurn): Place => {
    running.add(turn);
    counts.begins(turn);
    return {
      leave() {
        if (!running.delete(turn)) return;
        turn.counts.executing--;
        turn.counts.seats -= turn.seats;
        waiting.begin(queues.leave(turn, clock.nowMs()));
      },
    };
  };
  return {
    classify: (access) => current().classify(access),
    enter(flow, { access, seats: width = 1, signal }) {
      const turn = turnOf(flow, { access, seats: width }, counts.of(flow));
      const arrival = queues.arrive(turn, clock.nowMs());
      if (arrival.is === 'runs') return placeOf(turn);
      if (arrival.is === 'refused') throw counts.refuses(turn, arrival.reason);
      if (arrival.instead !== undefined) waiting.refuse([arrival.instead], 'queue-full');
      return waiting.wait(turn, signal).then(placeOf);
    },
    text: () => flowText(counts.all(), [...current().levels.values()]),
    dumps: {
      levels: () => dumpLevels([...queues.levels()], counts.all()),
      queues: () => dumpQueues([...queues.levels()], running),
      requests: (options) => dumpRequests([...queues.levels()], { running, ...options }),
    },
  };
}

function turnOf(flow: Flow, { access, seats }: Pick<FlowTurn, 'access' | 'seats'>, counts: FlowCounts): FlowTurn {
  const { schema, level, distinguisher } = flow;
  const key = distinguisher === '' ? schema.name : `${schema.name}/${distinguisher}`;
  return { level: level.name, flow: key, of: flow, access, counts, seats, arrivedMs: 0, startedMs: 0 };
}

interface Counts {
  of(flow: Flow): FlowCounts;
  all(): Iterable<FlowCounts>;
  begins(turn: FlowTurn): void;
  /** What whoever asks is told. */
  refuses(turn: FlowTurn, reason: Refusal): StatusError;
}

function createCounts(clock: Pick<Clock, 'nowMs'>): Counts {
  const known = new Map<string, FlowCounts>();
  const retryAfter = createRetryAfter();
  return {
    all: () => known.values(),
    of({ schema, level }) {
      const key = `${schema.name}/${level.name}`;
      const found = known.get(key) ?? newCounts(schema.name, level.name);
      known.set(key, found);
      return found;
    },
    begins({ counts, of, seats, startedMs, arrivedMs }) {
      counts.executing++;
      counts.seats += seats;
      counts.dispatched++;
      if (!of.level.isExempt) time(counts.waits.true, (startedMs - arrivedMs) / 1_000);
    },
    refuses({ counts, level, arrivedMs }, reason) {
      counts.refused.set(reason, (counts.refused.get(reason) ?? 0) + 1);
      const nowMs = clock.nowMs();
      time(counts.waits.false, (nowMs - arrivedMs) / 1_000);
      return tooMany(retryAfter.refuse(level, nowMs));
    },
  };
}

interface Waiting {
  /** Resolves when it is its turn, which has begun by then. */
  wait(turn: FlowTurn, signal: AbortSignal): Promise<FlowTurn>;
  begin(turns: readonly FlowTurn[]): void;
  refuse(turns: readonly FlowTurn[], reason: Refusal): void;
}

interface WaitingOptions {
  readonly clock: Clock;
  readonly waitMsMax: number;
  readonly queues: Pick<SeatQueues<FlowTurn>, 'giveUp'>;
  readonly counts: Pick<Counts, 'refuses'>;
}

interface Waiter {
  begin(): void;
  refuse(reason: Refusal): void;
}

function createWaiting({ clock, waitMsMax, queues, counts }: WaitingOptions): Waiting {
  const waiters = new Map<FlowTurn, Waiter>();
  return {
    begin(turns) {
      for (const turn of turns) waiters.get(turn)?.begin();
    },
    refuse(turns, reason) {
      for (const turn of turns) waiters.get(turn)?.refuse(reason);
    },
    wait: (turn, signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          stop();
          cancel();
          waiters.delete(turn);
          turn.counts.waiting--;
        };
        const refuse = (reason: Refusal): void => {
          end();
          reject(counts.refuses(turn, reason));
        };
        const giveUp = (reason: Refusal) => (): void => {
          if (queues.giveUp(turn)) refuse(reason);
        };
        const begin = (): void => {
          end();
          resolve(turn);
        };
        turn.counts.waiting++;
        const stop = onAbort(signal, giveUp('cancelled'));
        const cancel = clock.after(waitMsMax, giveUp('time-out'));
        waiters.set(turn, { begin, refuse });
        if (signal.aborted) giveUp('cancelled')();
      }),
  };
}
