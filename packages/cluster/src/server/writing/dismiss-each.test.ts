import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { pods } from '../../api/generated/kinds.ts';
import type { KubeList, KubeObject } from '../../api/meta.ts';
import type { Dismissal } from '../../api/operation.ts';
import { createClient } from '../../client/create-client.ts';
import { admin, createTestServer, pod, type TestServer } from '../../testing/api-server.ts';
import type { Reviewer } from '../context/reviewer.ts';

const { signal } = new AbortController();
const why = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'm' };

interface Kept {
  readonly grace: number;
  readonly node: string | undefined;
  readonly finalizers: readonly string[];
  readonly isGoing: boolean;
  readonly isSaid: boolean;
  /** One of another uid is meant. */
  readonly isOther: boolean;
}

const kept: fc.Arbitrary<Kept> = fc.record({
  grace: fc.constantFrom(0, 1, 30),
  node: fc.constantFrom(undefined, 'node-1'),
  finalizers: fc.constantFrom([], [], ['example.com/stays']),
  isGoing: fc.boolean(),
  isSaid: fc.boolean(),
  isOther: fc.constantFrom(false, false, false, true),
});

async function world(all: readonly Kept[], options: Parameters<typeof createTestServer>[0] = {}): Promise<TestServer> {
  const server = await createTestServer(options);
  for (const [index, { grace, node, finalizers, isGoing, isSaid }] of all.entries()) {
    const name = `p-${index}`;
    const body = pod(name, { terminationGracePeriodSeconds: grace, ...(node !== undefined && { nodeName: node }) });
    await server.create(pods, { ...body, metadata: { ...(body as KubeObject).metadata, finalizers } });
    if (isSaid) await server.merge(pods, name, { subresource: 'status', body: { status: { conditions: [why] } } });
    if (isGoing) await server.delete(pods, name);
  }
  return server;
}

async function dismissalsOf(server: TestServer, all: readonly Kept[]): Promise<readonly Dismissal[]> {
  const { items } = await server.list(pods);
  return all.map(({ isOther }, index) => {
    const name = `p-${index}`;
    const uid = items.find(({ metadata }) => metadata.name === name)?.metadata.uid ?? 'gone';
    return { namespace: 'default', name, uid: isOther ? 'other' : uid, condition: why };
  });
}

/** Versions are counted, one for each write: all else has to be the same. */
async function left(server: TestServer): Promise<string> {
  const { items } = await server.list(pods);
  return JSON.stringify(
    items.map(({ metadata: { resourceVersion: _counted, ...metadata }, ...rest }) => ({ metadata, ...rest })),
  );
}

const outcome = (each: KubeObject | Error): string => (each instanceof Error ? each.message : each.metadata.name);

test('who is dismissed is left as by a patch and a deletion', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(kept, { minLength: 1, maxLength: 4 }), async (all) => {
      const [together, alone] = [await world(all), await world(all)];
      const client = createClient(together.server, admin);
      const { perform, watch } = alone.server;
      const other = createClient({ perform, watch }, admin);
      const told = await client.dismissEach(pods, await dismissalsOf(together, all), { signal });
      const said = await other.dismissEach(pods, await dismissalsOf(alone, all), { signal });
      expect(told.map(outcome)).toEqual(said.map(outcome));
      expect(await left(together)).toBe(await left(alone));
    }),
    { numRuns: 60 * inject('thoroughness') },
  );
});

const usual: Kept = { grace: 0, node: undefined, finalizers: [], isGoing: false, isSaid: false, isOther: false };

test('both are one version, and a watch shows one event, which says why', async () => {
  const all = [usual, { ...usual, grace: 30, node: 'node-1' }];
  const server = await world(all);
  const watch = server.watch(pods, { resourceVersion: String(server.store.revision) });
  const before = server.store.revision;
  await createClient(server.server, admin).dismissEach(pods, await dismissalsOf(server, all), { signal });
  await server.clock.settle();
  watch.stop();
  expect(watch.lines()).toEqual(['DELETED p-0', 'MODIFIED p-1']);
  for (const { object } of watch.events)
    expect(object).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) },
      status: { conditions: expect.arrayContaining([expect.objectContaining(why)]) },
    });
  expect(server.store.revision - before).toBe(2);
});

test.each([
  ['what is said', 'patch', ['update status']],
  ['who ends', 'delete', ['delete ']],
  ['both', undefined, ['update status', 'delete ']],
])('where somebody else has a say in %s, that one is asked', async (_, concern, expected) => {
  const asked: string[] = [];
  const reviewer: Reviewer = {
    name: 'listens',
    concerns: ({ verb }) => verb === (concern ?? verb) && verb !== 'create',
    judge({ does, request: { subresource = '' } }) {
      asked.push(`${does} ${subresource}`);
      return Promise.resolve({ allowed: true });
    },
  };
  const server = await world([usual], { reviewers: [reviewer] });
  const dismissals = await dismissalsOf(server, [usual]);
  asked.length = 0;
  const [told] = await createClient(server.server, admin).dismissEach(pods, dismissals, { signal });
  expect(told).not.toBeInstanceOf(Error);
  expect(asked).toEqual(expected);
});

test('nobody is dismissed where nobody is meant', async () => {
  const server = await world([usual]);
  const before = server.store.revision;
  expect(await createClient(server.server, admin).dismissEach(pods, [], { signal })).toEqual([]);
  expect(server.store.revision).toBe(before);
});

test.each([
  ['say nothing', 'patch', ['p-0']],
  ['end nobody', 'delete', ['p-0', 'DisruptionTarget']],
])('who may %s is refused, and has done what stands before it', async (_, forbidden, expected) => {
  const server = await world([usual], {
    authorizer: {
      name: 'some',
      authorize: ({ user, verb }) => ({ allowed: user.name !== 'jane' || verb !== forbidden, reason: '' }),
      rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
    },
  });
  const [told] = await createClient(server.server, { name: 'jane', groups: [] }).dismissEach(
    pods,
    await dismissalsOf(server, [usual]),
    { signal },
  );
  expect(told).toMatchObject({ status: { reason: 'Forbidden' } });
  const { items } = (await server.list(pods)) as KubeList<Pod>;
  const left = items.map(({ metadata, status }) => [
    metadata.name,
    ...(status.conditions ?? []).map(({ type }) => type),
  ]);
  expect(left).toEqual([expected]);
});
