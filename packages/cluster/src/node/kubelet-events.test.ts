/** What simulated nodes tell as kubelets do: of containers that they stop, and of themselves. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { events, nodes, pods } from '../api/generated/kinds.ts';
import { createTestCluster, type TestCluster } from '../testing/test-cluster.ts';

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await createTestCluster({ nodes: 1 });
  await cluster.advance(1_000);
});

afterEach(async () => {
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

async function told(reason: RegExp): Promise<readonly string[]> {
  const { items } = await cluster.client.list(events, {});
  return items
    .filter((event) => event.source?.component === 'kubelet' && reason.test(event.reason ?? ''))
    .map(({ involvedObject, reason: why, message, count }) => `${involvedObject.name} ${why} ${count}: ${message}`);
}

async function runPods(count: number): Promise<void> {
  const containers = '[{ name: main, image: "example/app:1" }, { name: beside, image: "example/beside:1" }]';
  const all = Array.from(
    { length: count },
    (_, index) => `{ apiVersion: v1, kind: Pod, metadata: { name: p${index} }, spec: { containers: ${containers} } }`,
  );
  await cluster.applyYaml(all.join('\n---\n'));
  await cluster.advance(5_000);
}

const remove = (gracePeriodSeconds?: number) =>
  cluster.client.delete(pods, {
    namespace: 'default',
    name: 'p0',
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  });

test('each container that is stopped is told of once, however often somebody hurries', async () => {
  await runPods(1);
  await cluster.client.patch(pods, {
    namespace: 'default',
    name: 'p0',
    patchType: 'merge',
    body: { metadata: { annotations: { 'signalbox.dev/stop-after': '1h' } } },
  });
  await remove(600);
  await cluster.advance(2_000);
  await remove(5);
  await cluster.advance(10_000);
  expect((await cluster.client.list(pods, { namespace: 'default' })).items).toEqual([]);
  expect(await told(/Killing/)).toEqual([
    'p0 Killing 1: Stopping container main',
    'p0 Killing 1: Stopping container beside',
  ]);
});

test('of a pod that is taken away at once nothing is told', async () => {
  await runPods(1);
  await remove(0);
  await cluster.advance(5_000);
  expect(await told(/Killing/)).toEqual([]);
});

const annotate = (stopped: 'true' | null) =>
  cluster.client.patch(nodes, {
    name: 'node-1',
    patchType: 'merge',
    body: { metadata: { annotations: { 'signalbox.dev/stopped': stopped } } },
  });

async function cordon(unschedulable: boolean): Promise<void> {
  await cluster.client.patch(nodes, { name: 'node-1', patchType: 'merge', body: { spec: { unschedulable } } });
  await cluster.advance(1_000);
}

test('a node tells that it is cordoned and opened, and nothing while it is silent', async () => {
  await cordon(true);
  await cordon(true);
  await cordon(false);
  expect(await told(/Schedulable/)).toEqual([
    'node-1 NodeNotSchedulable 1: Node node-1 status is now: NodeNotSchedulable',
    'node-1 NodeSchedulable 1: Node node-1 status is now: NodeSchedulable',
  ]);
  await annotate('true');
  await cordon(true);
  expect(await told(/Schedulable/)).toHaveLength(2);
});
