import { expect, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { servicemonitors } from '../resources/service-monitor.ts';
import { objectsOf } from '../testing/world.ts';
import { worldOf } from '../world/world.ts';
import { withImagined } from './imagined.ts';
import { loadOf } from './load.ts';
import { explainMonitor } from './monitor.ts';
import { explainTarget, withToldFinds } from './target.ts';

/* Jobs that belong to no monitor: somebody wrote them into a Secret. */

const secretOf = (name: string, jobs: string): string => `
apiVersion: v1
kind: Secret
metadata: { name: ${name}, namespace: monitoring }
data: { jobs: ${Buffer.from(jobs).toString('base64')} }`;

const manifests = `
apiVersion: v1
kind: Pod
metadata: { name: web-0, namespace: shop, labels: { app: web } }
spec: { containers: [{ name: web, image: web, ports: [{ name: http, containerPort: 8080 }] }] }
status: { phase: Running, podIP: 10.0.0.1, podIPs: [{ ip: 10.0.0.1 }] }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop, labels: { app: web } }
spec: { selector: { app: web }, ports: [{ name: http, port: 80, targetPort: 8080 }] }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: web, namespace: shop }
spec: { selector: { matchLabels: { app: web } }, endpoints: [{ port: http }] }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec: { shards: 2, probeSelector: {}, additionalScrapeConfigs: { name: extra, key: jobs } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring }
spec: { metrics: { instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: all, namespace: monitoring }
spec: { additionalScrapeConfigs: { name: instance, key: jobs } }
---${secretOf(
  'extra',
  `
- job_name: pods
  kubernetes_sd_configs: [{ role: pod }]
  relabel_configs:
  - { action: keep, source_labels: [__meta_kubernetes_namespace], regex: shop }
  - { action: drop, source_labels: [__meta_kubernetes_pod_label_app], regex: db }
- job_name: machines
  static_configs: [{ targets: ["192.0.2.1:9100"] }]
`,
)}
---${secretOf('instance', '[{ job_name: far, consul_sd_configs: [{ server: "consul:8500", token: hunter2 }] }]')}
`;
const options = { components: defaultComponents(), nowMs: 0 };
const worldWith = (more = '') => worldOf(withImagined(objectsOf(`${manifests}${more === '' ? '' : `\n---\n${more}`}`)));

test('a target is found by them, with its shard', () => {
  const { outcome, finds, notes } = explainTarget(worldWith(), { address: '192.0.2.1:9100' }, options);
  expect(outcome).toBe('scraped');
  expect(notes).toEqual([]);
  expect(finds).toMatchObject([
    { monitor: { kind: 'Secret', namespace: 'monitoring', name: 'extra' }, job: 'machines', shards: 2 },
  ]);
  expect(finds[0]?.target.fate).toMatchObject({ kept: true });
});

test('the rule that drops one is the job’s', () => {
  const db = `
apiVersion: v1
kind: Pod
metadata: { name: db-0, namespace: shop, labels: { app: db } }
spec: { containers: [{ name: db, image: db }] }
status: { phase: Running, podIP: 10.0.0.2 }`;
  const { outcome, cause } = explainTarget(worldWith(db), { address: '10.0.0.2' }, options);
  expect(outcome).toBe('dropped');
  expect(cause).toBe(
    'job pods of Secret monitoring/extra (Prometheus monitoring/main) finds it, and drops it: rule 2 of 7 (the job\'s relabel_configs[1]) drops what matches "db" in __meta_kubernetes_pod_label_app, and it is "db"',
  );
});

test('a root whose configuration somebody looks after himself has none of them', () => {
  const objects = objectsOf(manifests.replace('probeSelector: {}, ', ''));
  const { outcome } = explainTarget(worldOf(withImagined(objects)), { address: '192.0.2.1:9100' }, options);
  expect(outcome).toBe('not found');
});

test('who could have it, but cannot be looked into, is named', () => {
  const { outcome, notes } = explainTarget(worldWith(), { address: '203.0.113.9:80' }, options);
  expect(outcome).toBe('not found');
  expect(notes).toEqual([
    'job far of Secret monitoring/instance (MetricsInstance monitoring/all) could scrape it, which cannot be foretold: consul_sd_configs',
  ]);
});

test('the agents are asked for it, and one that has it is enough', () => {
  const query = { address: '203.0.113.9:80' };
  const explanation = explainTarget(worldWith(), query, options);
  const agent = { pod: 'monitoring/agent-0', shard: 0, path: '/0' };
  const open = explanation.open.map((each) => ({ ...each, agents: [agent] }));
  const target = { job: 'far', discovered: {}, labels: {}, state: 'up', lastError: '' };
  const having = (address: string) =>
    withToldFinds({ ...explanation, open }, query, [{ agent, answer: [{ ...target, address }] }]);
  expect(having('203.0.113.9:80')).toMatchObject({
    outcome: 'scraped',
    notes: [],
    finds: [{ monitor: { kind: 'Secret', name: 'instance' }, job: 'far', target: { health: [{ state: 'up' }] } }],
  });
  expect(having('203.0.113.10:80').outcome).toBe('not found');
});

test('a monitor that nobody selects learns that its pods are scraped all the same', () => {
  const explanation = explainMonitor(worldWith(), { type: servicemonitors, key: 'shop/web' }, options);
  expect(explanation?.outcome).toBe('not selected');
  expect(explanation?.notes).toEqual([
    'Pod shop/web-0 is scraped all the same, by job pods of Secret monitoring/extra (Prometheus monitoring/main)',
  ]);
});

test('the load of shards counts them', () => {
  const world = worldWith();
  const [component] = defaultComponents().filter(({ rootType }) => rootType.kind === 'Prometheus');
  const [root] = component === undefined ? [] : world.list(component.rootType);
  if (component === undefined || root === undefined) throw new Error('there is one');
  const load = loadOf(root, component.build(root, world, options), world);
  expect(load?.ofShards.reduce((sum, count) => sum + count, 0)).toBe(2);
  expect(load?.ofMonitors.size).toBe(0);
});
