import { expect, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { objectsOf } from '../testing/world.ts';
import { worldOf } from '../world/world.ts';
import { withImagined } from './imagined.ts';
import { explainTarget, type TargetQuery } from './target.ts';

const manifests = `
apiVersion: v1
kind: Pod
metadata: { name: web-0, namespace: shop, labels: { app: web } }
spec: { containers: [{ name: web, image: web, ports: [{ name: http, containerPort: 8080 }, { name: admin, containerPort: 8081 }] }] }
status: { phase: Running, podIP: 10.0.0.1, podIPs: [{ ip: 10.0.0.1 }] }
---
apiVersion: v1
kind: Pod
metadata: { name: db-0, namespace: shop, labels: { app: db } }
spec: { containers: [{ name: db, image: db, ports: [{ name: http, containerPort: 8080 }] }] }
status: { phase: Running, podIP: 10.0.0.2, podIPs: [{ ip: 10.0.0.2 }] }
---
apiVersion: v1
kind: Pod
metadata: { name: lonely-0, namespace: shop, labels: { app: lonely } }
spec: { containers: [{ name: a, image: a }] }
status: { phase: Running, podIP: 10.0.0.3 }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: web, namespace: shop, labels: { team: shop } }
spec: { selector: { matchLabels: { app: web } }, podMetricsEndpoints: [{ port: http }] }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: db, namespace: shop, labels: { team: data } }
spec: { selector: { matchLabels: { app: db } }, podMetricsEndpoints: [{ port: http }] }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: shop }
spec: { podMonitorSelector: { matchLabels: { team: shop } } }
`;
const world = worldOf(withImagined(objectsOf(manifests)));
const explain = (query: TargetQuery) => explainTarget(world, query, { components: defaultComponents(), nowMs: 0 });

test.each<[string, TargetQuery]>([
  ['an address', { address: '10.0.0.1:8080' }],
  ['a host', { address: '10.0.0.1' }],
  ['a pod', { labels: { pod: 'web-0' } }],
  ['labels of the target', { labels: { job: 'shop/web', instance: '10.0.0.1:8080' } }],
  ['a label of discovery', { labels: { __meta_kubernetes_pod_label_app: 'web' } }],
])('who scrapes a target is found by %s', (_, query) => {
  const { outcome, finds } = explain(query);
  expect(outcome).toBe('scraped');
  expect(finds[0]).toMatchObject({
    monitor: { name: 'web' },
    root: { name: 'main' },
    target: { address: '10.0.0.1:8080' },
  });
});

test.each<[string, string, RegExp]>([
  [
    '10.0.0.1:8081',
    'dropped',
    /PodMonitor shop\/web finds it, and drops it: rule \d+ of \d+ \(generated\) keeps only what matches "http"/,
  ],
  ['10.0.0.2', 'unmonitored', /PodMonitor shop\/db would find it, but: .*label team is "data", wanted "shop"/],
  ['10.9.9.9:1', 'not found', /nothing that could be a target has 10.9.9.9:1/],
])('why nobody scrapes %s', (address, outcome, cause) => {
  const explanation = explain({ address });
  expect(explanation.outcome).toBe(outcome);
  expect(explanation.cause).toMatch(cause);
});

test('who gives a name where an address is wanted is told how to ask', () => {
  expect(explain({ address: 'web-0' })).toMatchObject({
    outcome: 'not found',
    mend: 'a name is no address: ask for pod=web-0',
  });
});

test('a pod that no monitor looks for is known all the same', () => {
  const { objects, cause } = explain({ labels: { pod: 'lonely-0' } });
  expect(objects).toEqual([{ kind: 'Pod', namespace: 'shop', name: 'lonely-0' }]);
  expect(cause).toMatch(/finds it, and drops it|no monitor looks for it/);
});
