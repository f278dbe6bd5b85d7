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

test('a wrong configuration is refused at the start', async () => {
  const scheduler = { configuration: { profiles: [{ plugins: { filter: { enabled: [{ name: 'EvenNodes' }] } } }] } };
  await expect(createTestCluster({ scheduler })).rejects.toThrow('there is no plugin "EvenNodes"');
  cluster = await createTestCluster({ nodes: 1 });
});
