import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openStore, put, subscribe, take } from '../testing/store/contract.ts';
import { createMemoryBackend } from './backends/memory.ts';
import type { Backend, BackendBatch, BackendRecord, Store } from './store.ts';

/** A disk with a cache in front, as a power cut sees it: what was not synced is gone, a batch is there as a whole or not. */
interface Disk {
  readonly backend: Backend;
  /** Batches become durable, and then acknowledged, when told to. */
  sync(): void;
  acknowledge(): void;
  /** What a restart finds. */
  survivor(): Backend;
}

function createDisk(): Disk {
  let synced: readonly BackendBatch[] = [];
  let unsynced: BackendBatch | undefined;
  let acknowledge: (() => void) | undefined;
  const over = (batches: readonly BackendBatch[]): Backend => ({
    load: async () => {
      const records = new Map<string, BackendRecord>();
      for (const { puts, deletes } of batches) {
        for (const record of puts) records.set(record.key, record);
        for (const key of deletes) records.delete(key);
      }
      return { revision: batches.at(-1)?.revision ?? 0, records: records.values() };
    },
    write(batch) {
      unsynced = batch;
      return new Promise((resolve) => {
        acknowledge = resolve;
      });
    },
    close: async () => undefined,
  });
  return {
    backend: over([]),
    sync() {
      if (unsynced !== undefined) synced = [...synced, unsynced];
      unsynced = undefined;
    },
    acknowledge() {
      if (unsynced !== undefined) return;
      acknowledge?.();
      acknowledge = undefined;
    },
    survivor: () => over(synced),
  };
}

type Step = { readonly type: 'put' | 'delete'; readonly key: string; readonly stale: boolean } | 'sync' | 'acknowledge';

const key = fc.constantFrom('/a', '/b', '/c');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom('put', 'put', 'delete'), key, stale: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant('sync' as const) },
  { weight: 2, arbitrary: fc.constant('acknowledge' as const) },
);

interface Witness {
  /** Every write that was given a revision, in order. */
  readonly made: { readonly type: 'put' | 'delete'; readonly key: string; readonly revision: number }[];
  /** Revisions that a writer or a watcher heard of. */
  readonly told: number[];
  readonly seen: number[];
}

async function runSteps(store: Store, { disk, history }: { disk: Disk; history: readonly Step[] }): Promise<Witness> {
  const witness: Witness = { made: [], told: [], seen: [] };
  const follow = async (): Promise<void> => {
    for await (const event of store.subscribe({ prefix: '/', from: 0, signal: new AbortController().signal })) {
      if (!('expired' in event)) witness.seen.push(event.stored.revision);
    }
  };
  void follow();
  // What a writer believes the newest revisions to be, writes on their way included.
  const believed = new Map<string, number>();
  for (const one of history) {
    if (one === 'sync') disk.sync();
    else if (one === 'acknowledge') disk.acknowledge();
    else {
      const { type, key: of } = one;
      const expected = one.stale ? (store.get(of)?.revision ?? 0) : (believed.get(of) ?? 0);
      const make = (revision: number): object => {
        believed.set(of, type === 'delete' ? 0 : revision);
        witness.made.push({ type, key: of, revision });
        return Object.freeze({ revision });
      };
      void store.commit({ key: of, expect: expected, kind: type, make }).then((outcome) => {
        witness.told.push((outcome.ok ? outcome.stored : outcome.current)?.revision ?? 0);
      });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return witness;
}

test('a power cut at any moment loses nothing that anybody was told of', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (history) => {
      const disk = createDisk();
      const { made, told, seen } = await runSteps(await openStore(disk.backend), { disk, history });
      // The cut: the first store is never heard of again.
      const after = await openStore(disk.survivor());
      expect(Math.max(0, ...told, ...seen)).toBeLessThanOrEqual(after.revision);
      expect(seen).toEqual(seen.map((_, index) => index + 1));
      const expected = new Map<string, number>();
      for (const { type, key: of, revision } of made.slice(0, after.revision)) {
        if (type === 'delete') expected.delete(of);
        else expected.set(of, revision);
      }
      for (const of of ['/a', '/b', '/c']) expect(after.get(of)?.revision).toBe(expected.get(of));
    }),
    { numRuns: 500 },
  );
}, 30_000);

