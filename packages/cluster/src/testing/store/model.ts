import fc from 'fast-check';
import { expect } from 'vitest';
import { equal } from '../../base/equal.ts';
import { freeze } from '../../base/freeze.ts';
import type { CommitOutcome, Store, StoreEvent } from '../../store/store.ts';

/** One step of a random history. The commits of a burst are sent together, each expecting what the model then holds. */
export type Step =
  | { readonly type: 'burst'; readonly changes: readonly RandomChange[] }
  | { readonly type: 'compact'; readonly share: number }
  | { readonly type: 'restart' };

export interface RandomChange {
  readonly key: string;
  readonly kind: 'put' | 'delete';
  /** How many revisions the writer's knowledge is behind: mostly 0. */
  readonly behind: number;
}

// Few keys, with prefixes of each other and at both sides of the slash, so that they collide.
const keys = ['/a/x', '/a/y', '/a/x/1', '/ab/x', '/b', '/b/x'];
const prefixes = ['', '/', '/a', '/a/', '/a/x', '/b', '/c'];

const change: fc.Arbitrary<RandomChange> = fc.record({
  key: fc.constantFrom(...keys),
  kind: fc.constantFrom('put', 'put', 'delete'),
  behind: fc.constantFrom(0, 0, 0, 0, 1, 2),
});

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ type: fc.constant('burst' as const), changes: fc.array(change, { maxLength: 8 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('compact' as const),
        share: fc.double({ min: 0, max: 1.2, noNaN: true }),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
  ),
  { maxLength: 25 },
);

interface Item {
  readonly key: string;
  readonly value: object;
  readonly revision: number;
  readonly createdRevision: number;
}

type State = ReadonlyMap<string, Item>;

export interface Model {
  /** Takes the step on model and store and compares all that can be read. */
  check(store: Store, step: Step): Promise<void>;
}

/** The store as one would write it without regard for time and space: a copy of everything per revision. */
export function createModel(): Model {
  const states: State[] = [new Map()];
  const events: string[] = [];
  let compacted = 0;

  const decide = ({ key, kind, behind }: RandomChange): { expected: number; outcome: string } => {
    const state = states.at(-1) ?? new Map();
    const current = state.get(key);
    const expected = Math.max(0, (current?.revision ?? 0) - behind);
    if (expected !== (current?.revision ?? 0) || (kind === 'delete' && current === undefined)) {
      return { expected, outcome: 'refused' };
    }
    const revision = states.length;
    const next = new Map(state);
    if (kind === 'delete') next.delete(key);
    else next.set(key, { key, value: { revision }, revision, createdRevision: current?.createdRevision ?? revision });
    states.push(next);
    events.push(describeEvent({ type: kind, key, revision, previous: current?.revision }));
    return { expected, outcome: `revision ${revision}` };
  };

  const burst = async (store: Store, changes: readonly RandomChange[]): Promise<void> => {
    const decided = changes.map((one) => ({ ...one, ...decide(one) }));
    const outcomes = await Promise.all(
      decided.map(({ key, kind, expected }) =>
        store.commit({ key, expect: expected, kind, make: (revision) => freeze({ revision }) }),
      ),
    );
    expect(outcomes.map(describeOutcome)).toEqual(decided.map(({ outcome }) => outcome));
  };

  const compareLists = (store: Store): void => {
    for (let at = Math.max(0, compacted - 1); at < states.length; at++) {
      for (const prefix of prefixes) compareList(store, { at, prefix, state: states[at] ?? new Map(), compacted });
    }
  };

  const compareReplay = async (store: Store): Promise<void> => {
    for (const prefix of prefixes) {
      for (const from of new Set([compacted, Math.floor((compacted + states.length) / 2), states.length - 1])) {
        const expected = events.slice(from).filter((event) => event.split(' ')[1]?.startsWith(prefix));
        expect(await replay(store, { prefix, from, count: expected.length })).toEqual(expected);
      }
    }
  };

  return {
    async check(store, step) {
      // Joined before the step: what it sees comes through its buffer and not from history.
      const live = store.subscribe({ prefix: '', from: states.length - 1, signal: new AbortController().signal });
      const before = events.length;
      if (step.type === 'burst') await burst(store, step.changes);
      else if (step.type === 'restart') compacted = states.length - 1;
      else {
        const revision = Math.floor(step.share * states.length);
        compacted = Math.max(compacted, Math.min(revision, states.length - 1));
        await store.compact(revision);
      }
      expect([store.revision, store.compactedRevision]).toEqual([states.length - 1, compacted]);
      expect(await read(live, events.length - before)).toEqual(events.slice(before));
      compareLists(store);
      await compareReplay(store);
    },
  };
}

