/**
 * Who runs and who waits. It knows no clock and no promise: time is said with every call, and what it decides is told. Seats
 * are shared out among levels, those of a level among flows, by what their requests have taken of them.
 */
import { createVirtualQueue, seatsOf, type VirtualQueue, type Waiting } from './virtual-queue.ts';

export interface QueueLevel {
  readonly name: string;
  readonly isExempt: boolean;
  readonly seats: { readonly nominal: number; readonly own: number; readonly most: number };
  readonly queues?: { readonly flowsMax: number; readonly lengthMax: number } | undefined;
}

/** One request. Whoever asks keeps it; nothing is read of it but this. */
export interface Turn extends Waiting {
  readonly level: string;
}

export type Arrival<T> =
  | { readonly is: 'runs' }
  /** `instead`: one of whoever has most that waited until now, and is refused. */
  | { readonly is: 'waits'; readonly instead?: T }
  | { readonly is: 'refused'; readonly reason: Refusal };

/** In upstream's words, which its metrics have. */
export type Refusal = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

export interface SeatQueues<T extends Turn> {
  /** From now on. Whoever runs goes on, whoever waits at a level that is gone is told to be refused. */
  setLevels(levels: Iterable<QueueLevel>): readonly T[];
  arrive(turn: T, nowMs: number): Arrival<T>;
  /** It is done. Returns those that run now. */
  leave(turn: T, nowMs: number): readonly T[];
  /** It waits no longer. False: it does not wait, or not any more. */
  giveUp(turn: T): boolean;
  /** Whose turn it is now: after a change of levels. */
  next(nowMs: number): readonly T[];
  levels(): Iterable<LevelState<T>>;
}

export interface LevelState<T extends Turn> {
  readonly level: QueueLevel;
  readonly executing: number;
  /** What those have that run. */
  readonly taken: number;
  /** Those that wait. */
  readonly queue: Pick<VirtualQueue<T>, 'all' | 'flowCount' | 'size'>;
  /** Taken away while some of it run. */
  readonly isGone: boolean;
}

/** Of all flows of one level; their heads and connections are all that is held. */
const waitingMax = 2_000;

interface State<T extends Turn> extends LevelState<T> {
  level: QueueLevel;
  executing: number;
  taken: number;
  readonly queue: VirtualQueue<T>;
  /** Taken away while some of it run. */
  isGone: boolean;
}

const runs = { is: 'runs' } as const;
const waits = { is: 'waits' } as const;
const none: readonly never[] = [];

/** `seats`: how many may be taken at once of all levels that are not exempt. */
export function createSeatQueues<T extends Turn>(seats: number): SeatQueues<T> {
  const shares = createShares<T>(seats);
  const { states, mayRun } = shares;
  let waiting = 0;
  const next = (nowMs: number): readonly T[] => {
    if (waiting === 0) return none;
    const begun: T[] = [];
    for (;;) {
      const state = nextLevel(states.values(), mayRun);
      const turn = state?.queue.first();
      if (state === undefined || turn === undefined) return begun;
      state.queue.take(turn);
      turn.startedMs = nowMs;
      begins(state, turn);
      waiting--;
      begun.push(turn);
    }
  };
  const enqueue = (state: State<T>, turn: T): Arrival<T> => {
    const room = roomIn(state, turn);
    if (room.is === 'refused') return room;
    if (room.instead !== undefined) waiting--;
    state.queue.add(turn);
    waiting++;
    return room;
  };
  return {
    next,
    setLevels(levels) {
      const refused = shares.set(levels);
      waiting -= refused.length;
      return refused;
    },
    arrive(turn, nowMs) {
      const state = states.get(turn.level);
      if (state === undefined || state.isGone) return { is: 'refused', reason: 'concurrency-limit' };
      turn.arrivedMs = nowMs;
      turn.startedMs = nowMs;
      // Nobody passes those who wait.
      if (state.queue.size > 0 || !mayRun(state, turn)) return enqueue(state, turn);
      if (!state.level.isExempt) state.queue.pass(turn);
      begins(state, turn);
      return runs;
    },
    leave(turn, nowMs) {
      const state = states.get(turn.level);
      if (state === undefined) return none;
      state.executing--;
      state.taken -= seatsOf(turn);
      state.queue.done(turn, nowMs);
      shares.forgetGone(state);
      return next(nowMs);
    },
    giveUp(turn) {
      const removed = states.get(turn.level)?.queue.remove(turn) === true;
      if (removed) waiting--;
      return removed;
    },
    levels: () => states.values(),
  };
}

