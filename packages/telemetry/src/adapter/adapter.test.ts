/** The metrics APIs on a whole cluster, in virtual time: rates from pages, written loads, queries, and whose rules hold. */
import { type Event, events, type ResourceType, StatusError } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { customResourceDefinitions } from '../resources/crds.ts';
import { adapterIdentity, createMetricsAdapter } from './adapter.ts';
import type { PageTarget } from './pages.ts';

const { signal } = new AbortController();
let cluster: TestCluster;
let read: PageTarget[];
let counted: number;
let isAway: boolean;
let queries: string[];
let answers: (query: string) => unknown;

beforeEach(() => start({ followsRoots: false }));

async function start({ followsRoots }: { readonly followsRoots: boolean }): Promise<void> {
  read = [];
  counted = 0;
  isAway = false;
  queries = [];
  answers = () => ({ status: 'success', data: { resultType: 'vector', result: [] } });
  const adapter = createMetricsAdapter({
    followsRoots,
    async read(target) {
      read.push(target);
      if (isAway) throw new Error('connection refused');
      counted += 1_500;
      return `agent_total{type="float"} ${counted}\nother 1\n`;
    },
    async ask(query) {
      queries.push(query);
      return answers(query);
    },
  });
  cluster = await createTestCluster({
    nodes: 1,
    apis: adapter.apis,
    components: adapter.parts,
    identities: [adapterIdentity],
  });
  if (followsRoots) await cluster.apply(customResourceDefinitions());
}
afterEach(() => cluster.close());

const pod = (name: string, extra = ''): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: default, labels: { app: ${name.slice(0, -2)}, example.com/of: test } ${extra} }
spec: { containers: [{ name: main, image: agent, ports: [{ name: web, containerPort: 9090 }], readinessProbe: { httpGet: { port: web, path: /p/-/ready, scheme: HTTPS } } }] }
---`;

const rules = (name: string, text: string, namespace = 'default'): string => `
apiVersion: v1
kind: ConfigMap
metadata: { name: ${name}, namespace: ${namespace}, labels: { signalbox.dev/metric-rules: "" } }
data:
  rules.yaml: |
    rules:
