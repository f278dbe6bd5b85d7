import {
  type HorizontalPodAutoscaler,
  horizontalpodautoscalers,
  type Pod,
  pods,
  type ResourceType,
} from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import {
  adapterIdentity,
  createMetricsAdapter,
  createTelemetryOperator,
  customResourceDefinitions,
  defaultComponents,
  type Prometheus,
  type PrometheusAgent,
  prometheusagents,
  prometheuses,
} from '@signalbox/telemetry';
import { afterEach, expect, test } from 'vitest';

/*
 * A day of load that rises and falls, in virtual time, by each of the measures that an autoscaler can follow: the shards
 * follow it, within their bounds, up once and down once.
 */
const { signal } = new AbortController();
const namespace = 'default';
const minuteMs = 60_000;
let cluster: TestCluster;
afterEach(() => cluster.close());

interface Measure {
  readonly kind: 'Prometheus' | 'PrometheusAgent';
  /** As it stands in the autoscaler. */
  readonly metric: string;
  /** What one shard should have. */
  readonly target: number;
  readonly unit: string;
  readonly spec?: string;
  /** Written on the pods, or else shared by the shards of a root that says it. */
  readonly onPods?: string;
}

const perPod = (name: string, target: string): string =>
  `{ type: Pods, pods: { metric: { name: ${name} }, target: { type: AverageValue, averageValue: ${target} } } }`;
const resource = (name: string, target: string): string =>
  `{ type: Resource, resource: { name: ${name}, target: { type: AverageValue, averageValue: ${target} } } }`;

const measures: readonly (readonly [string, Measure])[] = [
  [
    'prometheus_agent_samples_appended_total',
    {
      kind: 'PrometheusAgent',
      metric: perPod('prometheus_agent_samples_appended_total', '50k'),
      target: 50,
      unit: 'k',
    },
  ],
  [
    'prometheus_tsdb_head_samples_appended_total',
    {
      kind: 'Prometheus',
      metric: perPod('prometheus_tsdb_head_samples_appended_total', '50k'),
      target: 50,
      unit: 'k',
      spec: 'shardRetentionPolicy: { whenScaled: Retain, retain: { retentionPeriod: 2h } }',
    },
  ],
  [
    'prometheus_engine_query_samples_total',
    {
      kind: 'Prometheus',
      metric: perPod('prometheus_engine_query_samples_total', '50k'),
      target: 50,
      unit: 'k',
      spec: 'replicas: 2',
    },
  ],
  ['cpu', { kind: 'Prometheus', metric: resource('cpu', '500m'), target: 500, unit: 'm', onPods: 'cpu-usage' }],
  [
    'memory',
    { kind: 'PrometheusAgent', metric: resource('memory', '500Mi'), target: 500, unit: 'Mi', onPods: 'memory-usage' },
  ],
];

const [least, most] = [2, 6];

async function start({ kind, metric, spec = '' }: Measure): Promise<void> {
  const adapter = createMetricsAdapter({ read: () => Promise.reject(new Error('a simulated pod has no page')) });
  cluster = await createTestCluster({
    nodes: 2,
    // A day of heartbeats is no part of this story.
    fleet: { leaseDurationSeconds: 24 * 3_600 },
    manifests: customResourceDefinitions(),
    apis: adapter.apis,
    components: [
      (platform) => createTelemetryOperator(platform, { components: defaultComponents() }),
      ...adapter.parts,
    ],
    identities: [adapterIdentity],
  });
  const apiVersion = `monitoring.coreos.com/${kind === 'Prometheus' ? 'v1' : 'v1alpha1'}`;
  await cluster.applyYaml(`
apiVersion: ${apiVersion}
kind: ${kind}
metadata: { name: main, namespace: default }
spec: { shards: 2, podMonitorSelector: {}, ${spec} }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: main, namespace: default }
spec:
  scaleTargetRef: { apiVersion: ${apiVersion}, kind: ${kind}, name: main }
  minReplicas: ${least}
  maxReplicas: ${most}
  metrics: [${metric}]`);
}

function typeOf({ kind }: Measure): ResourceType<Prometheus | PrometheusAgent> {
  return (kind === 'Prometheus' ? prometheuses : prometheusagents) as ResourceType as ResourceType<
    Prometheus | PrometheusAgent
  >;
}

async function root(measure: Measure): Promise<Prometheus | PrometheusAgent> {
  return cluster.client.get(typeOf(measure), { namespace, name: 'main', signal });
}

async function write(measure: Measure, load: number): Promise<void> {
  const { onPods, unit, metric } = measure;
  if (onPods === undefined) {
    const [, name = ''] = /name: (\w+)/.exec(metric) ?? [];
    const body = { metadata: { annotations: { 'signalbox.dev/load': `${name}=${Math.round(load)}${unit}` } } };
    await cluster.client.patch(typeOf(measure), { namespace, name: 'main', patchType: 'merge', body, signal });
    return;
  }
  const { spec } = await root(measure);
  const { items } = await cluster.client.list<Pod>(pods, { namespace, signal });
  const each = `${Math.round(load / (spec.shards ?? 1))}${unit}`;
  for (const { metadata } of items) {
    const body = { metadata: { annotations: { [`signalbox.dev/${onPods}`]: each } } };
    await cluster.client.patch(pods, { namespace, name: metadata.name, patchType: 'merge', body, signal });
  }
}

/** From 1.2 shards' load at midnight to 7.2 at noon and back. */
function loadAt(part: number, target: number): number {
  return target * (1.2 + 3 * (1 - Math.cos(2 * Math.PI * part)));
}

test.each(measures)(
  'shards follow a day of changing %s',
  async (_, measure) => {
    const dayMs = 24 * 60 * minuteMs;
    const stepMs = 10 * minuteMs;
    await start(measure);
    const steps: number[] = [];
    const minutes: number[] = [];
    for (let passedMs = 0; passedMs < dayMs; passedMs += stepMs) {
      const load = loadAt(passedMs / dayMs, measure.target);
      for (let waitedMs = 0; waitedMs < stepMs; waitedMs += minuteMs) {
        if (waitedMs === 0 || measure.onPods !== undefined) await write(measure, load);
        await cluster.advance(minuteMs);
        minutes.push((await root(measure)).spec.shards ?? 0);
      }
      steps.push(minutes.at(-1) ?? 0);
    }
    expect(Math.min(...steps)).toBe(least);
    expect(Math.max(...steps)).toBe(most);
    // Up once, down once.
    const moves = minutes.map((shards, minute) => shards - (minutes[minute - 1] ?? least)).filter((move) => move !== 0);
    expect(moves.length, String(moves)).toBeLessThanOrEqual(2 * (most - least));
    expect(moves.findLastIndex((move) => move > 0)).toBeLessThan(moves.findIndex((move) => move < 0));
    // Never far behind: what a shard has is within the autoscaler's tenth, or as many shards run as may.
    steps.forEach((shards, step) => {
      const load = loadAt((step * stepMs) / dayMs, measure.target) / measure.target;
      const wanted = Math.min(most, Math.max(least, Math.ceil(load)));
      const isWithin = shards === wanted || Math.abs(load / shards - 1) <= 0.101;
      expect(isWithin, `step ${step}: ${shards} shards for the load of ${load.toFixed(2)}`).toBe(true);
    });
    const scaler: HorizontalPodAutoscaler = await cluster.client.get(horizontalpodautoscalers, {
      namespace,
      name: 'main',
      signal,
    });
    expect(scaler.status?.conditions?.find(({ type }) => type === 'ScalingActive')?.status).toBe('True');
  },
  240_000,
);
