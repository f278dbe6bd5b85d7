import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { freeze } from '../../base/freeze.ts';
import { createStore } from '../../store/create.ts';
import type { Backend, BackendRecord, CommitOutcome, Expired, Store, Stored, StoreEvent } from '../../store/store.ts';
import { createModel, type Step, steps } from './model.ts';

/** Somewhere to keep bytes. Opening it again after closing what was opened finds them. */
export interface Place {
  open(): Promise<Backend>;
  remove(): Promise<void>;
}

/** What holds for a backend, and for a store on it. `runs` is for the property: the number of random histories. */
export function storeConformance(name: string, place: () => Promise<Place>, { runs }: { readonly runs: number }): void {
  describe(`${name}: backend`, () => backendTests(place));
  describe(`${name}: store`, () => storeTests(place));
  describe(`${name}: restart`, () => restartTests(place));
  test(`${name}: any history reads like the naive model's`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => runAgainstModel(await place(), history)),
      { numRuns: runs },
    );
  }, 60_000);
}

export async function openStore(
  backend: Backend,
  {
    revisionsMax = 1_000_000,
    watcherBufferMax = 100_000,
  }: { readonly revisionsMax?: number; readonly watcherBufferMax?: number } = {},
): Promise<Store> {
  return createStore({
    backend,
    clock: systemClock,
    compaction: { revisionsMax, ageMsMax: Infinity, bytesMax: 256 * 2 ** 20 },
    watcherBufferMax,
  });
}

export interface Change {
  readonly expect: number;
  readonly value?: string;
  readonly kind?: 'put' | 'delete';
}

/** Commits an object that holds its revision and a text. */
export function change(
  store: Store,
  key: string,
  { expect: expected, value = '', kind = 'put' }: Change,
): Promise<CommitOutcome> {
  return store.commit({ key, expect: expected, kind, make: (revision) => freeze({ revision, value }) });
}

export async function put(store: Store, key: string, value = ''): Promise<Stored> {
  return accepted(await change(store, key, { expect: store.get(key)?.revision ?? 0, value }));
}

export async function remove(store: Store, key: string): Promise<Stored> {
  return accepted(await change(store, key, { expect: store.get(key)?.revision ?? 0, kind: 'delete' }));
}

function accepted(outcome: CommitOutcome): Stored {
  if (!outcome.ok) throw new Error(`refused; the newest is ${outcome.current?.revision ?? 'nothing'}`);
  return outcome.stored;
}

export type Received = StoreEvent | Expired;
export type EventReader = AsyncIterator<Received, unknown>;

export interface Follow {
  readonly from: number;
  readonly signal?: AbortSignal;
}

/** `put /a/x 3<1` for the third revision of the whole, over the first; `expired 7`. */
export function line(event: Received | undefined): string {
  if (event === undefined) return 'end';
  if ('expired' in event) return `expired ${event.compactedRevision}`;
  const previous = event.previous === undefined ? '' : `<${event.previous.revision}`;
  return `${event.type} ${event.key} ${event.stored.revision}${previous}`;
}

export async function next(events: EventReader): Promise<Received | undefined> {
  const result = await events.next();
  return result.done ? undefined : result.value;
}

export async function take(events: EventReader, count: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let index = 0; index < count; index++) lines.push(line(await next(events)));
  return lines;
}

const forever = new AbortController().signal;

export function subscribe(store: Store, prefix: string, { from, signal = forever }: Follow): EventReader {
  return store.subscribe({ prefix, from, signal })[Symbol.asyncIterator]();
}

function record(key: string, revision: number, { text = '{}' } = {}): BackendRecord {
  return { key, revision, createdRevision: 1, bytes: Buffer.from(text) };
}

function recordLine({ key, revision, createdRevision, bytes }: BackendRecord): string {
  return `${key} ${revision}${createdRevision === 1 ? '' : ` created ${createdRevision}`} ${bytes.toString()}`;
}