describe('a disk that fails', () => {
  const failing = (fail: () => Error | undefined): Backend => {
    const backend = createMemoryBackend();
    return {
      ...backend,
      write: async (batch) => {
        const error = fail();
        if (error !== undefined) throw error;
        await backend.write(batch);
      },
    };
  };

  test('stops the writes and neither the reads nor the watches; nothing unsaved is published', async () => {
    let error: Error | undefined;
    const store = await openStore(failing(() => error));
    await put(store, '/a', 'saved');
    const events = subscribe(store, '/', { from: 0 });
    error = new Error('EIO');
    await expect(put(store, '/a', 'lost')).rejects.toThrow(
      'the store takes no more writes until it is opened again: EIO',
    );
    error = undefined;
    await expect(put(store, '/b')).rejects.toMatchObject({ permanent: true });
    expect([store.revision, store.get('/a')?.value]).toEqual([1, { revision: 1, value: 'saved' }]);
    await store.close();
    expect(await take(events, 2)).toEqual(['put /a 1', 'end']);
  });
});

test('a backend that cannot be loaded is closed', async () => {
  let closed = 0;
  const backend: Backend = {
    ...createMemoryBackend(),
    load: async () => {
      throw new Error('unreadable');
    },
    close: async () => {
      closed += 1;
    },
  };
  await expect(openStore(backend)).rejects.toThrow('unreadable');
  expect(closed).toBe(1);
});

describe('what was loaded', () => {
  const loaded = (...texts: readonly string[]): Promise<Store> =>
    openStore({
      ...createMemoryBackend(),
      load: async () => ({
        revision: 9,
        records: texts.map((text, index) => ({
          key: `/${index}`,
          revision: index + 1,
          createdRevision: 1,
          bytes: Buffer.from(text),
        })),
      }),
    });

  test('is decoded when it is first read, frozen, and the same for all readers', async () => {
    const store = await loaded('{"a":{"b":1}}');
    const value = store.get('/0')?.value as { readonly a: object };
    expect(value).toEqual({ a: { b: 1 } });
    expect([Object.isFrozen(value), Object.isFrozen(value.a)]).toEqual([true, true]);
    const list = store.list('/');
    expect('items' in list && list.items[0]?.value).toBe(value);
  });

  test('and is no JSON fails who reads it with the key and the mend, and nobody else', async () => {
    const store = await loaded('{}', '{"half":');
    expect(store.get('/0')?.value).toEqual({});
    expect(() => store.get('/1')?.value).toThrow(
      'what is stored as /1 (revision 2) is no JSON: stop the server and restore its data from a copy',
    );
    expect(store.count('/')).toBe(2);
  });
});

test('close closes the backend once, however often it is called', async () => {
  let closed = 0;
  const store = await openStore({
    ...createMemoryBackend(),
    close: async () => {
      closed += 1;
    },
  });
  await Promise.all([store.close(), store.close()]);
  await store.close();
  expect(closed).toBe(1);
});

test('limits are positive', async () => {
  await expect(openStore(createMemoryBackend(), { revisionsMax: 0 })).rejects.toThrow('positive');
  await expect(openStore(createMemoryBackend(), { watcherBufferMax: 0 })).rejects.toThrow('positive');
});

test('a slow watcher expires instead of growing, and writers do not wait', async () => {
  const store = await openStore(createMemoryBackend(), { watcherBufferMax: 5 });
  const slow = subscribe(store, '/', { from: 0 });
  for (let round = 0; round < 6; round++) await put(store, '/a');
  expect(await take(slow, 2)).toEqual(['expired 0', 'end']);
  expect(store.revision).toBe(6);
});
