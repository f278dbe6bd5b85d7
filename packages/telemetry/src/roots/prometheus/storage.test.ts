import { persistentvolumeclaims, pods, statefulsets } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTelemetryOperator } from '../../operator/operator.ts';
import { customResourceDefinitions } from '../../resources/crds.ts';
import { grafanaagents } from '../../resources/grafana-agent.ts';
import { freshManifests } from '../../testing/world.ts';
import { createGrafanaAgentComponent } from '../grafana-agent/component.ts';

/** What becomes of pods and claims when a root's shards, replicas and storage change, on a virtual clock. */
const { signal } = new AbortController();
const agent = { namespace: 'monitoring', name: 'agent' };
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await createTestCluster({
    nodes: 2,
    components: [(platform) => createTelemetryOperator(platform, { components: [createGrafanaAgentComponent()] })],
  });
  await cluster.apply(customResourceDefinitions());
  await cluster.apply(
    freshManifests(`
apiVersion: v1
kind: Namespace
metadata: { name: monitoring }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring }
spec: { metrics: { shards: 3, instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: primary, namespace: monitoring }
`),
  );
  await cluster.advance(60_000);
});
afterAll(() => cluster.close());

async function change(spec: object): Promise<void> {
  await cluster.client.patch(grafanaagents, { ...agent, signal, patchType: 'merge', body: { spec } });
  await cluster.advance(600_000);
}

async function running(): Promise<readonly string[]> {
  const { items } = await cluster.client.list(pods, { namespace: 'monitoring', signal });
  return items.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`).sort();
}

async function uids(): Promise<readonly string[]> {
  const { items } = await cluster.client.list(pods, { namespace: 'monitoring', signal });
  return items.map(({ metadata }) => metadata.uid).sort();
}

async function claims(): Promise<readonly string[]> {
  const { items } = await cluster.client.list(persistentvolumeclaims, { namespace: 'monitoring', signal });
  return items.map(({ metadata }) => metadata.name).sort();
}

async function available(): Promise<string | undefined> {
  const { status } = await cluster.client.get(grafanaagents, { ...agent, signal });
  return status?.conditions?.find(({ type }) => type === 'Available')?.status;
}

test('shards go from three to one and back to two', async () => {
  expect(await running()).toEqual(['agent-0 Running', 'agent-shard-1-0 Running', 'agent-shard-2-0 Running']);
  await change({ metrics: { shards: 1 } });
  expect(await running()).toEqual(['agent-0 Running']);
  await change({ metrics: { shards: 2 } });
  expect(await running()).toEqual(['agent-0 Running', 'agent-shard-1-0 Running']);
});

test('pods without claims give way to pods with claims', async () => {
  const before = await uids();
  await change({ storage: { volumeClaimTemplate: { metadata: { name: 'wal' }, spec: storage('1Gi') } } });
  expect(await running()).toEqual(['agent-0 Running', 'agent-shard-1-0 Running']);
  expect(await claims()).toEqual(['wal-agent-0', 'wal-agent-shard-1-0']);
  expect((await uids()).filter((uid) => before.includes(uid))).toEqual([]);
  expect(await available()).toBe('True');
});

test('a larger claim replaces the StatefulSets and leaves pods and claims as they are', async () => {
  const before = await uids();
  await change({ storage: { volumeClaimTemplate: { spec: storage('2Gi') } } });
  expect(await uids()).toEqual(before);
  expect(await claims()).toEqual(['wal-agent-0', 'wal-agent-shard-1-0']);
  const set = await cluster.client.get(statefulsets, { ...agent, signal });
  expect(set.spec.volumeClaimTemplates?.[0]?.spec?.resources?.requests).toEqual({ storage: '2Gi' });
  expect(await available()).toBe('True');
});

test('claims outlive their shard, and it finds them again', async () => {
  await change({ metrics: { shards: 1 } });
  expect(await running()).toEqual(['agent-0 Running']);
  expect(await claims()).toEqual(['wal-agent-0', 'wal-agent-shard-1-0']);
  await change({ metrics: { shards: 2 } });
  expect(await running()).toEqual(['agent-0 Running', 'agent-shard-1-0 Running']);
});

test('no replicas are no pods, and that is available', async () => {
  await change({ metrics: { replicas: 0 } });
  expect(await running()).toEqual([]);
  expect(await available()).toBe('True');
});

test('deleting the root deletes what it made, and not the claims', async () => {
  await cluster.client.delete(grafanaagents, { ...agent, signal });
  await cluster.advance(600_000);
  expect((await cluster.client.list(statefulsets, { namespace: 'monitoring', signal })).items).toEqual([]);
  expect(await claims()).toEqual(['wal-agent-0', 'wal-agent-shard-1-0']);
});

function storage(size: string): object {
  return { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } };
}