interface ListCase {
  readonly at: number;
  readonly prefix: string;
  readonly state: State;
  readonly compacted: number;
}

function compareList(store: Store, { at, prefix, state, compacted }: ListCase): void {
  const list = store.list(prefix, { at });
  if (at < compacted) {
    expect(list).toEqual({ expired: true, compactedRevision: compacted });
    expect(store.count(prefix, { at })).toEqual(list);
    return;
  }
  const expected = [...state.values()]
    .filter(({ key }) => key.startsWith(prefix))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  if ('expired' in list) throw new Error('expired');
  const items = list.items.map(({ key, value, revision, createdRevision }) => ({
    key,
    value,
    revision,
    createdRevision,
  }));
  // Compared without vitest first: there are many of these.
  if (!equal(items, expected)) expect(items).toEqual(expected);
  expect([list.revision, list.more, store.count(prefix, { at })]).toEqual([at, false, expected.length]);
  const first = store.list(prefix, { at, limit: 2 });
  if ('expired' in first) throw new Error('expired');
  const rest = store.list(prefix, { at, after: first.items.at(-1)?.key ?? '' });
  if ('expired' in rest) throw new Error('expired');
  expect(first.more).toBe(expected.length > 2);
  const after = first.items.at(-1)?.key ?? '';
  expect(store.count(prefix, { at, after })).toBe(Math.max(0, expected.length - 2));
  expect([...first.items, ...rest.items].map(({ key }) => key)).toEqual(expected.map(({ key }) => key));
}

interface Replay {
  readonly prefix: string;
  readonly from: number;
  readonly count: number;
}

async function replay(store: Store, { prefix, from, count }: Replay): Promise<readonly string[]> {
  return read(store.subscribe({ prefix, from, signal: new AbortController().signal }), count);
}

/** Reads `count` events and no more, then makes sure that nothing else is waiting. */
async function read(events: ReturnType<Store['subscribe']>, count: number): Promise<readonly string[]> {
  const seen: string[] = [];
  const iterator = events[Symbol.asyncIterator]();
  while (seen.length < count) {
    const { value } = await iterator.next();
    seen.push(describe(value));
  }
  let extra = 'nothing';
  const more = iterator.next().then((result) => {
    if (!result.done) extra = describe(result.value);
  });
  await Promise.resolve();
  await iterator.return?.();
  await more;
  return extra === 'nothing' ? seen : [...seen, extra];
}

type Received = Awaited<ReturnType<AsyncIterator<StoreEvent | { readonly expired: true }>['next']>>['value'];

function describe(event: Received): string {
  if (event === undefined || 'expired' in event) return 'expired';
  const { type, key, stored, previous } = event as StoreEvent;
  return describeEvent({ type, key, revision: stored.revision, previous: previous?.revision });
}

interface EventFacts {
  readonly type: string;
  readonly key: string;
  readonly revision: number;
  readonly previous: number | undefined;
}

function describeEvent({ type, key, revision, previous }: EventFacts): string {
  return `${type} ${key} ${revision} after ${previous ?? 'nothing'}`;
}

function describeOutcome(outcome: CommitOutcome): string {
  return outcome.ok ? `revision ${outcome.stored.revision}` : 'refused';
}