${text.replace(/^/gm, '      ')}
---`;

const custom = (resource: string, version = 'v1beta2'): ResourceType =>
  ({ group: 'custom.metrics.k8s.io', version, resource, kind: 'MetricValueList', namespaced: true }) as ResourceType;

interface Listed {
  readonly items: readonly { readonly describedObject: { readonly name: string }; readonly value: string }[];
}

async function ask(
  metric: string,
  { name = '*', resource = 'pods', version = 'v1beta2', parameters = {} } = {},
): Promise<Listed> {
  const place = { namespace: 'default', name, subresource: metric };
  const got: object = await cluster.during(
    cluster.client.get(custom(resource, version), { ...place, parameters, signal }),
  );
  return got as Listed;
}

async function values(metric: string, options = {}): Promise<readonly string[]> {
  return (await ask(metric, options)).items.map(({ describedObject, value }) => `${describedObject.name} ${value}`);
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return error instanceof StatusError ? `${error.status.code} ${error.message}` : String(error);
}

describe('a rate from the pages of pods', () => {
  beforeEach(async () => {
    await cluster.applyYaml(
      pod('agent-0') +
        pod('web-0') +
        rules('r', '- { metric: samples, rate: [none_total, agent_total], pods: { selector: app=agent } }'),
    );
    await cluster.advance(60_000);
  });

  test('is measured from when somebody asks, and no page is read before', async () => {
    expect(read).toEqual([]);
    expect(await values('samples')).toEqual([]);
    expect(read).toMatchObject([
      { namespace: 'default', pod: 'agent-0', scheme: 'https', port: 9090, path: '/p/metrics' },
    ]);
    await cluster.advance(15_000);
    // 1,500 more on each page, one page every 15 seconds.
    expect(await values('samples')).toEqual(['agent-0 100']);
    const [item] = (await ask('samples', { name: 'agent-0' })).items;
    expect(item).toMatchObject({
      describedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'agent-0' },
      metric: { name: 'samples' },
      windowSeconds: 15,
    });
    const [old] = (await ask('samples', { version: 'v1beta1' })).items;
    expect(old).toMatchObject({ metricName: 'samples' });
  });

  test('ends when nobody has asked for ten minutes', async () => {
    await ask('samples');
    await cluster.advance(700_000);
    const before = read.length;
    await cluster.advance(60_000);
    expect(read.length).toBe(before);
  });

  test('an autoscaler that follows it keeps it measured', async () => {
    await cluster.applyYaml(`
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: h, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: none }
  maxReplicas: 3
  metrics: [{ type: Pods, pods: { metric: { name: samples }, target: { type: AverageValue, averageValue: "1" } } }]`);
    await cluster.advance(1_200_000);
    expect(read.length).toBeGreaterThan(70);
    expect(await values('samples')).toEqual(['agent-0 100']);
  });

  test('labels choose among the pods', async () => {
    await ask('samples');
    await cluster.advance(15_000);
    expect(await values('samples', { parameters: { labelSelector: 'app=agent' } })).toEqual(['agent-0 100']);
    expect(await values('samples', { parameters: { labelSelector: 'app=web' } })).toEqual([]);
    expect(await refusal(ask('samples', { parameters: { labelSelector: 'a in' } }))).toMatch(/^400 labelSelector: /);
  });

  test('a pod that does not answer is told of once, asked more rarely, and has no value after its window', async () => {
    await ask('samples');
    await cluster.advance(30_000);
    isAway = true;
    await cluster.advance(120_000);
    const told = cluster.problems.filter(({ component }) => component === 'metrics-adapter');
    expect(told.map(({ message }) => message)).toEqual(['cannot read the metrics of pod default/agent-0']);
    const before = read.length;
    await ask('samples');
    await cluster.advance(400_000);
    expect(read.length - before).toBeLessThan(5);
    expect(await values('samples')).toEqual([]);
    isAway = false;
    await cluster.advance(400_000);
    expect(await values('samples')).toEqual(['agent-0 100']);
  });

  test('what nobody has a rule for is not found, in the words of adapters', async () => {
    expect(await refusal(ask('others'))).toBe('404 the server could not find the metric others for pods');
    expect(await refusal(ask('samples', { name: 'web-0' }))).toBe(
      '404 the server could not find the metric samples for pods web-0',
    );
  });

  test('discovery lists what there are rules for', () => {
    const { resources } = cluster.api.document({
      ...{ what: 'resources', group: 'custom.metrics.k8s.io', version: 'v1beta2' },
    }) as { readonly resources: readonly { readonly name: string }[] };
    expect(resources.map(({ name }) => name)).toEqual([
      'pods/prometheus_agent_samples_appended_total',
      'pods/prometheus_engine_query_samples_total',
      'pods/prometheus_tsdb_head_samples_appended_total',
      'pods/samples',
    ]);
  });
});

describe('a load that is written down', () => {
  const agentPod = (shard: number, load = ''): string =>
    pod(`agent-${shard}`, `, annotations: { ${load} }`).replace(
      'example.com/of: test',
      `app.kubernetes.io/name: prometheus-agent, operator.prometheus.io/name: edge, operator.prometheus.io/shard: "${shard}"`,
    );
  const metric = 'prometheus_agent_samples_appended_total';

  test('on a pod is the pod’s own, on a root its active shards share it', async () => {
    await cluster.close();
    await start({ followsRoots: true });
    await cluster.applyYaml(`
