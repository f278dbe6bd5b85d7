/** Real sockets, virtual time: pods behind a kubelet's door are measured as those of the fleet are, and scaled by it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodes, pods } from '../../api/generated/kinds.ts';
import { resourceType } from '../../api/gvk.ts';
import { nodemetrics, podmetrics } from '../../api/metrics.ts';
import { sleep, systemClock, toTimestamp } from '../../base/clock.ts';
import { createFakeKubelet, type FakeKubelet, resourceText } from '../../testing/fake-kubelet.ts';
import { createTestCluster, type TestCluster } from '../../testing/test-cluster.ts';

const { signal } = new AbortController();
const things = resourceType({
  ...{ group: 'example.com', version: 'v1', resource: 'things', kind: 'Thing', namespaced: true },
});

let cluster: TestCluster;
let kubelet: FakeKubelet;
let startMs: number;
/** What the container in the pod uses. */
let milli: number;

beforeEach(async () => {
  milli = 90;
  cluster = await createTestCluster({ nodes: 1 });
  startMs = cluster.clock.nowMs();
  kubelet = await createFakeKubelet({ measures });
});

afterEach(async () => {
  kubelet.close();
  await cluster.close();
});

function measures(): string {
  const nowMs = cluster.clock.nowMs();
  const cpuSeconds = (milli * (nowMs - startMs)) / 1e6;
  const startedMs = startMs - 3_600_000;
  return resourceText([{ pod: 'agent', container: 'app', cpuSeconds, memoryBytes: 2 ** 20, startedMs }], nowMs);
}

/** In steps, with time for what comes over the sockets. */
async function advance(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await cluster.advance(1_000);
    await sleep(systemClock, 2, { signal });
  }
  for (let turn = 0; turn < 20; turn += 1) {
    await cluster.advance(0);
    await sleep(systemClock, 2, { signal });
  }
}

async function runBehind(url: string): Promise<void> {
  await cluster.applyYaml(`
apiVersion: v1
kind: Node
metadata: { name: real, annotations: { signalbox.dev/driver: process, signalbox.dev/kubelet: "${url}" } }
---
apiVersion: v1
kind: Pod
metadata: { name: agent, labels: { app: agent } }
spec:
  nodeName: real
  containers: [{ name: app, image: "example/app:1", resources: { requests: { cpu: 100m } } }]
`);
  const since = toTimestamp(startMs - 3_600_000);
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: since };
  await cluster.client.patch(pods, {
    ...{ namespace: 'default', name: 'agent', subresource: 'status', patchType: 'merge', signal },
    body: { status: { phase: 'Running', startTime: since, conditions: [ready] } },
  });
}

const metricsOf = async (): Promise<readonly unknown[]> =>
  (await cluster.client.list(podmetrics, { namespace: 'default', signal })).items;

test('two looks make a measure; a node is asked every 15 seconds by who runs the cluster', async () => {
  await runBehind(kubelet.url);
  await advance(10);
  expect(kubelet.measured).toHaveLength(1);
  expect(await metricsOf()).toEqual([]);
  await expect(cluster.client.get(podmetrics, { namespace: 'default', name: 'agent', signal })).rejects.toThrow(
    'pods.metrics.k8s.io "default/agent" not found',
  );
  await advance(10);
  expect(kubelet.measured).toHaveLength(2);
  expect(await metricsOf()).toMatchObject([
    {
      metadata: { name: 'agent', namespace: 'default', labels: { app: 'agent' } },
      // A second more where an answer over the socket took its time.
      window: expect.stringMatching(/^1[56]s$/),
      containers: [{ name: 'app', usage: { cpu: '90m', memory: '1Mi' } }],
    },
  ]);
  const real = await cluster.client.get(nodemetrics, { name: 'real', signal });
  expect(real.usage).toEqual({ cpu: '90m', memory: '1Mi' });
  await advance(45);
  expect(kubelet.measured).toHaveLength(5);
  expect(cluster.problems).toEqual([]);
});

describe('gaps', () => {
  test('a node that becomes silent has no measures, and is told once', async () => {
    await runBehind(kubelet.url);
    await advance(16);
    expect(await metricsOf()).toHaveLength(1);
    kubelet.close();
    await advance(15);
    expect(await metricsOf()).toEqual([]);
    await expect(cluster.client.get(nodemetrics, { name: 'real', signal })).rejects.toThrow('not found');
    await advance(60);
    expect(cluster.problems.map(({ component, message }) => `${component}: ${message}`)).toEqual([
      expect.stringMatching(
        /^node-meter: node real does not say what its pods use \(https:\/\/127\.0\.0\.1:\d+\/metrics/,
      ),
    ]);
  });

  test('a node that is gone, or stopped, is not asked', async () => {
    await runBehind(kubelet.url);
    await advance(1);
    const body = { metadata: { annotations: { 'signalbox.dev/stopped': 'true' } } };
    await cluster.client.patch(nodes, { name: 'real', patchType: 'merge', body, signal });
    await advance(40);
    expect(kubelet.measured).toHaveLength(1);
    const on = { metadata: { annotations: { 'signalbox.dev/stopped': null } } };
    await cluster.client.patch(nodes, { name: 'real', patchType: 'merge', body: on, signal });
    await advance(1);
    expect(kubelet.measured).toHaveLength(2);
    await cluster.client.delete(nodes, { name: 'real', signal });
    await advance(40);
    expect(kubelet.measured).toHaveLength(2);
  });
});

test('an autoscaler follows what pods behind a door use', async () => {
  await cluster.applyYaml(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.example.com }
spec:
  group: example.com
  names: { plural: things, kind: Thing }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
      subresources:
        scale: { specReplicasPath: .spec.shards, statusReplicasPath: .status.shards, labelSelectorPath: .status.selector }
`);
  await cluster.advance(1_000);
  await cluster.applyYaml(`
apiVersion: example.com/v1
kind: Thing
metadata: { name: agent }
spec: { shards: 1 }
status: { shards: 1, selector: "app=agent" }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: agent }
spec:
  scaleTargetRef: { apiVersion: example.com/v1, kind: Thing, name: agent }
  maxReplicas: 5
  metrics:
    - { type: ContainerResource, containerResource: { name: cpu, container: app, target: { type: Utilization, averageUtilization: 50 } } }
`);
  await runBehind(kubelet.url);
  const shards = async (): Promise<unknown> =>
    ((await cluster.client.get(things, { namespace: 'default', name: 'agent', signal })) as unknown as { spec: object })
      .spec;
  await advance(5);
  expect(await shards()).toEqual({ shards: 1 });
  await advance(31);
  // 90 % of what it requests, where 50 % is wanted.
  expect(await shards()).toEqual({ shards: 2 });
  expect(cluster.problems).toEqual([]);
});
