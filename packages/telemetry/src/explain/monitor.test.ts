import type { KubeObject, ResourceType } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { podlogs } from '../resources/pod-logs.ts';
import { probes } from '../resources/probe.ts';
import { scrapeconfigs } from '../resources/scrape-config.ts';
import { servicemonitors } from '../resources/service-monitor.ts';
import { objectsOf } from '../testing/world.ts';
import { worldOf } from '../world/world.ts';
import type { MonitorExplanation } from './explanation.ts';
import { withImagined } from './imagined.ts';
import { explainMonitor } from './monitor.ts';

/* What the page docs/why-not-scraped.md does not tell; what it tells is run by the test of the command. */

const options = { components: defaultComponents(), nowMs: 0 };
const coreos = (kind: string, version = 'v1') => `apiVersion: monitoring.coreos.com/${version}\nkind: ${kind}`;
const grafana = (kind: string) => `apiVersion: monitoring.grafana.com/v1alpha1\nkind: ${kind}`;

const service = (index: number) => `apiVersion: v1
kind: Service
metadata: { name: web-${index}, namespace: shop, labels: { app: web } }
spec: { ports: [{ name: http, port: 80 }] }
---
apiVersion: v1
kind: Endpoints
metadata: { name: web-${index}, namespace: shop }
subsets: [{ addresses: [{ ip: 10.0.0.${index} }], ports: [{ name: http, port: 80 }] }]`;

const monitor = (endpoint: string) => `${coreos('ServiceMonitor')}
metadata: { name: web, namespace: shop }
spec: { selector: { matchLabels: { app: web } }, endpoints: [${endpoint}] }`;

const prometheus = (spec: string, annotations = '') => `${coreos('Prometheus')}
metadata: { name: main, namespace: shop, annotations: { ${annotations} } }
spec: { serviceMonitorSelector: {}, scrapeConfigSelector: {}, probeSelector: {}, ${spec} }`;

function explain<T extends KubeObject>(
  type: ResourceType<T>,
  name: string,
  ...manifests: string[]
): MonitorExplanation {
  const world = worldOf(withImagined(objectsOf(manifests.join('\n---\n'))));
  const explanation = explainMonitor(world, { type: type as unknown as ResourceType, key: `shop/${name}` }, options);
  if (explanation === undefined) throw new Error('it is there');
  return explanation;
}

const nine = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(service);

test('a monitor that is not there is not explained', () => {
  expect(explainMonitor(worldOf([]), { type: servicemonitors, key: 'a/b' }, options)).toBeUndefined();
});

test.each([
  ['shards: 3', 3, ''],
  ['shards: 1', 1, ''],
  ['shards: 3', 3, 'signalbox.dev/sharding: slots'],
])('every target has one shard (%s, %i, %s)', (spec, shards, annotation) => {
  const { outcome, selectors } = explain(
    servicemonitors,
    'web',
    ...nine,
    monitor('{ port: http }'),
    prometheus(spec, annotation),
  );
  const fates = selectors.flatMap(({ jobs }) => jobs.flatMap(({ targets }) => targets.map(({ fate }) => fate)));
  const taken = fates.flatMap((fate) => (fate.kept ? [fate.shards] : []));
  expect(outcome).toBe('scraped');
  expect(taken).toHaveLength(9);
  expect(taken.every((each) => each.length === 1)).toBe(true);
  expect(new Set(taken.flat()).size).toBe(shards);
});

test('shards of a GrafanaAgent are told as well, and of a target that opts out all of them', () => {
  const { selectors } = explain(
    servicemonitors,
    'web',
    service(1),
    monitor('{ port: http, relabelings: [{ targetLabel: __tmp_disable_sharding, replacement: "1" }] }'),
    prometheus('shards: 3'),
    `${grafana('GrafanaAgent')}\nmetadata: { name: agent, namespace: shop }\nspec: { metrics: { shards: 2, instanceSelector: {} } }`,
    `${grafana('MetricsInstance')}\nmetadata: { name: one, namespace: shop }\nspec: { serviceMonitorSelector: {} }`,
  );
  const shards = selectors.map(({ root, jobs }) => {
    const fate = jobs[0]?.targets[0]?.fate;
    return [root.kind, fate?.kept === true ? fate.shards.length : 0];
  });
  expect(shards).toEqual([
    ['GrafanaAgent', 1],
    ['Prometheus', 3],
  ]);
});

test('labels that begin with two underscores are gone, and the instance is the address', () => {
  const { selectors } = explain(servicemonitors, 'web', service(7), monitor('{ port: http }'), prometheus(''));
  expect(selectors[0]?.jobs[0]?.targets[0]?.fate).toEqual({
    kept: true,
    shards: [0],
    labels: { instance: '10.0.0.7:80', job: 'web-7', namespace: 'shop', service: 'web-7', endpoint: 'http' },
  });
});

