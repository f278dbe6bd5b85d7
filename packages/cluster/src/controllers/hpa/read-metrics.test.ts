/** How the three metrics APIs are read, with an adapter that answers from a table. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HorizontalPodAutoscaler, MetricSpec } from '../../api/generated/autoscaling-v2.ts';
import { events, horizontalpodautoscalers } from '../../api/generated/kinds.ts';
import type { New } from '../../api/meta.ts';
import { failure, StatusError } from '../../api/status.ts';
import type { ApiRequest, LocalApi } from '../../server/context/local-api.ts';
import { createTestCluster, type TestCluster } from '../../testing/test-cluster.ts';

const { signal } = new AbortController();
let cluster: TestCluster | undefined;
let asked: string[];
let rates: Readonly<Record<string, string>>;

beforeEach(() => {
  asked = [];
  rates = {};
});
afterEach(() => cluster?.close());

/** `pods/* rate app=web` */
function line({ resource, name = '', subresource, query }: ApiRequest): string {
  const what = [resource, name, subresource].filter((part) => part !== undefined && part !== '').join('/');
  return [what, query.get('labelSelector'), query.get('metricLabelSelector')].filter(Boolean).join(' ');
}

function adapter(group: string, version: string): LocalApi {
  return {
    ...{ group, version },
    resources: () => [],
    answer(request) {
      asked.push(`${version} ${line(request)}`);
      const found = Object.entries(rates).filter(([key]) => key.startsWith(`${line(request)}=`));
      if (found.length === 0) throw new StatusError(failure(404, 'NotFound', `nobody has ${line(request)}`));
      const items = found.map(([key, value]) => ({ describedObject: { name: key.split('=').at(-1) }, value }));
      return { kind: 'MetricValueList', apiVersion: `${group}/${version}`, metadata: {}, items };
    },
  };
}

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: app, image: "example/app:1" }] }
`;

async function scaledBy(
  apis: readonly LocalApi[],
  ...metrics: readonly MetricSpec[]
): Promise<HorizontalPodAutoscaler> {
  cluster = await createTestCluster({ nodes: 1, apis });
  await cluster.applyYaml(deployment);
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 10, metrics };
  const metadata = { name: 'web', namespace: 'default' };
  await cluster.advance(10_000);
  await cluster.client.create(
    horizontalpodautoscalers,
    { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata, spec } as New<HorizontalPodAutoscaler>,
    { signal },
  );
  await cluster.advance(1_000);
  expect(cluster.problems).toEqual([]);
  return cluster.client.get(horizontalpodautoscalers, { ...metadata, signal });
}

const custom = (version: string): LocalApi => adapter('custom.metrics.k8s.io', version);
const external = adapter('external.metrics.k8s.io', 'v1beta1');
const selector = { matchLabels: { verb: 'GET' } };
const perPod: MetricSpec = {
  type: 'Pods',
  pods: { metric: { name: 'rate', selector }, target: { type: 'AverageValue', averageValue: '10' } },
};
const ofObject = (describedObject: { readonly kind: string; readonly apiVersion?: string }): MetricSpec => ({
  type: 'Object',
  object: {
    describedObject: { name: 'web', ...describedObject },
    metric: { name: 'hits' },
    target: { type: 'Value', value: '10' },
  },
});
const outside: MetricSpec = {
  type: 'External',
  external: { metric: { name: 'queue', selector }, target: { type: 'AverageValue', averageValue: '10' } },
};

test('pods, objects and the outside, all at once', async () => {
  rates = {
    'deployments.apps/web/hits=web': '8',
    'services/web/hits=web': '9500m',
    'metrics/hits=default': '1',
    'queue verb=GET=a': '20',
    'queue verb=GET=b': '20500m',
  };
  const { status } = await scaledBy(
    [custom('v1beta2'), external],
    ofObject({ apiVersion: 'apps/v1', kind: 'Deployment' }),
    ofObject({ kind: 'Service' }),
    ofObject({ apiVersion: 'v1', kind: 'Namespace' }),
    outside,
  );
  expect(asked.toSorted()).toEqual([
    'v1beta1 queue verb=GET',
    'v1beta2 deployments.apps/web/hits',
    'v1beta2 metrics/hits',
    'v1beta2 services/web/hits',
  ]);
  expect(status.desiredReplicas).toBe(4);
  const currents = status.currentMetrics?.map(({ object, external: from }) => (object ?? from)?.current);
  expect(currents).toEqual([{ value: '8' }, { value: '9500m' }, { value: '1' }, { averageValue: '20250m' }]);
});

test('pods that the selector chooses, by an adapter that only knows the older version', async () => {
  rates = { 'pods/*/rate app=web verb=GET=nobody': '1' };
  const { status } = await scaledBy([custom('v1beta1')], perPod);
  expect(asked).toEqual(['v1beta1 pods/*/rate app=web verb=GET']);
  expect(status.conditions).toMatchObject([
    {},
    {
      type: 'ScalingActive',
      status: 'False',
      reason: 'FailedGetPodsMetric',
      message: expect.stringContaining('did not receive metrics') as string,
    },
  ]);
});

test.each<[string, readonly LocalApi[], MetricSpec, string]>([
  [
    'no API of custom metrics',
    [],
    perPod,
    'unable to get metric rate: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
  ],
  [
    'no API of external metrics',
    [],
    outside,
    'unable to get external metric default/queue/&LabelSelector{MatchLabels:map[string]string{verb: GET,},MatchExpressions:[]LabelSelectorRequirement{},}: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)',
  ],
  [
    'a metric that nobody has',
    [custom('v1beta2')],
    perPod,
    'unable to get metric rate: unable to fetch metrics from custom metrics API: nobody has pods/*/rate app=web verb=GET',
  ],
  [
    'a kind that nobody serves',
    [custom('v1beta2')],
    ofObject({ apiVersion: 'example.com/v1', kind: 'Thing' }),
    'unable to get metric hits: Thing on default web/unable to fetch metrics from custom metrics API: unable to map kind Thing.example.com to resource: no matches for kind "Thing" in group "example.com"',
  ],
])('%s', async (_, apis, metric, message) => {
  const { status } = await scaledBy(apis, metric);
  expect(status.conditions?.[1]?.message).toBe(`the HPA was unable to compute the replica count: ${message}`);
  const told = await cluster?.client.list(events, { namespace: 'default', signal });
  const notes = told?.items.filter(({ reason = '' }) => reason.startsWith('FailedGet')).map((event) => event.message);
  expect(notes).toEqual([message]);
});
