/** What the README shows: rules of one's own, in profiles that pods choose. */
import { afterEach, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { pods } from '../api/generated/kinds.ts';
import type { New } from '../api/meta.ts';
import { createTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { fits, rejects, type SchedulerPlugin } from './plugin.ts';

let cluster: TestCluster;
afterEach(() => cluster.close());

const evenNodes: SchedulerPlugin = {
  name: 'EvenNodes',
  wakesOn: ['node/added', 'node/updated'],
  filter: (_, node) => (Number(node.name.at(-1)) % 2 === 0 ? fits : rejects('node(s) had an odd number')),
};

const pod = (name: string, schedulerName: string): readonly New<Pod>[] => [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { schedulerName, containers: [{ name: 'main', image: 'app:1' }] },
  },
];

async function placeOf(name: string): Promise<string | undefined> {
  const { signal } = new AbortController();
  const { spec, status } = await cluster.client.get(pods, { namespace: 'default', name, signal });
  return spec.nodeName ?? status.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
}

test('a plugin of one’s own has its say in the profiles that have it', async () => {
  cluster = await createTestCluster({
    nodes: 3,
    scheduler: {
      plugins: [evenNodes],
      configuration: {
        profiles: [
          { schedulerName: 'default-scheduler' },
          { schedulerName: 'any', plugins: { multiPoint: { disabled: [{ name: 'EvenNodes' }] } } },
          { schedulerName: 'tight', plugins: { filter: { enabled: [{ name: 'EvenNodes' }] } } },
        ],
      },
    },
  });
  for (const name of ['a', 'b', 'c']) await cluster.apply(pod(name, 'default-scheduler'));
  for (const name of ['x', 'y', 'z']) await cluster.apply(pod(name, 'any'));
  await cluster.apply(pod('alone', 'somebody-else'));
  await cluster.clock.advance(10_000);
  expect(await Promise.all(['a', 'b', 'c'].map(placeOf))).toEqual(['node-2', 'node-2', 'node-2']);
  const anywhere = await Promise.all(['x', 'y', 'z'].map(placeOf));
  expect(anywhere.some((node) => node !== 'node-2')).toBe(true);
  expect(await placeOf('alone')).toBeUndefined();
});

test('its reasons are told as those of others are', async () => {
  cluster = await createTestCluster({ nodes: 1, scheduler: { plugins: [evenNodes] } });
  await cluster.apply(pod('a', 'default-scheduler'));
  await cluster.clock.advance(10_000);
  expect(await placeOf('a')).toBe(
    '0/1 nodes are available: 1 node(s) had an odd number. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  );
});

test('one that fails for a pod keeps no other one from its node, and is told', async () => {
  let isBroken = true;
  const broken: SchedulerPlugin = {
    name: 'Broken',
    wakesOn: [],
    filter({ pod: { metadata } }) {
      if (isBroken && metadata.name === 'a') throw new Error('oops');
      return fits;
    },
  };
  cluster = await createTestCluster({ nodes: 2, scheduler: { plugins: [broken] } });
  for (const name of ['a', 'b']) await cluster.apply(pod(name, 'default-scheduler'));
  await cluster.clock.advance(5_000);
  expect(await placeOf('b')).toMatch('node');
  expect(await placeOf('a')).toBe('running Filter plugin "Broken": oops');
  expect(cluster.problems[0]).toMatchObject({
    component: 'default-scheduler',
    message: 'cannot decide about pod default/a',
  });
  isBroken = false;
  await cluster.clock.advance(10_000);
  expect(await placeOf('a')).toMatch('node');
});

test.each<[string, Partial<SchedulerPlugin>, string]>([
  [
    'too many',
    { score: () => 101 },
    'plugin "Broken" returns an invalid score 101, it should in the range of [0, 100]',
  ],
  ['no number', { rank: (_, nodes) => nodes.map(() => Number.NaN) }, 'plugin "Broken" returns an invalid score NaN'],
  [
    'no number to be scaled',
    { score: () => Number.NaN, normalize: 'spread' },
    'plugin "Broken" returns an invalid score',
  ],
  ['too few', { rank: () => [1] }, 'plugin "Broken" gives 1 scores for 2 nodes'],
])('points that are none are told: %s', async (_, parts, message) => {
  const plugins = [{ name: 'Broken', wakesOn: [], ...parts }];
  cluster = await createTestCluster({ nodes: 2, scheduler: { plugins } });
  await cluster.apply(pod('a', 'default-scheduler'));
  await cluster.clock.advance(2_000);
  expect(await placeOf('a')).toContain(message);
});

const verdict = 'it must return fits, rejects(why) or rejectsForGood(why), not';
test.each<[string, object, string]>([
  ['true', { filter: () => true }, `running Filter plugin "Broken": ${verdict} true`],
  ['nothing', { filter: () => undefined }, `${verdict} undefined`],
  ['text', { filter: () => 'no' }, `${verdict} no`],
  ['a promise', { filter: async () => fits }, `${verdict} a promise: it has to answer at once`],
  ['a rejection without reasons', { filter: () => ({ fits: false }) }, `${verdict} an object with fits`],
  [
    'a reason that is text',
    { filter: () => ({ fits: false, reasons: ['no'] }) },
    `${verdict} an object with fits, reasons`,
  ],
  [
    'no preparation',
    { prepare: () => true },
    'running PreFilter plugin "Broken": it must return { state }, { state, onlyNodes } or { rejected: why }, not true',
  ],
  ['a state without steps', { prepare: () => ({ state: {} }) }, 'plugin "Broken": it must return { state }'],
  [
    'nodes as a list',
    { prepare: () => ({ state: undefined, onlyNodes: ['node-1'] }) },
    'an object with state, onlyNodes',
  ],
  ['points as text', { score: () => '7' }, 'plugin "Broken" returns an invalid score 7'],
  ['points as one', { rank: () => 7 }, 'it must give a list of scores or undefined, not 7'],
])('what is no answer is told of the pod: %s', async (_, parts, message) => {
  const plugins = [{ name: 'Broken', wakesOn: [], ...parts }] as unknown as readonly SchedulerPlugin[];
  cluster = await createTestCluster({ nodes: 2, scheduler: { plugins } });
  await cluster.apply(pod('a', 'default-scheduler'));
  await cluster.clock.advance(2_000);
  expect(await placeOf('a')).toContain(message);
  const { status } = await cluster.client.get(pods, { namespace: 'default', name: 'a' });
  expect(status.conditions?.find(({ type }) => type === 'PodScheduled')?.reason).toBe('SchedulerError');
});

test('one that fails where pods would have to go, or wait, is told as well', async () => {
  let tries = 0;
  const broken: SchedulerPlugin = {
    name: 'Broken',
    wakesOn: ['node/updated'],
    helps: () => {
      throw new Error('who knows');
    },
    filter() {
      tries++;
      // The first time is the search for a node, the next one what would be without those who are there.
      if (tries === 2) throw new Error('oops');
      return tries === 1 ? rejects('not now') : fits;
    },
  };
  cluster = await createTestCluster({ nodes: 1, scheduler: { plugins: [broken] } });
  await cluster.apply([
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 10 },
  ] as never);
  const [low] = pod('low', 'default-scheduler');
  await cluster.apply([{ ...low, spec: { ...low?.spec, nodeName: 'node-1' } }] as never);
  const [high] = pod('a', 'default-scheduler');
  await cluster.apply([{ ...high, spec: { ...high?.spec, priorityClassName: 'high' } }] as never);
  await cluster.clock.advance(500);
  expect(await placeOf('a')).toBe('running Filter plugin "Broken": oops');
  await cluster.clock.advance(10_000);
  expect(await placeOf('a')).toBe('node-1');
});

test('a wrong configuration is refused at the start', async () => {
  const scheduler = { configuration: { profiles: [{ plugins: { filter: { enabled: [{ name: 'EvenNodes' }] } } }] } };
  await expect(createTestCluster({ scheduler })).rejects.toThrow('there is no plugin "EvenNodes"');
  cluster = await createTestCluster({ nodes: 1 });
});