describe('the first rule that drops a target', () => {
  test('is numbered, and its owner known', () => {
    const rules = 'relabelings: [{ targetLabel: x, replacement: a }, { sourceLabels: [x], regex: b, action: keep }]';
    const { selectors } = explain(
      servicemonitors,
      'web',
      service(1),
      monitor(`{ port: http, ${rules} }`),
      prometheus(''),
    );
    const [target] = selectors[0]?.jobs[0]?.targets ?? [];
    expect(target?.fate).toMatchObject({
      kept: false,
      by: { whose: 'the monitor', field: 'spec.endpoints[0].relabelings[1]', saw: 'a' },
    });
  });
  test('may be that of a scrape class', () => {
    const classes =
      'scrapeClasses: [{ name: a, default: true, relabelings: [{ sourceLabels: [job], regex: b, action: keep }] }]';
    const { cause } = explain(servicemonitors, 'web', service(1), monitor('{ port: http }'), prometheus(classes));
    expect(cause).toMatch(
      /the scrape class's spec.scrapeClasses\[0\].relabelings\[0\]\) keeps only what matches "b" in job, and it is "web-1"/,
    );
  });
});

test.each<[string, string, string, RegExp]>([
  ['an ExternalName', 'type: ExternalName, externalName: a.example', '{ port: http }', /it is an ExternalName/],
  [
    'a Service without a selector',
    'ports: [{ name: http, port: 80 }]',
    '{ port: http }',
    /it has no selector, and nobody wrote endpoints/,
  ],
])('%s has no targets', (_, spec, endpoint, expected) => {
  const lonely = `apiVersion: v1\nkind: Service\nmetadata: { name: web, namespace: shop, labels: { app: web } }\nspec: { ${spec} }`;
  expect(explain(servicemonitors, 'web', lonely, monitor(endpoint), prometheus('')).cause).toMatch(expected);
});

test('nobody collects ScrapeConfigs but Prometheus and its agent', () => {
  const config = `${coreos('ScrapeConfig', 'v1alpha1')}\nmetadata: { name: web, namespace: shop }\nspec: { staticConfigs: [{ targets: [a:1] }] }`;
  expect(explain(scrapeconfigs, 'web', config).cause).toMatch(
    /no Prometheus and no PrometheusAgent, and GrafanaAgents read none/,
  );
  expect(explain(scrapeconfigs, 'web', config, prometheus('')).outcome).toBe('scraped');
});

test('what others say cannot be foretold', () => {
  const config = `${coreos('ScrapeConfig', 'v1alpha1')}\nmetadata: { name: web, namespace: shop }\nspec: { httpSDConfigs: [{ url: "http://a" }] }`;
  expect(explain(scrapeconfigs, 'web', config, prometheus(''))).toMatchObject({
    outcome: 'unknown',
    cause: 'its targets come from http_sd_configs',
  });
});

test('a probe is told by what it asks for', () => {
  const probe = `${coreos('Probe')}\nmetadata: { name: web, namespace: shop }\nspec: { prober: { url: "box:9115" }, targets: { staticConfig: { static: ["https://a.example"] } } }`;
  const { outcome, selectors } = explain(probes, 'web', probe, prometheus('shards: 2'));
  expect(outcome).toBe('scraped');
  expect(selectors[0]?.jobs[0]?.targets[0]).toMatchObject({
    address: 'https://a.example',
    fate: { kept: true, labels: { instance: 'https://a.example', namespace: 'shop' } },
  });
});

test('logs are tailed by the agent of their node', () => {
  const logs = `${grafana('PodLogs')}\nmetadata: { name: web, namespace: shop }\nspec: { selector: {}, pipelineStages: [] }`;
  const pod =
    'apiVersion: v1\nkind: Pod\nmetadata: { name: a, namespace: shop }\nspec: { nodeName: node-1, containers: [{ name: a, image: a }] }';
  const { outcome, selectors } = explain(
    podlogs,
    'web',
    logs,
    pod,
    `${grafana('GrafanaAgent')}\nmetadata: { name: agent, namespace: shop }\nspec: { logs: { instanceSelector: {} }, metrics: { shards: 4 } }`,
    `${grafana('LogsInstance')}\nmetadata: { name: one, namespace: shop }\nspec: { podLogsSelector: {} }`,
  );
  expect(outcome).toBe('scraped');
  expect(selectors[0]?.jobs[0]).toMatchObject({ shards: 0, targets: [{ fate: { kept: true } }] });
});
