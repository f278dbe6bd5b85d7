/** Pods on simulated nodes that have failed by a word of their node, through the API. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configmaps, events, pods } from '../api/generated/kinds.ts';
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

const podOf = (spec: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: app }
spec:
  restartPolicy: Never
  activeDeadlineSeconds: 60
${spec}
`;

async function state(): Promise<string> {
  const { status } = await cluster.client.get(pods, { namespace: 'default', name: 'app' });
  const [container] = status.containerStatuses ?? [];
  return [status.phase, status.reason, container?.state?.terminated?.reason ?? 'goes on'].join(' ');
}

test.each<[string, string, string]>([
  ['that runs', 'containers: [{ name: main, image: "app:1" }]', 'Failed DeadlineExceeded Completed'],
  [
    'whose image cannot be pulled',
    'containers: [{ name: main, image: "registry.invalid/app:1" }]',
    'Failed DeadlineExceeded ContainerStatusUnknown',
  ],
  [
    'whose volume is missing',
    `containers: [{ name: main, image: "app:1" }]
  volumes: [{ name: settings, configMap: { name: settings } }]`,
    'Failed DeadlineExceeded ContainerStatusUnknown',
  ],
  [
    'whose environment is missing',
    'containers: [{ name: main, image: "app:1", envFrom: [{ configMapRef: { name: settings } }] }]',
    'Failed DeadlineExceeded ContainerStatusUnknown',
  ],
])('a pod %s has failed when its time is over, and stays so', async (_, spec, expected) => {
  await cluster.applyYaml(podOf(`  ${spec}`));
  await cluster.advance(55_000);
  expect(await state()).toMatch(/^(Pending|Running) {2}/);
  await cluster.advance(10_000);
  expect(await state()).toBe(expected);
  const settings = { apiVersion: 'v1' as const, kind: 'ConfigMap' as const, metadata: { name: 'settings' } };
  await cluster.client.create(configmaps, { ...settings, metadata: { ...settings.metadata, namespace: 'default' } });
  await cluster.advance(300_000);
  expect(await state()).toBe(expected);
  const told = (await cluster.client.list(events, { namespace: 'default' })).items.filter(
    ({ reason }) => reason === 'DeadlineExceeded',
  );
  expect(told.map(({ type, message, count }) => [type, message, count])).toEqual([
    ['Normal', 'Pod was active on the node longer than the specified deadline', 1],
  ]);
});

test('a deadline that is set while the pod runs holds, and one that is far away keeps nobody awake', async () => {
  await cluster.applyYaml(podOf('  containers: [{ name: main, image: "app:1" }]').replace('60', '1000000'));
  await cluster.advance(100_000);
  expect(await state()).toBe('Running  goes on');
  await cluster.client.patch(pods, {
    ...{ namespace: 'default', name: 'app', patchType: 'merge' },
    body: { spec: { activeDeadlineSeconds: 10 } },
  });
  await cluster.advance(1_000);
  expect(await state()).toBe('Failed DeadlineExceeded Completed');
});

test('of a pod that its node turns away nothing but why is told, so that it does not look as if it were being made', async () => {
  await cluster.applyYaml(`
apiVersion: v1
kind: Pod
metadata: { name: app }
spec: { nodeName: node-1, containers: [{ name: main, image: "app:1", resources: { requests: { cpu: "1000" } } }] }`);
  await cluster.advance(5_000);
  const { status } = await cluster.client.get(pods, { namespace: 'default', name: 'app' });
  const { phase, reason, containerStatuses, conditions } = status;
  expect({ phase, reason, containerStatuses, conditions }).toEqual({ phase: 'Failed', reason: 'OutOfcpu' });
});