function begins<T extends Turn>(state: State<T>, turn: T): void {
  state.executing++;
  state.taken += seatsOf(turn);
}

/** Of those that have somebody waiting and a seat for them: whoever has least of what is theirs. */
function nextLevel<T extends Turn>(states: Iterable<State<T>>, mayRun: Shares<T>['mayRun']): State<T> | undefined {
  let chosen: State<T> | undefined;
  for (const state of states)
    if (state.queue.size > 0 && (chosen === undefined || load(state) < load(chosen)) && mayRun(state, firstOf(state)))
      chosen = state;
  return chosen;
}

function firstOf<T extends Turn>({ queue }: State<T>): T | undefined {
  return queue.first();
}

function load<T extends Turn>({ level, taken }: State<T>): number {
  return taken / Math.max(1, level.seats.nominal);
}

/** Whoever has most waiting makes room for whoever has at least two less. */
function roomIn<T extends Turn>({ level: { queues }, queue }: State<T>, { flow }: T): Exclude<Arrival<T>, typeof runs> {
  if (queues === undefined) return { is: 'refused', reason: 'concurrency-limit' };
  const own = queue.lengthOf(flow);
  if (own >= queues.lengthMax) return { is: 'refused', reason: 'queue-full' };
  if (queue.size < waitingMax && (own > 0 || queue.flowCount < queues.flowsMax)) return waits;
  const instead = queue.takeFromLongest(own + 2);
  return instead === undefined ? { is: 'refused', reason: 'queue-full' } : { is: 'waits', instead };
}

interface Shares<T extends Turn> {
  readonly states: ReadonlyMap<string, State<T>>;
  /** Returns whoever waits at a level that is gone. */
  set(levels: Iterable<QueueLevel>): readonly T[];
  mayRun(state: State<T>, turn: T | undefined): boolean;
  forgetGone(state: State<T>): void;
}

/**
 * Which level may take more seats. Of those of all levels together there are never more taken than there are: whoever
 * borrows leaves alone what others keep for themselves, and what they ask for of their share.
 */
function createShares<T extends Turn>(seats: number): Shares<T> {
  const states = new Map<string, State<T>>();
  let limited: readonly State<T>[] = [];
  let total = seats;
  const forget = (state: State<T>): void => {
    states.delete(state.level.name);
    limited = limited.filter((each) => each !== state);
  };
  return {
    states,
    set(levels) {
      const gone = new Map(states);
      for (const level of levels) {
        const state = states.get(level.name) ?? {
          ...{ level, executing: 0, taken: 0 },
          ...{ queue: createVirtualQueue<T>(), isGone: false },
        };
        states.set(level.name, Object.assign(state, { level, isGone: false }));
        gone.delete(level.name);
      }
      const refused = [...gone.values()].flatMap((state) => [...state.queue.clear()]);
      for (const state of gone.values()) state.isGone = true;
      limited = [...states.values()].filter(({ level }) => !level.isExempt);
      for (const state of gone.values()) if (state.executing === 0) forget(state);
      total = Math.max(
        seats,
        limited.reduce((sum, { level, isGone }) => sum + (isGone ? 0 : Math.max(level.seats.nominal, ownOf(level))), 0),
      );
      return refused;
    },
    mayRun(state, turn) {
      const { level, taken } = state;
      // Its level may have become smaller than it is wide, while it waited.
      const after = taken + Math.min(seatsOf(turn), Math.max(level.seats.nominal, ownOf(level)));
      if (level.isExempt || after <= ownOf(level)) return true;
      if (after > level.seats.most) return false;
      let sum = after;
      for (const other of limited) if (other !== state) sum += kept(other);
      return sum <= total;
    },
    forgetGone(state) {
      if (state.isGone && state.executing === 0) forget(state);
    },
  };
}

/** What of the seats no other level may take now: what runs, what is its own, and what of its share is asked for. */
function kept<T extends Turn>({ level, taken, queue, isGone }: State<T>): number {
  return isGone ? taken : Math.max(taken, ownOf(level), Math.min(level.seats.nominal, taken + queue.seats));
}

/** A level that has nothing for itself still does one request at a time. */
function ownOf({ seats, isExempt }: QueueLevel): number {
  return isExempt ? 0 : Math.max(1, seats.own);
}
