import { expect, test } from 'vitest';
import { pods } from '../../api/generated/kinds.ts';
import type { DeleteOptions, Outcome } from '../../api/operation.ts';
import { createMemoryBackend } from '../../store/backends/memory.ts';
import { admin, createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';

const { signal } = new AbortController();
const target = { resource: pods, user: admin, namespace: 'default', name: 'p' } as const;
const doomed = { status: { conditions: [{ type: 'DisruptionTarget', status: 'True' }] } };

interface World extends TestServer {
  readonly writes: string[];
  /** Says something of the pod, and deletes it as soon as that is decided. */
  sayAndDelete(options?: DeleteOptions): Promise<{ readonly said: Outcome; readonly deleted: Promise<Outcome> }>;
}

async function createWorld(spec: object): Promise<World> {
  const writes: string[] = [];
  const inner = createMemoryBackend();
  const backend = {
    ...inner,
    encodes: true,
    write(batch: Parameters<typeof inner.write>[0]) {
      writes.push(
        [...batch.puts.map(({ key }) => `put ${key}`), ...batch.deletes.map((key) => `delete ${key}`)].join(),
      );
      return inner.write(batch);
    },
  };
  const world = await createTestServer({ backend });
  await world.create(pods, pod('p', spec));
  writes.length = 0;
  return {
    ...world,
    writes,
    async sayAndDelete(options = {}) {
      let deleted: Promise<Outcome> | undefined;
      const decided = (): void => {
        deleted = world.server.perform({ ...target, verb: 'delete', options }, { signal });
        deleted.catch(() => undefined);
      };
      const said = await world.server.perform(
        { ...target, verb: 'patch', subresource: 'status', patchType: 'strategic', body: doomed, options: {} },
        { signal, decided },
      );
      return { said, deleted: deleted ?? Promise.reject(new Error('nobody was told')) };
    },
  };
}

test('who deletes as soon as a write is decided shares its sync, and watchers see both', async () => {
  const world = await createWorld({});
  const watch = world.watch(pods, { resourceVersion: String(world.store.revision) });
  const { said, deleted } = await world.sayAndDelete();
  expect([said.object, (await deleted).object]).toMatchObject([doomed, doomed]);
  await world.clock.settle();
  watch.stop();
  expect(watch.lines()).toEqual(['MODIFIED p', 'DELETED p']);
  expect(watch.events.map(({ object }) => object)).toMatchObject([doomed, doomed]);
  expect(world.writes).toEqual(['delete /core/pods/default/p']);
});

test('of one that may take its time only the mark is written, with what was said before', async () => {
  const world = await createWorld({ nodeName: 'n1', terminationGracePeriodSeconds: 9 });
  const { deleted } = await world.sayAndDelete();
  await deleted;
  expect(world.writes).toEqual(['put /core/pods/default/p']);
  expect(await world.get(pods, 'p')).toMatchObject({ ...doomed, metadata: { deletionGracePeriodSeconds: 9 } });
});

test('a refusal goes by what is durable, and by what was decided once that is', async () => {
  const world = await createWorld({});
  const { said, deleted } = await world.sayAndDelete({ preconditions: { uid: 'other' } });
  expect((await refusalOf(deleted)).code).toBe(409);
  const { resourceVersion = '' } = said.object.metadata;
  const stale = String(Number(resourceVersion) - 1);
  const again = await createWorld({});
  const { deleted: refused } = await again.sayAndDelete({ preconditions: { resourceVersion: stale } });
  expect((await refusalOf(refused)).code).toBe(409);
  expect(await again.get(pods, 'p')).toMatchObject(doomed);
});

test('a dry run, and a write that changes nothing, decide nothing', async () => {
  const world = await createWorld({});
  const told: string[] = [];
  const patch = { ...target, verb: 'patch', subresource: 'status', patchType: 'merge' } as const;
  const decided = (): void => void told.push('decided');
  await world.server.perform({ ...patch, body: doomed, options: { dryRun: true } }, { signal, decided });
  await world.server.perform({ ...patch, body: {}, options: {} }, { signal, decided });
  expect(told).toEqual([]);
});
