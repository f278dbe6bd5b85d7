import { createTestCluster } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { customResourceDefinitions } from '../resources/crds.ts';
import { podmonitors } from '../resources/pod-monitor.ts';
import { prometheuses } from '../resources/prometheus.ts';
import { createOperatorFigures, type OperatorObserver } from './figures.ts';
import { createTelemetryOperator } from './operator.ts';

const world = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: shop }
spec: { shards: 2, podMonitorSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: broken, namespace: shop }
spec: { selector: {}, podMetricsEndpoints: [{ port: http, scrapeTimeout: 2h }] }
`;

test('an observer hears what roots and monitors come to, and that they are gone', async () => {
  const lines: string[] = [];
  const scribe: OperatorObserver = {
    built: ({ kind }, { metadata }, { shards }) => void lines.push(`${kind} ${metadata.name}: ${shards} shards`),
    found: ({ kind }, key, wrong) =>
      void lines.push(`${kind} ${key}: ${wrong.map((each) => `${each.severity} ${each.kind}`).join(', ')}`),
    forgot: ({ kind }, key) => void lines.push(`${kind} ${key} is gone`),
  };
  const cluster = await createTestCluster({
    nodes: 1,
    manifests: customResourceDefinitions(),
    components: [
      (platform) => createTelemetryOperator(platform, { components: defaultComponents(), observer: scribe }),
    ],
  });
  await cluster.advance(1_000);
  await cluster.applyYaml(world);
  await cluster.advance(60_000);
  expect(lines).toContain('Prometheus main: 2 shards');
  expect(lines).toContain('Prometheus shop/main: error PodMonitor');
  expect(lines).toContain('PodMonitor shop/broken: ');
  lines.splice(0);
  await cluster.client.delete(podmonitors, { namespace: 'shop', name: 'broken' });
  await cluster.advance(1_000);
  expect(lines).toContain('PodMonitor shop/broken is gone');
  expect(lines).toContain('Prometheus shop/main: ');
  await cluster.client.delete(prometheuses, { namespace: 'shop', name: 'main' });
  await cluster.advance(1_000);
  expect(lines.at(-1)).toBe('Prometheus shop/main is gone');
  await cluster.close();
});

test('a root is counted by what it is made of, and what is wrong once for each who says so', async () => {
  const figures = createOperatorFigures();
  const cluster = await createTestCluster({
    nodes: 1,
    manifests: customResourceDefinitions(),
    components: [
      (platform) => createTelemetryOperator(platform, { components: defaultComponents(), observer: figures }),
    ],
  });
  await cluster.advance(1_000);
  await cluster.applyYaml(world);
  await cluster.applyYaml(world.replace('name: main', 'name: other').replace('shards: 2', 'shards: 1'));
  await cluster.advance(60_000);
  const { informers } = cluster.platform;
  expect(figures.roots(informers)).toEqual([
    {
      ...{ kind: 'Prometheus', namespace: 'shop', name: 'main' },
      ...{ shards: { wanted: 2, ready: 2 }, replicas: { wanted: 2, ready: 2 } },
    },
    {
      ...{ kind: 'Prometheus', namespace: 'shop', name: 'other' },
      ...{ shards: { wanted: 1, ready: 1 }, replicas: { wanted: 1, ready: 1 } },
    },
  ]);
  expect(figures.wrong()).toEqual([{ kind: 'PodMonitor', reason: expect.any(String), severity: 'error', count: 2 }]);
  await cluster.close();
});
