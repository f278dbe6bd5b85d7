import { events, type KubeObject, type ResourceType, secrets } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTelemetryOperator } from './operator/operator.ts';
import { customResourceDefinitions } from './resources/crds.ts';
import { grafanaagents } from './resources/grafana-agent.ts';
import { servicemonitors } from './resources/service-monitor.ts';
import { createGrafanaAgentComponent } from './roots/grafana-agent/component.ts';
import { freshManifests } from './testing/world.ts';

/*
 * Two roots of one name share their monitors, and everything that can be wrong with a Secret is. Nothing of what the
 * Secrets hold may be told to anybody, nothing is told twice, and what one root does is no business of the other.
 */
const root = (namespace: string, shards: number): string => `
apiVersion: v1
kind: Namespace
metadata: { name: ${namespace} }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: ${namespace} }
spec:
  metrics: { shards: ${shards}, instanceSelector: {}, instanceNamespaceSelector: {} }
  logs: { instanceSelector: {}, instanceNamespaceSelector: {} }
  integrations: { selector: {}, namespaceSelector: {} }
`;
const shared = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: Secret
metadata: { name: login, namespace: shop }
stringData:
  user: "canary$(SHARD)"
  url: "https://canary:canary@x/%zz"
  broken: "[ canary: canary"
  jobs: '[{ job_name: canary }, { job_name: canary }, { job_name: x, relabel_configs: [{ regex: "canary(" }] }]'
  list: 'canary: canary'
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: primary, namespace: shop }
spec:
  serviceMonitorSelector: {}
  probeSelector: {}
  additionalScrapeConfigs: { name: login, key: jobs }
  remoteWrite: [{ url: https://x, basicAuth: { username: { name: login, key: user }, password: { name: login, key: none } } }]
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: broken, namespace: shop }
spec: { additionalScrapeConfigs: { name: login, key: broken } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: list, namespace: shop }
spec: { additionalScrapeConfigs: { name: login, key: list } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: LogsInstance
metadata: { name: primary, namespace: shop }
spec:
  clients:
    - url: https://l
      basicAuth: { username: { name: login, key: user }, password: { name: login, key: user } }
      bearerToken: both
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: two-logins, namespace: shop }
spec:
  selector: {}
  endpoints:
    - port: a
      basicAuth: { username: { name: login, key: user } }
      bearerTokenSecret: { name: login, key: user }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: half, namespace: shop }
spec: { selector: {}, endpoints: [{ port: a, tlsConfig: { cert: { secret: { name: login, key: user } } } }] }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: fine, namespace: shop }
spec: { selector: {}, endpoints: [{ port: a, basicAuth: { username: { name: login, key: user } } }] }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: Integration
metadata: { name: dsn, namespace: shop }
spec: { name: redis_exporter, type: {}, config: {}, secrets: [{ name: login, key: user }, { name: login, key: absent }] }
`;

const { signal } = new AbortController();
const reports: string[] = [];
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await createTestCluster({
    nodes: 1,
    components: [
      (platform) =>
        createTelemetryOperator(
          { ...platform, report: (report) => void reports.push(JSON.stringify(report)) },
          { components: [createGrafanaAgentComponent()] },
        ),
    ],
  });
  await cluster.apply(customResourceDefinitions());
  await cluster.apply(freshManifests([shared, root('one', 2), root('two', 1)].join('---')));
  await cluster.advance(60_000);
});
afterAll(() => cluster.close());

async function listed<T extends KubeObject>(type: ResourceType<T>): Promise<readonly T[]> {
  return (await cluster.client.list(type, { signal })).items;
}

async function config(namespace: string): Promise<string> {
  const secret = await cluster.client.get(secrets, { namespace, name: 'agent-config', signal });
  return Buffer.from(secret.data?.['agent.yml'] ?? '', 'base64').toString('utf8');
}

test('both roots scrape what they share, each with its own number of shards', async () => {
  expect(await config('one')).toContain('serviceMonitor/shop/fine/0');
  expect(await config('one')).toContain('modulus: 2');
  expect(await config('two')).toContain('modulus: 1');
});

test('nothing that a Secret holds is told: not in statuses, not in events, not in reports', async () => {
  const roots = await listed(grafanaagents);
  expect(roots.map(({ status }) => status?.conditions?.[0]?.status)).toEqual(['False', 'False']);
  const told = [...roots, ...(await listed(events))];
  expect(JSON.stringify(told)).toContain('is no valid YAML');
  expect(JSON.stringify(told)).not.toContain('canary');
  expect(JSON.stringify(told)).not.toContain(Buffer.from('canary').toString('base64').slice(0, 7));
  expect(reports.join()).not.toContain('canary');
});

test('nothing is told twice while nothing changes, nor when something else does', async () => {
  const before = await warnings();
  await cluster.advance(1_800_000);
  expect(await warnings()).toEqual(before);
  const body = { spec: { jobLabel: 'edited' } };
  await cluster.client.patch(servicemonitors, { namespace: 'shop', name: 'fine', signal, patchType: 'merge', body });
  await cluster.advance(5_000);
  expect(await config('one')).toContain('label_edited');
  expect(await config('two')).toContain('label_edited');
  expect(await warnings()).toEqual(before);
});

test('deleting one root removes what it made, and leaves its namesake alone', async () => {
  const others = async (): Promise<readonly string[]> =>
    (await listed(secrets)).filter(({ metadata }) => metadata.namespace === 'two').map(({ metadata }) => metadata.uid);
  const before = await others();
  await cluster.client.delete(grafanaagents, { namespace: 'one', name: 'agent', signal });
  await cluster.advance(60_000);
  expect((await listed(secrets)).filter(({ metadata }) => metadata.namespace === 'one')).toEqual([]);
  expect(await others()).toEqual(before);
});

/** How often each warning has been told. */
async function warnings(): Promise<readonly string[]> {
  const all = (await listed(events)).filter(
    ({ type, reportingComponent }) => type === 'Warning' && reportingComponent === 'grafana-agent-controller',
  );
  expect(all.length).toBeGreaterThan(5);
  return all.map(({ involvedObject, message, count }) => `${involvedObject.name} ${message} ${count}`).sort();
}