apiVersion: monitoring.coreos.com/v1alpha1
kind: PrometheusAgent
metadata: { name: edge, namespace: default, annotations: { signalbox.dev/load: '${metric}=120k, x=5' } }
spec: { shards: 2 }
---
${agentPod(0)}${agentPod(1)}${agentPod(2)}${agentPod(3, `signalbox.dev/load: ${metric}=1500m`)}`);
    await cluster.advance(60_000);
    expect(await values(metric)).toEqual(['agent-0 60k', 'agent-1 60k', 'agent-2 0', 'agent-3 1500m']);
    expect(read.map(({ pod: name }) => name)).not.toContain('agent-3');
  });
});

describe('a query', () => {
  const vector = (...result: readonly object[]): object => ({
    status: 'success',
    data: { resultType: 'vector', result },
  });

  test('belongs to the objects that its labels name, in the namespace that asks', async () => {
    await cluster.applyYaml(
      rules('r', '- { metric: lag, query: "max by (namespace, service) (lag)", object: { resource: services } }'),
    );
    answers = () =>
      vector(
        { metric: { namespace: 'default', service: 'a' }, value: [1_700_000_000, '2.5'] },
        { metric: { namespace: 'other', service: 'a' }, value: [1_700_000_000, '7'] },
        { metric: { namespace: 'default' }, value: [1_700_000_000, '9'] },
        { metric: { namespace: 'default', service: 'b' }, value: [1_700_000_000, 'NaN'] },
      );
    await cluster.advance(1_000);
    expect(await values('lag', { resource: 'services' })).toEqual(['a 2500m']);
    expect(await values('lag', { resource: 'services', name: 'a' })).toEqual(['a 2500m']);
    expect(queries).toEqual(['max by (namespace, service) (lag)']);
    await cluster.advance(6_000);
    await values('lag', { resource: 'services' });
    expect(queries).toHaveLength(2);
  });

  test('that belongs to nothing is an external metric', async () => {
    await cluster.applyYaml(rules('r', "- { metric: queue, query: 'queue_length', external: true }"));
    answers = () =>
      vector(
        { metric: { queue: 'a' }, value: [1_700_000_000, '3'] },
        { metric: { queue: 'b' }, value: [1_700_000_000, '4'] },
      );
    await cluster.advance(1_000);
    const type = {
      group: 'external.metrics.k8s.io',
      version: 'v1beta1',
      resource: 'queue',
      kind: 'ExternalMetricValueList',
      namespaced: true,
    };
    const { items } = await cluster.during(
      cluster.client.list(type as ResourceType, { namespace: 'default', labelSelector: 'queue=b', signal }),
    );
    expect(items).toMatchObject([
      { metricName: 'queue', metricLabels: { queue: 'b' }, value: '4', timestamp: '2023-11-14T22:13:20Z' },
    ]);
  });

  test.each([
    [{ status: 'error', error: 'parse error: unexpected end' }, 'lag: parse error: unexpected end'],
    [{ status: 'success', data: { resultType: 'matrix', result: [] } }, 'lag: gives a matrix; wanted a vector'],
    ['<html>', 'lag: the answer is none of a Prometheus server'],
  ])('that fails says why: %j', async (answer, message) => {
    await cluster.applyYaml(rules('r', '- { metric: lag, query: lag, object: { resource: services } }'));
    answers = () => answer;
    await cluster.advance(1_000);
    expect(await refusal(ask('lag', { resource: 'services' }))).toContain(`503 ${message}`);
  });
});

test('rules hold in their namespace; those that cannot be read hold nowhere, and who wrote them is told once', async () => {
  await cluster.applyYaml(
    pod('agent-0') +
      '\napiVersion: v1\nkind: Namespace\nmetadata: { name: other }\n---\n' +
      rules('r', '- { metric: theirs, rate: agent_total, pods: { selector: app=agent } }', 'other') +
      rules('bad', '- { metric: ours, rate: agent_total, pods: { selector: app=agent } }\n- { metric: m }'),
  );
  await cluster.advance(60_000);
  expect(await refusal(ask('theirs'))).toContain('404');
  expect(await refusal(ask('ours'))).toContain('404');
  const { items } = await cluster.during(cluster.client.list<Event>(events, { namespace: 'default', signal }));
  expect(
    items.filter(({ reason }) => reason === 'InvalidMetricRules').map(({ message, count }) => [message, count]),
  ).toEqual([
    ['data[rules.yaml]: rules[1]: wanted one of rate, gauge and query, found none; none of these rules holds', 1],
  ]);
});
