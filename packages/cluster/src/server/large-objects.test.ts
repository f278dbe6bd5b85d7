/** Work on what is large is done in steps, and others are heard in between. */
import { expect, test } from 'vitest';
import { configmaps, customresourcedefinitions } from '../api/generated/kinds.ts';
import type { KubeObject } from '../api/meta.ts';
import type { Clock } from '../base/clock.ts';
import { configMap, createTestServer, refusalOf, type TestServer } from '../testing/api-server.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';

interface Slow {
  readonly server: TestServer;
  turns: number;
  /** What somebody else does in the next turn. */
  meanwhile: (() => Promise<unknown>) | undefined;
}

/** A server for which every step takes long. */
async function slowServer(): Promise<Slow> {
  const clock = createVirtualClock();
  const state: Pick<Slow, 'turns' | 'meanwhile'> = { turns: 0, meanwhile: undefined };
  let steps = 0;
  const slow: Clock = {
    ...clock,
    nowMs: () => clock.nowMs() + steps++ * 1_000,
    async turn() {
      state.turns++;
      const work = state.meanwhile;
      state.meanwhile = undefined;
      await work?.();
    },
  };
  const server = await createTestServer({ clock: slow });
  state.turns = 0;
  return Object.assign(state, { server });
}

test('a write has a turn between its steps', async () => {
  const world = await slowServer();
  const { create, merge, update, get } = world.server;
  await create(configmaps, configMap('a', { data: { k: 'v' } }));
  expect(world.turns).toBeGreaterThanOrEqual(3);
  world.turns = 0;
  await merge(configmaps, 'a', { body: { data: { l: 'w' } } });
  expect(world.turns).toBeGreaterThanOrEqual(3);
  world.turns = 0;
  await update(configmaps, configMap('a', { data: { m: 'x' } }));
  expect(world.turns).toBeGreaterThanOrEqual(2);
  expect(await get(configmaps, 'a')).toMatchObject({ data: { m: 'x' } });
});

test('who changes the object meanwhile is not overwritten', async () => {
  const world = await slowServer();
  const { create, merge, get } = world.server;
  await create(configmaps, configMap('a', { data: { k: 'v' } }));
  world.meanwhile = () => merge(configmaps, 'a', { body: { data: { other: 'o' } } });
  await merge(configmaps, 'a', { body: { data: { mine: 'm' } } });
  expect(await get(configmaps, 'a')).toMatchObject({ data: { k: 'v', other: 'o', mine: 'm' } });
});

test('who takes the name meanwhile has it', async () => {
  const world = await slowServer();
  const { create } = world.server;
  world.meanwhile = () => create(configmaps, configMap('a', { data: { other: 'o' } }));
  expect(await refusalOf(create(configmaps, configMap('a')))).toMatchObject({ reason: 'AlreadyExists' });
});

test('nothing is created of a resource whose definition goes meanwhile', async () => {
  const world = await slowServer();
  const { create, store, delete: remove } = world.server;
  const things = { group: 'example.com', version: 'v1', resource: 'things' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await create(customresourcedefinitions, {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  world.meanwhile = async () => {
    await remove(customresourcedefinitions, 'things.example.com');
    while (definitions().length > 0) await new Promise((resolve) => setImmediate(resolve));
  };
  const definitions = (): readonly unknown[] => itemsOf('/apiextensions.k8s.io/customresourcedefinitions/');
  const itemsOf = (prefix: string): readonly KubeObject[] => {
    const found = store.list(prefix);
    return 'expired' in found ? [] : found.items.map(({ value }) => value as KubeObject);
  };
  const refused = await refusalOf(create(things, { metadata: { name: 'a' } }, { namespace: 'default' }));
  expect(refused.code).toBe(404);
  expect(itemsOf('/example.com/things/')).toEqual([]);
});

test('a collection is deleted in steps', async () => {
  const world = await slowServer();
  const { create, server, list } = world.server;
  for (const name of ['a', 'b', 'c']) await create(configmaps, configMap(name));
  world.turns = 0;
  await server.perform(
    {
      verb: 'deletecollection',
      resource: configmaps,
      namespace: 'default',
      user: { name: 'admin', groups: ['system:masters'] },
      options: {},
      list: {},
    },
    { signal: new AbortController().signal },
  );
  expect(world.turns).toBeGreaterThanOrEqual(3);
  expect((await list(configmaps)).items).toEqual([]);
});
