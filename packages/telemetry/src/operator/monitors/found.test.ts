import { deployments, events, type KubeObject, type ResourceType, services } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultComponents } from '../../components.ts';
import { customResourceDefinitions } from '../../resources/crds.ts';
import { podlogs } from '../../resources/pod-logs.ts';
import { podmonitors } from '../../resources/pod-monitor.ts';
import { servicemonitors } from '../../resources/service-monitor.ts';
import { freshManifests } from '../../testing/world.ts';
import { createTelemetryOperator } from '../operator.ts';

/* Monitors that are selected and find nothing, in a cluster whose controllers make Pods and EndpointSlices. */

const declared = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: shop }
spec: { serviceMonitorSelector: {}, podMonitorSelector: {} }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: shop }
spec: { logs: { instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: LogsInstance
metadata: { name: all, namespace: shop }
spec: { podLogsSelector: {}, clients: [{ url: "http://loki" }] }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: web, namespace: shop }
spec: { selector: { matchLabels: { app: web } }, endpoints: [{ port: http }] }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: pods, namespace: shop }
spec: { selector: { matchLabels: { app: web } }, podMetricsEndpoints: [{ port: http }] }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: PodLogs
metadata: { name: logs, namespace: shop }
spec: { selector: { matchLabels: { app: web } }, pipelineStages: [] }
`;
const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "web:1", ports: [{ name: http, containerPort: 8080 }] }] }
`;
const service = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop, labels: { app: web } }
spec: { selector: { app: web }, ports: [{ name: http, port: 80, targetPort: 8080 }] }
`;

const { signal } = new AbortController();
let cluster: TestCluster;
const start = async (definitions = customResourceDefinitions()): Promise<void> => {
  cluster = await createTestCluster({
    nodes: 1,
    manifests: definitions,
    components: [(platform) => createTelemetryOperator(platform, { components: defaultComponents() })],
  });
  await cluster.apply(freshManifests(declared));
};
beforeEach(() => start());
afterEach(() => cluster.close());

const apply = async (text: string): Promise<void> => void (await cluster.apply(freshManifests(text)));

interface Status {
  readonly bindings?: readonly { readonly conditions?: readonly Fact[] }[];
  readonly conditions?: readonly Fact[];
}

interface Fact {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

async function statusOf(type: ResourceType, name: string): Promise<Status> {
  const found = await cluster.during(cluster.client.get(type, { namespace: 'shop', name, signal }));
  return (found as KubeObject & { readonly status?: Status }).status ?? {};
}

/** `False NoEndpoints`; empty: nothing is said. */
async function said(type: ResourceType, name: string): Promise<string> {
  const fact = (await statusOf(type, name)).conditions?.find((each) => each.type === 'TargetsFound');
  return fact === undefined ? '' : `${fact.status} ${fact.reason}`;
}

async function complaints(): Promise<readonly string[]> {
  const { items } = await cluster.during(cluster.client.list(events, { namespace: 'shop', signal }));
  return items
    .filter(({ reason }) => reason === 'NoTargets')
    .map(({ involvedObject, count }) => `${involvedObject.kind} ${involvedObject.name} ×${count ?? 1}`)
    .sort();
}

test('nothing is said of what comes within a minute', async () => {
  await cluster.advance(40_000);
  await apply(`${deployment}---${service}`);
  await cluster.advance(600_000);
  expect(await said(servicemonitors, 'web')).toBe('');
  expect(await said(podmonitors, 'pods')).toBe('');
  expect(await complaints()).toEqual([]);
  expect(cluster.problems).toEqual([]);
});

test('what has held for a minute is said once, with the reason as it is now, and taken back', async () => {
  await cluster.advance(70_000);
  expect(await said(servicemonitors, 'web')).toBe('False NoMatchingService');
  expect(await said(podmonitors, 'pods')).toBe('False NoMatchingPod');
  expect(await said(podlogs, 'logs')).toBe('False NoMatchingPod');
  const [binding] = (await statusOf(servicemonitors, 'web')).bindings ?? [];
  expect(binding?.conditions).toMatchObject([
    {
      type: 'Accepted',
      status: 'True',
      reason: 'NoTargets',
      message: 'no Service in namespace shop matches spec.selector',
    },
  ]);
  const once = ['PodLogs logs ×1', 'PodMonitor pods ×1', 'ServiceMonitor web ×1'];
  expect(await complaints()).toEqual(once);

  await apply(service);
  await cluster.advance(5_000);
  expect(await said(servicemonitors, 'web')).toBe('False NoEndpoints');
  await apply(deployment.replace('name: http', 'name: other'));
  await cluster.advance(5_000);
  expect(await said(servicemonitors, 'web')).toBe('True TargetsFound');
  expect((await statusOf(servicemonitors, 'web')).bindings?.[0]?.conditions?.[0]?.reason ?? '').toBe('');
  expect(await said(podmonitors, 'pods')).toBe('False NoMatchingPort');
  expect(await said(podlogs, 'logs')).toBe('True TargetsFound');
  expect(await complaints()).toEqual(once);
  expect(cluster.problems).toEqual([]);
});

test('what goes is missed after a minute, and not while it comes back', async () => {
  await apply(`${deployment}---${service}`);
  await cluster.advance(120_000);
  const body = { spec: { selector: { app: 'nobody' } } };
  const patch = (selector: object): Promise<unknown> =>
    cluster.during(
      cluster.client.patch(services, { namespace: 'shop', name: 'web', patchType: 'merge', body: selector, signal }),
    );
  await patch(body);
  await cluster.advance(30_000);
  await patch({ spec: { selector: { app: 'web' } } });
  await cluster.advance(120_000);
  expect(await said(servicemonitors, 'web')).toBe('');
  await patch(body);
  await cluster.advance(70_000);
  expect(await said(servicemonitors, 'web')).toBe('False NoEndpoints');
  await cluster.during(cluster.client.delete(deployments, { namespace: 'shop', name: 'web', signal }));
  await cluster.advance(120_000);
  expect(await complaints()).toEqual(['PodLogs logs ×1', 'PodMonitor pods ×1', 'ServiceMonitor web ×1']);
  expect(cluster.problems).toEqual([]);
});

test('pods of a rollout that change all the time wake nobody who has found one', async () => {
  await apply(`${deployment}---${service}`);
  await cluster.advance(120_000);
  const versions = async (): Promise<readonly unknown[]> => [
    (await cluster.during(cluster.client.get(servicemonitors, { namespace: 'shop', name: 'web', signal }))).metadata
      .resourceVersion,
  ];
  const before = await versions();
  const body = { spec: { template: { metadata: { annotations: { round: '2' } } } } };
  await cluster.during(
    cluster.client.patch(deployments, { namespace: 'shop', name: 'web', patchType: 'merge', body, signal }),
  );
  await cluster.advance(600_000);
  expect(await versions()).toEqual(before);
});

test('upstream’s definitions have only the binding, and PodLogs only the event', async () => {
  await cluster.close();
  await start(withoutConditions());
  await cluster.advance(70_000);
  expect((await statusOf(servicemonitors, 'web')).conditions).toBeUndefined();
  expect((await statusOf(servicemonitors, 'web')).bindings?.[0]?.conditions?.[0]?.reason).toBe('NoTargets');
  expect(await complaints()).toEqual(['PodLogs logs ×1', 'PodMonitor pods ×1', 'ServiceMonitor web ×1']);
  await cluster.advance(1_800_000);
  expect(await complaints()).toEqual(['PodLogs logs ×1', 'PodMonitor pods ×1', 'ServiceMonitor web ×1']);
  expect(cluster.problems).toEqual([]);
});

/** As upstream has them: no conditions beside the bindings, and of the Grafana kinds no status at all. */
function withoutConditions(): ReturnType<typeof customResourceDefinitions> {
  const types = new Map(
    [servicemonitors, podmonitors, podlogs].map((type) => [`${type.resource}.${type.group}`, type]),
  );
  return customResourceDefinitions().map((definition) => {
    if (!types.has(definition.metadata.name ?? '')) return definition;
    const text = JSON.stringify(definition, (key, value: unknown) => {
      if (key !== 'status' || typeof value !== 'object' || value === null || !('properties' in value)) return value;
      const { conditions: _conditions, ...properties } = value.properties as Readonly<Record<string, unknown>>;
      return { ...value, properties };
    });
    const parsed = JSON.parse(text) as typeof definition;
    if (!definition.metadata.name?.startsWith('podlogs')) return parsed;
    return {
      ...parsed,
      spec: { ...parsed.spec, versions: parsed.spec.versions.map(({ subresources: _none, ...version }) => version) },
    };
  });
}
