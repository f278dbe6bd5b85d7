import { createSupervisor, type KubeObject, secrets, statefulsets } from '@signalbox/cluster';
import { createTestCluster } from '@signalbox/cluster/testing';
import { createTelemetryOperator, customResourceDefinitions, defaultComponents } from '@signalbox/telemetry';
import { expect, test } from 'vitest';
import { type Rehearsal, rehearse } from './dry-run.ts';

const root = (shards: number): string => `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: shop }
spec: { shards: ${shards}, podMonitorSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: broken, namespace: shop }
spec: { selector: {}, podMetricsEndpoints: [{ port: http, scrapeTimeout: 2h }] }
`;

test('what the operator would do is told, once each, and nothing of it is done', async () => {
  const lines: string[] = [];
  let rehearsal: Rehearsal | undefined;
  const cluster = await createTestCluster({
    manifests: customResourceDefinitions(),
    components: [
      (platform) => {
        rehearsal = rehearse(platform, (line) => lines.push(line));
        return createTelemetryOperator(rehearsal.platform, { components: defaultComponents() });
      },
    ],
  });
  await cluster.advance(60_000);
  await cluster.applyYaml(root(1));
  await cluster.advance(10 * 60_000);
  const told = lines.filter((line) => !line.startsWith('would write the status'));
  expect(told).toEqual([
    'would create Secret shop/prometheus-main',
    'would create Secret shop/prometheus-main-tls-assets-0',
    'would create Secret shop/prometheus-main-web-config',
    'would create Service shop/prometheus-operated',
    'would create StatefulSet shop/prometheus-main',
    expect.stringMatching(/^would warn of PodMonitor shop\/broken: /),
  ]);
  expect(rehearsal?.sum()).toMatchObject({ create: 5, change: 0, delete: 0, 'warn of': 1 });
  expect(rehearsal?.hasRestedMs(cluster.clock.nowMs())).toBeGreaterThan(10_000);
  lines.splice(0);
  await cluster.applyYaml(root(2));
  await cluster.advance(10 * 60_000);
  expect(lines.filter((line) => line.includes('create'))).toEqual([
    'would create StatefulSet shop/prometheus-main-shard-1',
  ]);
  for (const type of [secrets, statefulsets]) {
    const { items } = await cluster.client.list<KubeObject>(type, { namespace: 'shop' });
    expect(items).toEqual([]);
  }
  await cluster.close();
});

test('where the operator has done its work there is nothing to do, not even a status to write', async () => {
  const cluster = await createTestCluster({
    manifests: customResourceDefinitions(),
    components: [(platform) => createTelemetryOperator(platform, { components: defaultComponents() })],
  });
  await cluster.applyYaml(`
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: default }
spec: {}
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: PrometheusAgent
metadata: { name: edge, namespace: default }
spec: { serviceMonitorSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: web, namespace: default }
spec: { selector: {}, endpoints: [{ port: http }] }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: default }
spec: { metrics: { instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: all, namespace: default }
spec: {}
`);
  await cluster.advance(10 * 60_000);
  const lines: string[] = [];
  const life = new AbortController();
  let rehearsal: Rehearsal | undefined;
  const again = createSupervisor(
    [
      (platform) => {
        rehearsal = rehearse(platform, (line) => lines.push(line));
        return createTelemetryOperator(rehearsal.platform, { components: defaultComponents() });
      },
    ],
    cluster.platform,
  );
  const ended = again.run({ signal: life.signal });
  await cluster.advance(90_000);
  expect(rehearsal?.hasRestedMs(cluster.clock.nowMs())).toBeGreaterThan(10_000);
  expect(lines).toEqual([]);
  life.abort();
  await cluster.during(ended.catch(() => undefined));
  await cluster.close();
});
