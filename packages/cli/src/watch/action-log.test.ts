import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { createTelemetryOperator, customResourceDefinitions, defaultComponents } from '@signalbox/telemetry';
import { expect, test } from 'vitest';
import type { LogLine } from '../io/log.ts';
import { createActionLog } from './action-log.ts';

async function operated(): Promise<{ readonly cluster: TestCluster; readonly lines: LogLine[] }> {
  const lines: LogLine[] = [];
  const cluster = await createTestCluster({
    nodes: 1,
    manifests: customResourceDefinitions(),
    components: [
      (platform) =>
        createTelemetryOperator(
          { ...platform, observer: createActionLog({ write: (line) => void lines.push(line) }, platform.informers) },
          { components: defaultComponents() },
        ),
    ],
  });
  await cluster.advance(60_000);
  return { cluster, lines };
}

const root = (shards: number): string => `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: Secret
metadata: { name: door, namespace: shop }
stringData: { password: hunter2-${shards} }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: shop }
spec:
  shards: ${shards}
  podMonitorSelector: {}
  remoteWrite: [{ url: https://x.invalid, basicAuth: { username: { name: door, key: password }, password: { name: door, key: password } } }]
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: broken, namespace: shop }
spec: { selector: {}, podMetricsEndpoints: [{ port: http, scrapeTimeout: 2h }] }
`;

const told = (lines: readonly LogLine[]): readonly string[] => lines.map(({ message }) => message);

test('whatever changes something has a line with the reason, and what changes nothing has none', async () => {
  const { cluster, lines } = await operated();
  await cluster.applyYaml(root(1));
  await cluster.advance(10 * 60_000);
  const [first] = lines;
  expect(first).toEqual({
    level: 'info',
    component: 'prometheus',
    message: 'created Secret shop/prometheus-main (Prometheus shop/main was created)',
    facts: {
      action: 'create',
      object: { kind: 'Secret', namespace: 'shop', name: 'prometheus-main' },
      reason: 'Prometheus shop/main was created',
    },
  });
  expect(told(lines)).toContainEqual(expect.stringMatching(/^warned of PodMonitor shop\/broken: \w+: /));
  expect(told(lines)).toContainEqual(
    expect.stringMatching(/^wrote the status of Prometheus shop\/main \(StatefulSet shop\/prometheus-main was changed/),
  );
  lines.splice(0);
  await cluster.advance(60 * 60_000);
  expect(told(lines)).toEqual([]);
  await cluster.applyYaml(root(2));
  await cluster.advance(60_000);
  expect(told(lines)).toContainEqual(
    expect.stringMatching(
      /^changed Secret shop\/prometheus-main: data\.?\S* \((Secret shop\/door|Prometheus shop\/main) was changed/,
    ),
  );
  expect(told(lines)).toContainEqual(
    expect.stringMatching(
      /^created StatefulSet shop\/prometheus-main-shard-1 \((Secret|Prometheus) shop\/(door|main) was/,
    ),
  );
  expect(JSON.stringify(lines)).not.toMatch(/hunter2|aHVudGVyM/);
  await cluster.close();
});
