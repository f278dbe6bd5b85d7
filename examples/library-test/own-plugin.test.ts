/** A rule of one's own for where pods go, in a profile of the scheduler that pods choose by name. */
import { fits, pods, rejects, type SchedulerPlugin } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterEach, expect, test } from 'vitest';

/** A node has so many licences and each pod takes one: first where most are left. */
const licensed: SchedulerPlugin = {
  name: 'Licensed',
  wakesOn: ['node/added', 'node/updated', 'pod/removed'],
  filter(_, { labels, pods: there }) {
    if (labels['licences'] === undefined) return rejects('node(s) had no licences');
    return there.size < Number(labels['licences']) ? fits : rejects('node(s) had no licence left');
  },
  score: (_, { labels, pods: there }) => Number(labels['licences']) - there.size,
  normalize: 'spread',
};

const configuration = {
  profiles: [
    { schedulerName: 'default-scheduler', plugins: { multiPoint: { disabled: [{ name: 'Licensed' }] } } },
    {
      schedulerName: 'licensed',
      plugins: {
        multiPoint: { disabled: [{ name: '*' }], enabled: [{ name: 'Licensed' }, { name: 'NodeUnschedulable' }] },
      },
    },
  ],
};

let cluster: TestCluster;
afterEach(() => cluster.close());

async function placeOf(name: string): Promise<string | undefined> {
  const { spec, status } = await cluster.client.get(pods, { namespace: 'default', name });
  return spec.nodeName ?? status.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
}

async function run(name: string, schedulerName = 'licensed'): Promise<void> {
  await cluster.applyYaml(`
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec: { schedulerName: ${schedulerName}, containers: [{ name: main, image: example.com/main:1 }] }
`);
  await cluster.advance(15_000);
}

test('pods go where a licence is left, first where most are, and wait otherwise', async () => {
  cluster = await createTestCluster({ nodes: 0, scheduler: { plugins: [licensed], configuration } });
  const node = (name: string, licences: number) =>
    cluster.applyYaml(
      `{ apiVersion: v1, kind: Node, metadata: { name: ${name}, labels: { licences: "${licences}" } } }`,
    );
  await node('small', 1);
  await node('large', 2);
  for (const name of ['a', 'b', 'c', 'd']) await run(name);
  expect(await placeOf('a')).toBe('large');
  expect(new Set([await placeOf('b'), await placeOf('c')])).toEqual(new Set(['small', 'large']));
  expect(await placeOf('d')).toContain('0/2 nodes are available: 2 node(s) had no licence left.');
  await run('anybody', 'default-scheduler');
  expect(await placeOf('anybody')).toMatch(/small|large/);
  await node('third', 1);
  await cluster.advance(15_000);
  expect(await placeOf('d')).toBe('third');
});
