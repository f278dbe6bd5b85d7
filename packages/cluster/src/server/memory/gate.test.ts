import { expect, test } from 'vitest';
import { configmaps, leases } from '../../api/generated/kinds.ts';
import { configMap, createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';
import { createMemoryGate } from './gate.ts';

const mebibyte = 2 ** 20;
const limitBytes = 1_000 * mebibyte;

interface World extends TestServer {
  /** In MiB; garbage goes with a collection. */
  readonly used: { live: number; garbage: number };
  collections(): number;
}

async function createWorld(): Promise<World> {
  const used = { live: 100, garbage: 0 };
  let collections = 0;
  const plain = await createTestServer();
  const gate = createMemoryGate({
    store: plain.store,
    clock: plain.clock,
    limitBytes,
    memory: {
      measure() {
        const usedBytes = (used.live + used.garbage) * mebibyte;
        return { residentBytes: usedBytes, usedBytes, heapUsedBytes: usedBytes, heapLimitBytes: 4 * limitBytes };
      },
      collect() {
        collections += 1;
        used.garbage = 0;
      },
    },
  });
  const server = await createTestServer({ memory: gate, store: plain.store, clock: plain.clock });
  return { ...server, store: plain.store, clock: plain.clock, used, collections: () => collections };
}

test('garbage is collected before anybody is refused', async () => {
  const { create, used, collections } = await createWorld();
  used.garbage = 800;
  await create(configmaps, configMap('a'));
  expect([collections(), used.garbage]).toEqual([1, 0]);
});

test('a full memory refuses what grows and says what fills it and the mend; deleting opens it again', async () => {
  const { create, merge, used, clock, delete: remove } = await createWorld();
  for (const name of ['a', 'b']) await create(configmaps, { ...configMap(name), data: { k: 'x'.repeat(500_000) } });
  used.live = 700;
  await clock.advance(10);
  const refusal = await refusalOf(create(configmaps, configMap('c')));
  expect(refusal).toMatchObject({
    code: 507,
    reason: 'InsufficientStorage',
    message: expect.stringMatching(
      /^the server uses 700Mi of 1000Mi of memory, most of it for 2 configmaps \(1Mi\), .*: delete what is not needed, or start it with a larger --memory-limit$/,
    ),
  });
  const grown = await refusalOf(merge(configmaps, 'a', { body: { data: { more: 'x'.repeat(5_000) } } }));
  expect(grown.code).toBe(507);
  await merge(configmaps, 'a', { body: { metadata: { labels: { small: 'change' } } } });
  await merge(configmaps, 'a', { body: { data: null } });
  await remove(configmaps, 'b');
  used.live = 500;
  await clock.advance(10);
  await create(configmaps, configMap('c'));
});

test('leases go on', async () => {
  const { create, used, clock } = await createWorld();
  used.live = 700;
  await clock.advance(10);
  await create(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'leader' } });
});

test('the past is forgotten first', async () => {
  const { create, merge, used, clock, store } = await createWorld();
  await create(configmaps, { ...configMap('a'), data: { k: 'x'.repeat(1_000_000) } });
  for (let round = 0; round < 70; round++) await merge(configmaps, 'a', { body: { data: { round: String(round) } } });
  expect(store.usage.historyBytes).toBeGreaterThan(64 * mebibyte);
  used.live = 640;
  await clock.advance(10);
  await merge(configmaps, 'a', { body: { data: { round: 'last' } } });
  expect(store.usage.historyBytes).toBeLessThan(2 * mebibyte);
});

test('lists of everything are refused last, with the way to page', async () => {
  const { create, list, used, clock } = await createWorld();
  for (let index = 0; index <= 1_000; index++) await create(configmaps, configMap(`m${index}`));
  used.live = 860;
  await clock.advance(10);
  const refusal = await refusalOf(list(configmaps));
  expect(refusal).toMatchObject({ code: 429, details: { retryAfterSeconds: 5 } });
  expect(refusal.message).toContain('list in pages (limit=500)');
  expect((await list(configmaps, { limit: 500 })).items).toHaveLength(500);
});

test('after a burst what it left behind is collected, once it is quiet, and then nothing runs', async () => {
  const { create, used, clock, collections } = await createWorld();
  await create(configmaps, configMap('a'));
  used.garbage = 300;
  await clock.advance(60_000);
  expect([collections(), used.garbage]).toEqual([1, 0]);
  await clock.advance(3_600_000);
  expect(collections()).toBe(1);
});
