import { type KubeObject, secrets, statefulsets } from '@signalbox/cluster';
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
