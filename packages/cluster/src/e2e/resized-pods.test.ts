/** Pods that get another size while they run, on nodes that have room for it, or not. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { nodes, pods } from '../api/generated/kinds.ts';
import { createTestCluster, type TestCluster } from '../testing/test-cluster.ts';

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await createTestCluster({ nodes: 0 });
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a' },
    status: { capacity: { cpu: '2', memory: '4Gi', pods: '10' } },
  };
  await cluster.client.create(nodes, node as never);
  await cluster.clock.advance(5_000);
});

afterEach(() => cluster.close());

async function run(name: string, cpu: string, container: object = {}): Promise<void> {
  const requests = { cpu, memory: '64Mi' };
  const spec = { containers: [{ name: 'c', image: 'i', resources: { requests }, ...container }] };
  await cluster.client.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec,
  } as never);
  await cluster.clock.advance(5_000);
}

async function resize(name: string, cpu: string): Promise<Pod> {
  const body = { spec: { containers: [{ name: 'c', resources: { requests: { cpu, memory: '64Mi' } } }] } };
  await cluster.client.patch(pods, { name, namespace: 'default', subresource: 'resize', patchType: 'strategic', body });
  await cluster.clock.advance(2_000);
  return podOf(name);
}

const podOf = (name: string): Promise<Pod> => cluster.client.get(pods, { name, namespace: 'default' });
const pending = ({ status }: Pod): object | undefined =>
  status.conditions?.find(({ type }) => type === 'PodResizePending');
const sizeOf = ({ status }: Pod): unknown => status.containerStatuses?.[0]?.allocatedResources?.['cpu'];

test('a pod that there is room for gets its new size, and says so', async () => {
  await run('p', '500m');
  expect(sizeOf(await podOf('p'))).toBeUndefined();
  const pod = await resize('p', '1500m');
  expect(pod.metadata.generation).toBe(2);
  expect(pod.status.containerStatuses?.[0]).toMatchObject({
    restartCount: 0,
    resources: { requests: { cpu: '1500m', memory: '64Mi' } },
    allocatedResources: { cpu: '1500m', memory: '64Mi' },
  });
  expect(pending(pod)).toBeUndefined();
  // What it has is nobody else's.
  await run('q', '1');
  expect((await podOf('q')).spec.nodeName).toBeUndefined();
  await resize('p', '250m');
  await cluster.clock.advance(60_000);
  expect((await podOf('q')).spec.nodeName).toBe('a');
});

test('one that waits for room gets its size when somebody leaves', async () => {
  await run('p', '500m');
  await run('q', '1');
  const waiting = await resize('p', '1500m');
  expect(pending(waiting)).toMatchObject({
    status: 'True',
    reason: 'Deferred',
    message: "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
  });
  await cluster.client.delete(pods, { name: 'q', namespace: 'default', gracePeriodSeconds: 0 });
  await cluster.clock.advance(10_000);
  const pod = await podOf('p');
  expect(pending(pod)).toBeUndefined();
  expect(sizeOf(pod)).toBe('1500m');
});

test('one that asks for more than its node has keeps what it had, and may think again', async () => {
  await run('p', '500m');
  await resize('p', '600m');
  const refused = await resize('p', '3');
  expect(pending(refused)).toMatchObject({
    reason: 'Infeasible',
    message: "Node didn't have enough capacity: cpu, requested: 3000, capacity: 2000",
  });
  expect(sizeOf(refused)).toBe('600m');
  await run('q', '1');
  expect((await podOf('q')).spec.nodeName).toBe('a');
  const again = await resize('p', '700m');
  expect(pending(again)).toBeUndefined();
  expect(sizeOf(again)).toBe('700m');
});

test('a container that has to start anew for it does, once', async () => {
  await run('p', '500m', { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] });
  expect(sizeOf(await podOf('p'))).toBe('500m');
  await resize('p', '700m');
  await cluster.clock.advance(30_000);
  const { status } = await podOf('p');
  expect(status.containerStatuses?.[0]).toMatchObject({
    restartCount: 1,
    ready: true,
    allocatedResources: { cpu: '700m' },
  });
});
