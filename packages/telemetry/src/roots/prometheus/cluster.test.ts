import { gunzipSync } from 'node:zlib';
import {
  type Pod,
  pods,
  type ResourceType,
  type Secret,
  type Service,
  type StatefulSet,
  secrets,
  services,
  statefulsets,
  toTimestamp,
} from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultComponents } from '../../components.ts';
import { createTelemetryOperator } from '../../operator/operator.ts';
import { customResourceDefinitions } from '../../resources/crds.ts';
import { type Prometheus, prometheuses } from '../../resources/prometheus.ts';
import { type PrometheusAgent, prometheusagents } from '../../resources/prometheus-agent.ts';
import { deadlineAnnotation } from './shards/retention.ts';

/** Shards on a whole cluster, on a virtual clock: days pass in milliseconds. */
const roots = `
apiVersion: v1
kind: Namespace
metadata: { name: monitoring }
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: PrometheusAgent
metadata: { name: edge, namespace: monitoring }
spec: { shards: 2, replicas: 1, podMonitorSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec:
  shards: 3
  replicas: 2
  podMonitorSelector: {}
  shardRetentionPolicy: { whenScaled: Retain, retain: { retentionPeriod: 3d } }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata:
  name: elsewhere
  namespace: monitoring
  annotations: { operator.prometheus.io/controller-id: another }
spec: { podMonitorSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: everything, namespace: monitoring }
spec: { selector: {}, podMetricsEndpoints: [{ port: http }] }
`;

const { signal } = new AbortController();
const namespace = 'monitoring';
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
let cluster: TestCluster;
/** While the definitions are not there yet, nobody can follow their resources. */
let problemsAtStart = 0;

beforeAll(async () => {
  cluster = await createTestCluster({
    nodes: 2,
    // Days of heartbeats are no part of this story.
    fleet: { leaseDurationSeconds: 24 * 3_600 },
    components: [(platform) => createTelemetryOperator(platform, { components: defaultComponents() })],
  });
  await cluster.apply(customResourceDefinitions());
  await cluster.advance(minuteMs);
  problemsAtStart = cluster.problems.length;
  await cluster.applyYaml(roots);
  await cluster.advance(minuteMs);
});
afterAll(() => cluster.close());

async function scale(type: ResourceType, name: string, replicas: number): Promise<void> {
  await cluster.client.patch(type, {
    namespace,
    name,
    subresource: 'scale',
    patchType: 'merge',
    body: { spec: { replicas } },
    signal,
  });
}

async function setsOf(prefix: string): Promise<readonly StatefulSet[]> {
  const { items } = await cluster.client.list<StatefulSet>(statefulsets, { namespace, signal });
  return items.filter(({ metadata }) => metadata.name.startsWith(prefix));
}

async function summary(prefix: string): Promise<readonly string[]> {
  return (await setsOf(prefix)).map(
    ({ metadata, status }) => `${metadata.name} ${status?.readyReplicas ?? 0}/${status?.replicas ?? 0}`,
  );
}

async function config(name: string): Promise<string> {
  const secret: Secret = await cluster.client.get(secrets, { namespace, name, signal });
  return gunzipSync(Buffer.from(secret.data?.['prometheus.yaml.gz'] ?? '', 'base64')).toString('utf8');
}

const mainPrometheus = (): Promise<Prometheus> => cluster.client.get(prometheuses, { namespace, name: 'main', signal });
const edgeAgent = (): Promise<PrometheusAgent> =>
  cluster.client.get(prometheusagents, { namespace, name: 'edge', signal });

test('every shard becomes a StatefulSet that runs', async () => {
  expect(await summary('prom-agent-edge')).toEqual(['prom-agent-edge 1/1', 'prom-agent-edge-shard-1 1/1']);
  expect((await edgeAgent()).status).toMatchObject({
    shards: 2,
    replicas: 2,
    availableReplicas: 2,
    unavailableReplicas: 0,
    shardStatuses: [{ shardID: '0' }, { shardID: '1' }],
    conditions: [
      { type: 'Available', status: 'True' },
      { type: 'Reconciled', status: 'True' },
    ],
  });
  expect(cluster.problems.slice(problemsAtStart)).toEqual([]);
});

test('both kinds have their Service, and each its own owner', async () => {
  const owner = async (name: string): Promise<unknown> => {
    const service: Service = await cluster.client.get(services, { namespace, name, signal });
    return service.metadata.ownerReferences?.map(({ kind, controller }) => [kind, controller]);
  };
  expect(await owner('prometheus-operated')).toEqual([['Prometheus', undefined]]);
  expect(await owner('prometheus-agent-operated')).toEqual([['PrometheusAgent', undefined]]);
});

