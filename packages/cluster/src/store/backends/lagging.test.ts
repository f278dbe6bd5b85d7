import { expect, test } from 'vitest';
import { NothingWrittenError } from '../backend.ts';
import type { Backend, BackendBatch } from '../store.ts';
import { createLaggingBackend } from './lagging.ts';

function record(key: string, revision: number) {
  return { key, createdRevision: 1, revision, bytes: Buffer.from(`${key}${revision}`) };
}

const put = (key: string, revision: number): BackendBatch => ({ revision, puts: [record(key, revision)], deletes: [] });

interface World {
  readonly lagging: ReturnType<typeof createLaggingBackend>;
  /** `7: a7 b6 -c` */
  readonly written: readonly string[];
  mayLag: boolean;
  fails: Error | undefined;
  /** Lets the time of what waits come. */
  pass(): Promise<void>;
}

function createWorld({ bytesMax }: { readonly bytesMax?: number } = {}): World {
  const written: string[] = [];
  const due: (() => void)[] = [];
  const world = { mayLag: true, fails: undefined as Error | undefined };
  const inner: Backend = {
    load: () => Promise.resolve({ revision: 0, records: [] }),
    async write({ revision, puts, deletes }) {
      await Promise.resolve();
      if (world.fails !== undefined) throw world.fails;
      const said = [...puts.map(({ bytes }) => bytes.toString()), ...deletes.map((key) => `-${key}`)];
      written.push(`${revision}: ${said.join(' ')}`);
    },
    recover: () => Promise.resolve(1),
    close: () => Promise.resolve(),
  };
  const lagging = createLaggingBackend(inner, {
    mayLag: () => world.mayLag,
    clock: {
      after(_, work) {
        due.push(work);
        return () => undefined;
      },
    },
    ...(bytesMax !== undefined && { bytesMax }),
  });
  return Object.assign(world, {
    lagging,
    written,
    async pass() {
      for (const work of due.splice(0)) work();
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    },
  });
}

test('what may lag is put together, the newest of each key, and is written a moment later', async () => {
  const { lagging, written, pass } = createWorld();
  for (const batch of [put('a', 2), put('b', 3), put('a', 4), put('c', 5)]) await lagging.backend.write(batch);
  await lagging.backend.write({ revision: 6, puts: [], deletes: ['c'] });
  expect(written).toEqual([]);
  await pass();
  expect(written).toEqual(['6: a4 b3 -c']);
});

test('what may not lag waits for the disk, and for everything before it', async () => {
  const world = createWorld();
  await world.lagging.backend.write(put('a', 2));
  world.mayLag = false;
  await world.lagging.backend.write(put('b', 3));
  expect(world.written).toEqual(['2: a2', '3: b3']);
});

test('nothing is left behind at the end', async () => {
  const { lagging, written } = createWorld();
  await lagging.backend.write(put('a', 2));
  await lagging.caughtUp();
  expect(written).toEqual(['2: a2']);
  await lagging.backend.write(put('a', 3));
  await lagging.backend.close();
  expect(written).toEqual(['2: a2', '3: a3']);
});

test('who brings more than may wait waits', async () => {
  const { lagging, written } = createWorld({ bytesMax: 4 });
  for (const batch of [put('a', 2), put('b', 3), put('c', 4)]) await lagging.backend.write(batch);
  expect(written).toEqual(['3: a2 b3']);
});

test('what cannot be written is kept, and nothing more is acknowledged before it is', async () => {
  const world = createWorld();
  await world.lagging.backend.write(put('a', 2));
  world.fails = new Error('the disk is full');
  await world.pass();
  const refused = world.lagging.backend.write(put('b', 3));
  await expect(refused).rejects.toThrow(NothingWrittenError);
  await expect(refused).rejects.toThrow('the disk is full');
  world.fails = undefined;
  await world.lagging.backend.write(put('c', 3));
  expect(world.written).toEqual(['2: a2', '3: c3']);
  // From here on as before.
  await world.lagging.backend.write(put('d', 4));
  expect(world.written).toHaveLength(2);
});

test('who recovers has everything that was acknowledged', async () => {
  const world = createWorld();
  await world.lagging.backend.write(put('a', 2));
  expect(await world.lagging.backend.recover?.()).toBe(2);
  expect(world.written).toEqual(['2: a2']);
});
