/**
 * The queues of one level, one for each flow. Whose turn it is follows from virtual time: a flow's moves on by the time that
 * its requests held their seats, and the flow that is furthest behind comes next. Whoever comes anew begins where those are
 * that are served now, so nobody saves up turns, and nobody owes more than a little.
 */
import { assert } from '../../base/assert.ts';

export interface Waiting {
  /** Requests of one flow wait for each other. */
  readonly flow: string;
  /** How many it takes at once. The default is one. */
  readonly seats?: number;
  /** Kept by the queues. */
  arrivedMs: number;
  startedMs: number;
}

export interface VirtualQueue<T extends Waiting> {
  readonly size: number;
  /** Of all that wait. */
  readonly seats: number;
  /** How many flows wait. */
  readonly flowCount: number;
  lengthOf(flow: string): number;
  add(turn: T): void;
  /** It runs without having waited. */
  pass(turn: T): void;
  /** The next one, of those that may run if that is asked. */
  first(mayRun?: (turn: T) => boolean): T | undefined;
  /** It runs, having waited: the first of its flow. */
  take(turn: T): void;
  /** It ran until now. */
  done(turn: T, nowMs: number): void;
  remove(turn: T): boolean;
  /** The newest of the flow that has most waiting, if those are so many. */
  takeFromLongest(lengthMin: number): T | undefined;
  clear(): readonly T[];
  /** What waits, flow by flow, each in the order of its coming. */
  all(): Iterable<readonly T[]>;
}

/** What a request is taken to need until it is known. */
const guessMs = 10;
/** It costs at least so much. */
const chargeMsMin = 1;
/** How far a flow may be ahead of the others: it would wait for all that they bring meanwhile. */
const debtMsMax = 100;

interface Flow<T> {
  readonly name: string;
  /** In virtual time: when its next request begins. */
  nextMs: number;
  executing: number;
  readonly turns: T[];
  /** When it was added or served last, among all of the level: of those that are as far, who waits longest comes first. */
  order: number;
}

export function createVirtualQueue<T extends Waiting>(): VirtualQueue<T> {
  const times = createTimes<T>();
  const waiting = new Set<Flow<T>>();
  const sum = createSum();
  const shortened = (flow: Flow<T>, turn: T | undefined): void => {
    sum.less(turn);
    if (flow.turns.length === 0) waiting.delete(flow);
  };
  return {
    get size() {
      return sum.size;
    },
    get seats() {
      return sum.seats;
    },
    get flowCount() {
      return waiting.size;
    },
    lengthOf: (name) => times.find(name)?.turns.length ?? 0,
    add(turn) {
      const flow = times.flowOf(turn.flow);
      if (flow.turns.length === 0) times.comes(flow);
      waiting.add(flow);
      flow.turns.push(turn);
      sum.more(turn);
    },
    pass: (turn) => times.serve(times.flowOf(turn.flow)),
    first(mayRun) {
      let found: Flow<T> | undefined;
      for (const flow of waiting)
        if ((found === undefined || isBefore(flow, found)) && (mayRun === undefined || mayRun(headOf(flow))))
          found = flow;
      return found && headOf(found);
    },
    take(turn) {
      const flow = times.find(turn.flow);
      assert(flow !== undefined && flow.turns[0] === turn, 'the first of its flow is taken', { flow: turn.flow });
      flow.turns.shift();
      times.serve(flow);
      shortened(flow, turn);
    },
    done: times.done,
    remove(turn) {
      const flow = times.find(turn.flow);
      const at = flow?.turns.indexOf(turn) ?? -1;
      if (flow === undefined || at < 0) return false;
      flow.turns.splice(at, 1);
      shortened(flow, turn);
      times.forgetIdle(flow);
      return true;
    },
    takeFromLongest(lengthMin) {
      const longest = least(waiting, (a, b) => a.turns.length > b.turns.length);
      if (longest === undefined || longest.turns.length < lengthMin) return undefined;
      const turn = longest.turns.pop();
      shortened(longest, turn);
      return turn;
    },
    clear() {
      const turns = [...waiting].flatMap((flow) => flow.turns.splice(0));
      for (const flow of waiting) times.forgetIdle(flow);
      waiting.clear();
      sum.clear();
      return turns;
    },
    *all() {
      for (const { turns } of waiting) yield turns;
    },
  };
}

/** Of those that wait. */
interface Sum {
  readonly size: number;
  readonly seats: number;
  more(turn: Waiting): void;
  less(turn: Waiting | undefined): void;
  clear(): void;
}

function createSum(): Sum {
  const sum = {
    ...{ size: 0, seats: 0 },
    more(turn: Waiting) {
      sum.size++;
      sum.seats += seatsOf(turn);
    },
    less(turn: Waiting | undefined) {
      sum.size--;
      sum.seats -= seatsOf(turn);
    },
    clear: () => void Object.assign(sum, { size: 0, seats: 0 }),
  };
  return sum;
}

interface Times<T> {
  flowOf(name: string): Flow<T>;
  find(name: string): Flow<T> | undefined;
  /** It begins to wait. */
  comes(flow: Flow<T>): void;
  /** A request of it begins. */
  serve(flow: Flow<T>): void;
  /** One ran until now. */
  done(turn: Waiting, nowMs: number): void;
  forgetIdle(flow: Flow<T>): void;
}

/** How far each flow is. One of which nothing runs or waits is forgotten, with what it owes. */
function createTimes<T>(): Times<T> {
  const flows = new Map<string, Flow<T>>();
  let virtualMs = 0;
  let order = 0;
  const forgetIdle = (flow: Flow<T>): void => {
    if (flow.executing === 0 && flow.turns.length === 0) flows.delete(flow.name);
  };
  return {
    forgetIdle,
    find: (name) => flows.get(name),
    flowOf(name) {
      const known = flows.get(name);
      if (known !== undefined) return known;
      const flow: Flow<T> = { name, nextMs: virtualMs, executing: 0, turns: [], order: 0 };
      flows.set(name, flow);
      return flow;
    },
    comes(flow) {
      flow.nextMs = Math.max(flow.nextMs, virtualMs);
      flow.order = order++;
    },
    serve(flow) {
      virtualMs = Math.max(virtualMs, flow.nextMs);
      flow.nextMs = Math.min(virtualMs + debtMsMax, Math.max(flow.nextMs, virtualMs) + guessMs);
      flow.order = order++;
      flow.executing++;
    },
    done(turn, nowMs) {
      const { flow: name, startedMs } = turn;
      const flow = flows.get(name);
      if (flow === undefined) return;
      flow.executing--;
      const correctionMs = seatsOf(turn) * Math.max(chargeMsMin, nowMs - startedMs) - guessMs;
      flow.nextMs = Math.min(virtualMs + debtMsMax, Math.max(virtualMs, flow.nextMs + correctionMs));
      forgetIdle(flow);
    },
  };
}

export function seatsOf(turn: Pick<Waiting, 'seats'> | undefined): number {
  return turn?.seats ?? 1;
}

function headOf<T>({ turns }: Flow<T>): T {
  const [head] = turns;
  assert(head !== undefined, 'a flow that waits has somebody who does');
  return head;
}

function least<T>(all: Iterable<T>, isLess: (a: T, b: T) => boolean): T | undefined {
  let found: T | undefined;
  for (const each of all) if (found === undefined || isLess(each, found)) found = each;
  return found;
}

function isBefore(a: Flow<unknown>, b: Flow<unknown>): boolean {
  return a.nextMs === b.nextMs ? a.order < b.order : a.nextMs < b.nextMs;
}