test('an agent scales up and down through its scale door', async () => {
  await scale(prometheusagents, 'edge', 3);
  await cluster.advance(minuteMs);
  expect(await summary('prom-agent-edge')).toEqual([
    'prom-agent-edge 1/1',
    'prom-agent-edge-shard-1 1/1',
    'prom-agent-edge-shard-2 1/1',
  ]);
  expect(await config('prom-agent-edge')).toContain('modulus: 3');
  await scale(prometheusagents, 'edge', 2);
  await cluster.advance(15 * minuteMs);
  expect(await summary('prom-agent-edge')).toEqual(['prom-agent-edge 1/1', 'prom-agent-edge-shard-1 1/1']);
  expect(await config('prom-agent-edge')).toContain('modulus: 2');
  expect((await edgeAgent()).status).toMatchObject({ shards: 2, replicas: 2 });
});

test('what the scale door says selects the first pod of every active shard', async () => {
  const { items } = await cluster.client.list<Pod>(pods, {
    namespace,
    labelSelector: (await mainPrometheus()).status?.selector ?? '',
    signal,
  });
  expect(items.map(({ metadata }) => metadata.name).sort()).toEqual([
    'prometheus-main-0',
    'prometheus-main-shard-1-0',
    'prometheus-main-shard-2-0',
  ]);
});

test('a removed shard of a Prometheus runs on, a scale-up takes it back, and its deadline ends it', async () => {
  const shardTwo = async (): Promise<StatefulSet | undefined> =>
    (await setsOf('prometheus-main')).find(({ metadata }) => metadata.name === 'prometheus-main-shard-2');
  const podUids = async (): Promise<readonly (string | undefined)[]> => {
    const { items } = await cluster.client.list<Pod>(pods, { namespace, signal });
    return items.filter(({ metadata }) => metadata.name.includes('shard-2-')).map(({ metadata }) => metadata.uid);
  };
  const before = await shardTwo();
  const podsBefore = await podUids();
  expect(podsBefore).toHaveLength(2);

  await scale(prometheuses, 'main', 2);
  const removedMs = cluster.clock.nowMs();
  await cluster.advance(minuteMs);
  const deadline = (await shardTwo())?.metadata.annotations?.[deadlineAnnotation] ?? '';
  expect(Date.parse(deadline) - removedMs - 3 * dayMs).toBeLessThan(2_000);
  expect(await config('prometheus-main')).toContain('regex: 0|1\n');
  expect((await mainPrometheus()).status).toMatchObject({
    shards: 2,
    replicas: 4,
    shardStatuses: [
      { shardID: '0', availableReplicas: 2 },
      { shardID: '1', availableReplicas: 2 },
      { shardID: '2', availableReplicas: 2 },
    ],
  });
  expect((await mainPrometheus()).status?.conditions?.at(-1)).toMatchObject({
    type: 'ShardsRetained',
    message: `shard 2 is kept until ${deadline}`,
  });

  await cluster.advance(dayMs);
  await scale(prometheuses, 'main', 3);
  await cluster.advance(minuteMs);
  const taken = await shardTwo();
  expect(taken?.metadata.uid).toBe(before?.metadata.uid);
  expect(taken?.metadata.annotations?.[deadlineAnnotation]).toBeUndefined();
  expect(await podUids()).toEqual(podsBefore);

  await scale(prometheuses, 'main', 2);
  await cluster.advance(minuteMs);
  const second = (await shardTwo())?.metadata.annotations?.[deadlineAnnotation] ?? '';
  expect(second > toTimestamp(removedMs + 4 * dayMs - minuteMs)).toBe(true);
  await cluster.advance(3 * dayMs - 3 * minuteMs);
  expect(await podUids()).toEqual(podsBefore);
  // Its time is over; a clock that leapt would be put right within the hour.
  await cluster.advance(20 * minuteMs);
  expect(await podUids()).toEqual(podsBefore);
  await cluster.advance(60 * minuteMs);
  expect(await shardTwo()).toBeUndefined();
  expect(await podUids()).toEqual([]);
  expect((await mainPrometheus()).status?.conditions?.map(({ type }) => type)).toEqual(['Available', 'Reconciled']);
  expect(cluster.problems.slice(problemsAtStart)).toEqual([]);
});

test('without the policy a removed shard goes at once, also one that was kept', async () => {
  await scale(prometheuses, 'main', 1);
  await cluster.advance(minuteMs);
  expect(await summary('prometheus-main')).toEqual(['prometheus-main 2/2', 'prometheus-main-shard-1 2/2']);
  await cluster.client.patch(prometheuses, {
    namespace,
    name: 'main',
    patchType: 'merge',
    body: { spec: { shardRetentionPolicy: { whenScaled: 'Delete' } } },
    signal,
  });
  await cluster.advance(15 * minuteMs);
  expect(await summary('prometheus-main')).toEqual(['prometheus-main 2/2']);
});

test('a root that another operator looks after has nothing written to it', async () => {
  const root = await cluster.during(cluster.client.get(prometheuses, { namespace, name: 'elsewhere', signal }));
  expect(root.status).toBeUndefined();
  const { items } = await cluster.during(cluster.client.list(statefulsets, { namespace, signal }));
  expect(items.map(({ metadata }) => metadata.name)).not.toContain('prometheus-elsewhere');
});