/** What is there after closing and opening again, ordered by key. */
async function reopened(place: Place, backend: Backend): Promise<unknown> {
  await backend.close();
  const again = await place.open();
  const { revision, records } = await again.load();
  const lines: string[] = [];
  for await (const found of records) lines.push(recordLine(found));
  await again.close();
  return { revision, records: lines.sort() };
}

function backendTests(place: () => Promise<Place>): void {
  let at: Place;
  beforeEach(async () => {
    at = await place();
  });
  afterEach(() => at.remove());

  test('a new place is empty', async () => {
    expect(await reopened(at, await at.open())).toEqual({ revision: 0, records: [] });
  });

  test('the newest batch wins and deletions stay deleted', async () => {
    const backend = await at.open();
    await backend.load();
    await backend.write({ revision: 3, puts: [record('/a', 1), record('/b', 2), record('/c', 3)], deletes: [] });
    await backend.write({ revision: 5, puts: [record('/b', 4, { text: '{"b":4}' })], deletes: ['/c'] });
    expect(await reopened(at, backend)).toEqual({ revision: 5, records: ['/a 1 {}', '/b 4 {"b":4}'] });
  });

  test('a deletion of what was never there does no harm', async () => {
    const backend = await at.open();
    await backend.write({ revision: 2, puts: [record('/a', 1)], deletes: ['/never'] });
    expect(await reopened(at, backend)).toEqual({ revision: 2, records: ['/a 1 {}'] });
  });

  test('long keys, big values and every letter survive', async () => {
    const backend = await at.open();
    const records = [
      record(`/${'k'.repeat(1023)}`, 1, { text: `{"text":"${'x'.repeat(1_500_000)}"}` }),
      record('/schlüssel/日本', 2 ** 40, { text: '{"text":"ß \\u0000 🚂"}' }),
    ];
    await backend.write({ revision: 2 ** 40, puts: records, deletes: [] });
    expect(await reopened(at, backend)).toEqual({ revision: 2 ** 40, records: records.map(recordLine) });
  });
}

function storeTests(place: () => Promise<Place>): void {
  let at: Place;
  let store: Store;
  beforeEach(async () => {
    at = await place();
    store = await openStore(await at.open());
  });
  afterEach(async () => {
    await store.close();
    await at.remove();
  });

  test('a write is compare-and-set, and revisions count all keys', async () => {
    const created = await put(store, '/a/x', 'one');
    await put(store, '/a/y');
    expect(await change(store, '/a/x', { expect: 0 })).toEqual({ ok: false, current: created });
    expect(await change(store, '/a/none', { expect: 1 })).toEqual({ ok: false, current: undefined });
    const changed = await put(store, '/a/x', 'two');
    expect([changed.revision, changed.createdRevision, changed.value]).toEqual([3, 1, { revision: 3, value: 'two' }]);
    expect(store.get('/a/x')).toBe(changed);
    expect(store.revision).toBe(3);
  });

  test('a deletion takes a revision, and the key starts anew', async () => {
    await put(store, '/a/x');
    expect(await change(store, '/a/x', { expect: 0, kind: 'delete' })).toMatchObject({ ok: false });
    const deleted = await remove(store, '/a/x');
    expect([deleted.revision, deleted.createdRevision, store.revision]).toEqual([2, 1, 2]);
    expect(store.get('/a/x')).toBeUndefined();
    expect(await change(store, '/a/x', { expect: 0, kind: 'delete' })).toEqual({ ok: false, current: undefined });
    expect((await put(store, '/a/x')).createdRevision).toBe(3);
  });

  test('of a hundred creates of one key exactly one wins, and the others are told who', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) => change(store, '/a/x', { expect: 0, value: `${index}` })),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.filter((outcome) => !outcome.ok && outcome.current === store.get('/a/x'))).toHaveLength(99);
    expect(store.revision).toBe(1);
  });

  test('a reader replays, then follows, without a gap', async () => {
    await put(store, '/a/x');
    await put(store, '/b/x');
    await put(store, '/a/x');
    const events = subscribe(store, '/a/', { from: 1 });
    await remove(store, '/a/x');
    await Promise.all([put(store, '/a/y'), put(store, '/a/z'), put(store, '/b/y')]);
    expect(await take(events, 4)).toEqual(['put /a/x 3<1', 'delete /a/x 4<3', 'put /a/y 5', 'put /a/z 6']);
  });

  test('what cannot be stored fails alone', async () => {
    const failing = store.commit({
      key: '/a/x',
      expect: 0,
      kind: 'put',
      make: () => {
        throw new Error('cannot make it');
      },
    });
    const [failed, fine] = await Promise.allSettled([failing, put(store, '/a/y')]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'cannot make it' } });
    expect(fine).toMatchObject({ status: 'fulfilled', value: { revision: 1 } });
    await expect(change(store, '', { expect: 0 })).rejects.toThrow('a key has between');
    await expect(change(store, `/${'ü'.repeat(512)}`, { expect: 0 })).rejects.toThrow('a key has between');
    await expect(store.commit({ key: '/a/z', expect: 0, kind: 'put', make: () => ({ open: true }) })).rejects.toThrow(
      'frozen',
    );
    expect(store.revision).toBe(1);
  });

  test('after close commits are refused and readers end', async () => {
    const events = subscribe(store, '/', { from: 0 });
    const last = put(store, '/a/x');
    const closed = store.close();
    await expect(put(store, '/a/y')).rejects.toThrow('the store is closed');
    await closed;
    expect((await last).revision).toBe(1);
    expect(await take(events, 3)).toEqual(['put /a/x 1', 'end', 'end']);
    expect(await take(subscribe(store, '/', { from: 0 }), 1)).toEqual(['put /a/x 1']);
    expect(await take(subscribe(store, '/', { from: 1 }), 1)).toEqual(['end']);
  });
}

