import {
  daemonsets,
  equal,
  type KubeObject,
  namespaces,
  type Secret,
  secrets,
  services,
  statefulsets,
} from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTelemetryOperator } from './operator/operator.ts';
import { customResourceDefinitions } from './resources/crds.ts';
import { type GrafanaAgent, grafanaagents } from './resources/grafana-agent.ts';
import { logsinstances } from './resources/logs-instance.ts';
import { servicemonitors } from './resources/service-monitor.ts';
import { createGrafanaAgentComponent } from './roots/grafana-agent/component.ts';
import { freshManifests } from './testing/world.ts';

/** The operator inside a whole cluster, on a virtual clock. */
const hierarchy = `
apiVersion: v1
kind: Namespace
metadata: { name: monitoring }
---
apiVersion: v1
kind: Namespace
metadata: { name: shop, labels: { team: shop } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring }
spec:
  metrics: { shards: 2, replicas: 2, instanceSelector: {} }
  logs: { instanceSelector: {} }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: primary, namespace: monitoring }
spec:
  serviceMonitorSelector: { matchLabels: { agent: main } }
  serviceMonitorNamespaceSelector: { matchLabels: { team: shop } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: LogsInstance
metadata: { name: primary, namespace: monitoring }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: web, namespace: shop, labels: { agent: main } }
spec:
  selector: {}
  endpoints: [{ port: http, bearerTokenSecret: { name: login, key: token } }]
`;

const { signal } = new AbortController();
const agent = { namespace: 'monitoring', name: 'agent' };
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await createTestCluster({
    nodes: 2,
    components: [(platform) => createTelemetryOperator(platform, { components: [createGrafanaAgentComponent()] })],
  });
  await cluster.apply(customResourceDefinitions());
  await cluster.apply(freshManifests(hierarchy));
  await cluster.advance(60_000);
});
afterAll(() => cluster.close());

async function config(name = 'agent-config'): Promise<string> {
  const secret: Secret = await cluster.client.get(secrets, { namespace: 'monitoring', name, signal });
  return Buffer.from(secret.data?.['agent.yml'] ?? '', 'base64').toString('utf8');
}

async function versions(): Promise<Readonly<Record<string, string>>> {
  const all = await Promise.all(
    [statefulsets, daemonsets, services].map((type) =>
      cluster.client.list<KubeObject>(type, { namespace: 'monitoring', signal }),
    ),
  );
  return Object.fromEntries(
    all.flatMap(({ items }) =>
      items.map(({ kind, metadata }) => [`${kind} ${metadata.name}`, String(metadata.generation)]),
    ),
  );
}

test('a hierarchy becomes running agents, and the root says so', async () => {
  const { status } = await cluster.client.get(grafanaagents, { ...agent, signal });
  expect(status?.conditions?.find(({ type }) => type === 'Available')).toMatchObject({ status: 'True' });
  expect(Object.keys(await versions()).sort()).toEqual([
    'DaemonSet agent-logs',
    'Service agent-operated',
    'StatefulSet agent',
    'StatefulSet agent-shard-1',
  ]);
});

test('a missing Secret is a condition, and mending it is noticed', async () => {
  const broken: GrafanaAgent = await cluster.client.get(grafanaagents, { ...agent, signal });
  expect(broken.status?.conditions?.find(({ type }) => type === 'Reconciled')).toMatchObject({
    status: 'False',
    reason: 'SecretMissing',
    message: 'ServiceMonitor shop/web: spec.endpoints[0].bearerTokenSecret: Secret shop/login does not exist',
  });
  await cluster.apply(
    freshManifests(
      '{ apiVersion: v1, kind: Secret, metadata: { name: login, namespace: shop }, stringData: { token: one } }',
    ),
  );
  await cluster.advance(1_000);
  expect(await config()).toContain('bearer_token: one');
  const mended = await cluster.client.get(grafanaagents, { ...agent, signal });
  expect(mended.status?.conditions?.find(({ type }) => type === 'Reconciled')).toMatchObject({ status: 'True' });
});

test('editing a monitor or a Secret that it refers to changes the configuration within a second, and nothing restarts', async () => {
  const before = await versions();
  await cluster.client.patch(servicemonitors, {
    namespace: 'shop',
    name: 'web',
    signal,
    patchType: 'merge',
    body: { spec: { jobLabel: 'edited' } },
  });
  await cluster.advance(1_000);
  expect(await config()).toContain('__meta_kubernetes_service_label_edited');
  await cluster.client.patch(secrets, {
    namespace: 'shop',
    name: 'login',
    signal,
    patchType: 'merge',
    body: { stringData: { token: 'two' } },
  });
  await cluster.advance(1_000);
  expect(await config()).toContain('bearer_token: two');
  expect(await versions()).toEqual(before);
});

test('relabelling a namespace moves its monitors out and in again', async () => {
  const relabel = async (team: string): Promise<void> => {
    await cluster.client.patch(namespaces, {
      name: 'shop',
      signal,
      patchType: 'merge',
      body: { metadata: { labels: { team } } },
    });
    await cluster.advance(1_000);
  };
  await relabel('other');
  expect(await config()).not.toContain('serviceMonitor/shop/web');
  await relabel('shop');
  expect(await config()).toContain('serviceMonitor/shop/web');
});

test('a generated object that somebody deletes or edits by hand is put right', async () => {
  const wanted = await config();
  await cluster.client.patch(secrets, {
    namespace: 'monitoring',
    name: 'agent-config',
    signal,
    patchType: 'merge',
    body: { data: { 'agent.yml': 'eA==' } },
  });
  await cluster.advance(1_000);
  expect(await config()).toBe(wanted);
  await cluster.client.delete(secrets, { namespace: 'monitoring', name: 'agent-config', signal });
  await cluster.advance(1_000);
  expect(await config()).toBe(wanted);
});

test('nothing is written while nothing changes', async () => {
  const revision = async (): Promise<unknown> =>
    (await cluster.client.list(secrets, { namespace: 'monitoring', signal })).items.map(
      ({ metadata }) => metadata.resourceVersion,
    );
  const before = await revision();
  const root = await cluster.client.get(grafanaagents, { ...agent, signal });
  await cluster.advance(600_000);
  expect(equal(await revision(), before)).toBe(true);
  expect((await cluster.client.get(grafanaagents, { ...agent, signal })).metadata.resourceVersion).toBe(
    root.metadata.resourceVersion,
  );
});

test('fewer shards and no logs remove what is no longer wanted', async () => {
  await cluster.client.patch(grafanaagents, {
    ...agent,
    signal,
    patchType: 'merge',
    body: { spec: { metrics: { shards: 1 } } },
  });
  await cluster.client.delete(logsinstances, { namespace: 'monitoring', name: 'primary', signal });
  await cluster.advance(120_000);
  expect(Object.keys(await versions()).sort()).toEqual(['Service agent-operated', 'StatefulSet agent']);
});
