import { type Pod, pods } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultComponents } from '../../components.ts';
import { createTelemetryOperator } from '../../operator/operator.ts';
import { customResourceDefinitions } from '../../resources/crds.ts';
import { type Prometheus, prometheuses } from '../../resources/prometheus.ts';

/** A HorizontalPodAutoscaler on `spec.shards`, with more than one pod per shard and with shards that are only kept. */
const objects = `
apiVersion: v1
kind: Namespace
metadata: { name: monitoring }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec:
  shards: 2
  replicas: 2
  serviceMonitorSelector: {}
  shardRetentionPolicy: { whenScaled: Retain, retain: { retentionPeriod: 1d } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: shards, namespace: monitoring }
spec:
  scaleTargetRef: { apiVersion: monitoring.coreos.com/v1, kind: Prometheus, name: main }
  minReplicas: 1
  maxReplicas: 20
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: AverageValue, averageValue: 50m } } }]
`;

const { signal } = new AbortController();
const namespace = 'monitoring';
const minuteMs = 60_000;
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await createTestCluster({
    nodes: 2,
    components: [(platform) => createTelemetryOperator(platform, { components: defaultComponents() })],
  });
  await cluster.apply(customResourceDefinitions());
  await cluster.advance(minuteMs);
  await cluster.applyYaml(objects);
  await use('50m');
  await cluster.advance(2 * minuteMs);
  await use('50m');
});
afterAll(() => cluster.close());

/** Every pod that runs uses so much of a processor. */
async function use(cpu: string): Promise<void> {
  const { items } = await cluster.client.list<Pod>(pods, { namespace, signal });
  for (const { metadata } of items)
    await cluster.client.patch(pods, {
      namespace,
      name: metadata.name,
      patchType: 'merge',
      body: { metadata: { annotations: { 'signalbox.dev/cpu-usage': cpu } } },
      signal,
    });
}

async function shards(): Promise<number | undefined> {
  const { spec }: Prometheus = await cluster.client.get(prometheuses, { namespace, name: 'main', signal });
  return spec.shards;
}

test('half as much load again asks for half as many shards again, however many replicas each has', async () => {
  expect(await shards()).toBe(2);
  await use('75m');
  await cluster.advance(20_000);
  expect(await shards()).toBe(3);
});

test('less load asks for fewer shards, and the ones that are kept do not call for more', async () => {
  await cluster.advance(minuteMs);
  await use('30m');
  await cluster.advance(10 * minuteMs);
  expect(await shards()).toBe(2);
  // What is kept goes on using what it uses, and does not count.
  await use('40m');
  await cluster.advance(30 * minuteMs);
  expect(await shards()).toBe(2);
});