function restartTests(place: () => Promise<Place>): void {
  let at: Place;
  beforeEach(async () => {
    at = await place();
  });
  afterEach(() => at.remove());

  const visible = (store: Store): unknown => {
    const list = store.list('/');
    if ('expired' in list) throw new Error('expired');
    return list.items.map(({ key, value, revision, createdRevision }) => [key, value, revision, createdRevision]);
  };

  test('objects, revisions and creation are as before', async () => {
    const store = await openStore(await at.open());
    for (const key of ['/a/z', '/a/x', '/b/y', '/a/z']) await put(store, key, key);
    const before = visible(store);
    await store.close();
    const again = await openStore(await at.open());
    expect(visible(again)).toEqual(before);
    expect(again.revision).toBe(4);
    expect((await put(again, '/a/z')).createdRevision).toBe(1);
    expect(Object.isFrozen(again.get('/a/x')?.value)).toBe(true);
    await again.close();
  });

  test('a revision that only a deletion took is never given again', async () => {
    const store = await openStore(await at.open());
    await put(store, '/a/x');
    await remove(store, '/a/x');
    await store.close();
    const again = await openStore(await at.open());
    expect([again.revision, visible(again)]).toEqual([2, []]);
    expect((await put(again, '/a/y')).revision).toBe(3);
    await again.close();
  });

  test('history before the restart counts as compacted', async () => {
    const store = await openStore(await at.open());
    await put(store, '/a/x');
    await put(store, '/a/x');
    await store.close();
    const again = await openStore(await at.open());
    expect(again.list('/', { at: 1 })).toEqual({ expired: true, compactedRevision: 2 });
    expect(await take(subscribe(again, '/', { from: 1 }), 2)).toEqual(['expired 2', 'end']);
    const events = subscribe(again, '/', { from: 2 });
    await put(again, '/a/x');
    expect(await take(events, 1)).toEqual(['put /a/x 3<2']);
    await again.close();
  });
}

async function runAgainstModel(place: Place, history: readonly Step[]): Promise<void> {
  const model = createModel();
  let store = await openStore(await place.open());
  try {
    for (const step of history) {
      if (step.type === 'restart') {
        await store.close();
        store = await openStore(await place.open());
      }
      await model.check(store, step);
    }
  } finally {
    await store.close();
    await place.remove();
  }
}
