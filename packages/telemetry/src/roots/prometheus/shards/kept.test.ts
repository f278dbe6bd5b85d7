import { gunzipSync } from 'node:zlib';
import {
  type CreateComponent,
  type Event,
  events,
  type PersistentVolumeClaim,
  type Pod,
  persistentvolumeclaims,
  pods,
  type ResourceType,
  type Secret,
  type StatefulSet,
  secrets,
  sleep,
  statefulsets,
} from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultComponents } from '../../../components.ts';
import { createTelemetryOperator } from '../../../operator/operator.ts';
import { customResourceDefinitions } from '../../../resources/crds.ts';
import { type Prometheus, prometheuses } from '../../../resources/prometheus.ts';
import { prometheusagents } from '../../../resources/prometheus-agent.ts';
import { leaveMs } from '../../../sharding/leaving.ts';
import { deadlineAnnotation, neverDeadline } from './retention.ts';

/*
 * Shards that a scale-down removes, on a whole cluster in virtual time, with an operator that can be away and whose clock
 * can be wrong.
 */
const { signal } = new AbortController();
const namespace = 'default';
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
let cluster: TestCluster;
/** By how much the operator's clock is wrong. */
let wrongByMs: number;
let isAway: boolean;

/** The operator, which ends and comes back as `isAway` says. */
const operator: CreateComponent = (platform) => {
  const clock = { ...platform.clock, nowMs: () => platform.clock.nowMs() + wrongByMs };
  return {
    name: 'operator',
    async run({ signal: until }) {
      while (!until.aborted) {
        const life = new AbortController();
        const stop = (): void => life.abort(new Error('the operator is away'));
        until.addEventListener('abort', stop);
        const running = isAway
          ? Promise.resolve()
          : createTelemetryOperator({ ...platform, clock }, { components: defaultComponents() }).run({
              signal: life.signal,
            });
        const before = isAway;
        while (isAway === before && !until.aborted) await sleep(platform.clock, minuteMs, { signal: until });
        stop();
        await running.catch(() => undefined);
        until.removeEventListener('abort', stop);
      }
    },
  };
};

beforeEach(async () => {
  wrongByMs = 0;
  isAway = false;
  cluster = await createTestCluster({
    nodes: 1,
    // Days of heartbeats are no part of this story.
    fleet: { leaseDurationSeconds: 24 * 3_600 },
    manifests: customResourceDefinitions(),
    components: [operator],
  });
});
afterEach(() => cluster.close());

/** A Prometheus with two shards, of which one is then removed. */
async function removed(spec: string, annotations = ''): Promise<void> {
  await cluster.applyYaml(`
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: default, annotations: { ${annotations} } }
spec: { shards: 2, replicas: 2, podMonitorSelector: {}, scrapeInterval: 10s, ${spec} }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: everything, namespace: default }
spec: { selector: {}, podMetricsEndpoints: [{ port: http }] }`);
  await cluster.advance(minuteMs);
  await scale(1);
  await cluster.advance(minuteMs);
}

async function scale(replicas: number, type: ResourceType = prometheuses, name = 'main'): Promise<void> {
  const body = { spec: { replicas } };
  await cluster.client.patch(type, { namespace, name, subresource: 'scale', patchType: 'merge', body, signal });
}

async function edit(spec: object): Promise<void> {
  await cluster.client.patch(prometheuses, { namespace, name: 'main', patchType: 'merge', body: { spec }, signal });
  await cluster.advance(minuteMs);
}

async function shardOne(): Promise<StatefulSet | undefined> {
  const { items } = await cluster.client.list<StatefulSet>(statefulsets, { namespace, signal });
  return items.find(({ metadata }) => metadata.name === 'prometheus-main-shard-1');
}

async function deadline(): Promise<string | undefined> {
  return (await shardOne())?.metadata.annotations?.[deadlineAnnotation];
}

async function deadlineInMs(): Promise<number> {
  return Date.parse((await deadline()) ?? '') - cluster.clock.nowMs();
}

async function podsOf(name: string): Promise<readonly Pod[]> {
  const { items } = await cluster.client.list<Pod>(pods, { namespace, signal });
  return items.filter(({ metadata }) => metadata.name.startsWith(name));
}

async function claims(): Promise<readonly string[]> {
  const { items } = await cluster.client.list<PersistentVolumeClaim>(persistentvolumeclaims, { namespace, signal });
  return items.map(({ metadata }) => metadata.name).sort();
}

async function config(): Promise<string> {
  const secret: Secret = await cluster.client.get(secrets, { namespace, name: 'prometheus-main', signal });
  return gunzipSync(Buffer.from(secret.data?.['prometheus.yaml.gz'] ?? '', 'base64')).toString('utf8');
}

async function told(reason: string): Promise<readonly string[]> {
  const { items } = await cluster.client.list<Event>(events, { namespace, signal });
  return items.filter((each) => each.reason === reason).map(({ message = '' }) => message);
}

async function condition(type: string): Promise<string | undefined> {
  const { status }: Prometheus = await cluster.client.get(prometheuses, { namespace, name: 'main', signal });
  return status?.conditions?.find((each) => each.type === type)?.message;
}

const retain = 'shardRetentionPolicy: { whenScaled: Retain, retain: { retentionPeriod: 12h } }';

test('data that only has a size is kept for ever', async () => {
  await removed('retentionSize: 10GB, shardRetentionPolicy: { whenScaled: Retain }');
  expect(await deadline()).toBe(neverDeadline);
  expect((await shardOne())?.metadata.labels?.['signalbox.dev/kept-until']).toBe('forever');
  // Without any size it would be a day.
  await cluster.advance(dayMs + 2 * hourMs);
  expect(await podsOf('prometheus-main-shard-1')).toHaveLength(2);
  expect(await condition('ShardsRetained')).toBe('shard 1 is kept until its deadline is changed');
});

test('without a period of its own a shard is kept as long as its data', async () => {
  await removed('retention: 2d, shardRetentionPolicy: { whenScaled: Retain }');
  expect(Math.abs((await deadlineInMs()) - 2 * dayMs)).toBeLessThan(2 * minuteMs);
});

test('an operator that is away across the deadline deletes the shard when it is back, and not at once', async () => {
  await removed(retain);
  isAway = true;
  await cluster.advance(14 * hourMs);
  expect(await podsOf('prometheus-main-shard-1')).toHaveLength(2);
  isAway = false;
  await cluster.advance(15 * minuteMs);
  expect(await podsOf('prometheus-main-shard-1')).toHaveLength(2);
  expect(await told('ShardDue')).toHaveLength(1);
  await cluster.advance(hourMs);
  expect(await shardOne()).toBeUndefined();
  expect(await podsOf('prometheus-main-shard-1')).toEqual([]);
});

test('a clock that leaps ahead and is put right deletes nothing early, nor does one that is behind', async () => {
  await removed(retain);
  const before = await deadline();
  wrongByMs = 30 * dayMs;
  // Something wakes it while its clock is wrong, and it looks.
  await edit({ logLevel: 'debug' });
  await cluster.advance(20 * minuteMs);
  expect(await condition('ShardsRetained')).toContain('is deleted at');
  wrongByMs = 0;
  await cluster.advance(2 * hourMs);
  expect(await condition('ShardsRetained')).toBe(`shard 1 is kept until ${before}`);
  await cluster.advance(9 * hourMs);
  expect(await podsOf('prometheus-main-shard-1')).toHaveLength(2);
  // Years behind: the time that a shard is kept begins with the last thing that is known to have happened.
  await scale(2);
  await cluster.advance(minuteMs);
  wrongByMs = -1_000 * dayMs;
  const removedMs = cluster.clock.nowMs();
  await scale(1);
  await cluster.advance(minuteMs);
  wrongByMs = 0;
  expect(Date.parse((await deadline()) ?? '')).toBeGreaterThan(removedMs + 12 * hourMs - 2 * minuteMs);
  await cluster.advance(12 * hourMs - 2 * minuteMs);
  expect(await podsOf('prometheus-main-shard-1')).toHaveLength(2);
});

test('a policy that is edited midway is followed, and events say so', async () => {
  await removed(retain);
  const first = await deadline();
  await edit({ shardRetentionPolicy: { retain: { retentionPeriod: '5d' } } });
  expect(Math.abs((await deadlineInMs()) - 5 * dayMs)).toBeLessThan(5 * minuteMs);
  expect(await told('DeadlineMoved')).toEqual([
    `shard 1 is kept until ${await deadline()}, no longer until ${first}: so the spec says now`,
  ]);
  // What people write has the last word, whatever the policy says later.
  const mine = '2040-01-01T00:00:00Z';
  const body = { metadata: { annotations: { [deadlineAnnotation]: mine } } };
  const shard = { namespace, name: 'prometheus-main-shard-1' };
  await cluster.client.patch(statefulsets, { ...shard, patchType: 'merge', body, signal });
  await edit({ shardRetentionPolicy: { retain: { retentionPeriod: '1d' } } });
  expect(await deadline()).toBe(mine);
  expect((await shardOne())?.metadata.labels?.['signalbox.dev/kept-until']).toBe('2040-01-01T00.00.00Z');
  expect(await told('DeadlineMoved')).toContain(`shard 1 is kept until ${mine}: so its annotation says now`);
  await edit({ shardRetentionPolicy: { whenScaled: 'Delete' } });
  await cluster.advance(15 * minuteMs);
  expect(await shardOne()).toBeUndefined();
  expect(await told('ShardGone')).toEqual([
    `shard 1, which was kept until ${mine}, is deleted: spec.shardRetentionPolicy keeps no shards any more`,
  ]);
});

test('a policy that comes while a shard is still needed keeps it', async () => {
  await removed('shardRetentionPolicy: { whenScaled: Delete }', 'signalbox.dev/sharding: slots');
  // Its targets are being handed over.
  expect(await config()).toContain('0;');
  await edit({ shardRetentionPolicy: { whenScaled: 'Retain', retain: { retentionPeriod: '3d' } } });
  await cluster.advance(10 * minuteMs);
  expect(await condition('ShardsRetained')).toContain('shard 1 is kept until');
  expect(await podsOf('prometheus-main-shard-1')).toHaveLength(2);
});

test('by slots a shard scrapes until the others have its targets, is kept, taken back, and goes; its volumes stay', async () => {
  await removed(
    `${retain}, storage: { volumeClaimTemplate: { metadata: { name: data }, spec: { resources: { requests: { storage: 1Gi } } } } }`,
    'signalbox.dev/sharding: slots, signalbox.dev/slots: "16"',
  );
  const before = await podsOf('prometheus-main-shard-1');
  expect(await condition('Resharding')).toContain('from 2 to 1 shards');
  expect(await deadline()).toBeUndefined();
  expect(await config()).toContain('|1;');
  await cluster.advance(10 * minuteMs);
  expect(await condition('Resharding')).toBeUndefined();
  expect(await config()).not.toContain('|1;');
  expect(await deadlineInMs()).toBeGreaterThan(12 * hourMs - 15 * minuteMs);

  await cluster.advance(6 * hourMs);
  await scale(2);
  await cluster.advance(10 * minuteMs);
  const uids = (all: readonly Pod[]): readonly string[] => all.map(({ metadata }) => metadata.uid);
  expect(uids(await podsOf('prometheus-main-shard-1'))).toEqual(uids(before));
  expect(await deadline()).toBeUndefined();
  expect(await told('ShardTakenBack')).toHaveLength(1);
  expect(await config()).toContain('|1;');

  await scale(1);
  await cluster.advance(12 * hourMs);
  expect(uids(await podsOf('prometheus-main-shard-1'))).toEqual(uids(before));
  await cluster.advance(hourMs);
  expect(await shardOne()).toBeUndefined();
  const left = ['data-prometheus-main-shard-1-0', 'data-prometheus-main-shard-1-1'];
  expect(await claims()).toEqual(expect.arrayContaining(left));
  expect(await condition('VolumesKept')).toBe(
    `shard 1 is gone, and the volumes are kept: ${left.join(', ')}. A scale-up takes them again; delete the PersistentVolumeClaims when nobody needs their data`,
  );
  expect((await told('ShardGone'))[0]).toContain(`its volumes stay: ${left.join(', ')}`);
  await scale(2);
  await cluster.advance(10 * minuteMs);
  expect(await condition('VolumesKept')).toBeUndefined();
  expect(cluster.problems).toEqual([]);
});

test('shards below the least number are not taken away, by hand or by an autoscaler', async () => {
  await removed('retention: 1d', 'signalbox.dev/min-shards: "2"');
  expect(await podsOf('prometheus-main-shard-1')).toHaveLength(2);
  expect(await condition('ShardsHeld')).toContain('spec.shards: 1 is less than the 2');
  expect(await told('BelowMinShards')).toHaveLength(1);
  await scale(0);
  await cluster.advance(minuteMs);
  expect(await podsOf('prometheus-main')).toHaveLength(4);
  const root: Prometheus = await cluster.client.get(prometheuses, { namespace, name: 'main', signal });
  expect(root.status).toMatchObject({ shards: 2 });
  await scale(3);
  await cluster.advance(minuteMs);
  expect(await condition('ShardsHeld')).toBeUndefined();
  expect(await podsOf('prometheus-main')).toHaveLength(6);
  for (const { metadata } of await podsOf('prometheus-main')) {
    const body = { metadata: { annotations: { 'signalbox.dev/cpu-usage': '10m' } } };
    await cluster.client.patch(pods, { namespace, name: metadata.name, patchType: 'merge', body, signal });
  }
  await cluster.applyYaml(`
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: main, namespace: default }
spec:
  scaleTargetRef: { apiVersion: monitoring.coreos.com/v1, kind: Prometheus, name: main }
  minReplicas: 1
  maxReplicas: 5
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: AverageValue, averageValue: 100m } } }]`);
  await cluster.advance(20 * minuteMs);
  const { spec }: Prometheus = await cluster.client.get(prometheuses, { namespace, name: 'main', signal });
  expect(spec.shards).toBe(1);
  expect(await condition('ShardsHeld')).toContain('spec.shards: 1 is less than the 2');
  expect(await podsOf('prometheus-main')).toHaveLength(4);
});

test.each([
  ['flushes its queues within its ten minutes', '590s', '', 580, 595],
  ['that takes longer is killed after them', '2h', '', 595, 605],
  ['has longer where the root says so', '1500s', ', terminationGracePeriodSeconds: 1800', 1_490, 1_505],
])('an agent that leaves %s', async (_, takes, spec, stillSeconds, goneSeconds) => {
  await cluster.applyYaml(`
apiVersion: monitoring.coreos.com/v1alpha1
kind: PrometheusAgent
metadata: { name: edge, namespace: default }
spec: { shards: 2, podMonitorSelector: {}, podMetadata: { annotations: { signalbox.dev/stop-after: ${takes} } } ${spec} }`);
  await cluster.advance(minuteMs);
  await scale(1, prometheusagents, 'edge');
  await cluster.advance(leaveMs + stillSeconds * 1_000);
  expect(await podsOf('prom-agent-edge-shard-1')).toHaveLength(1);
  await cluster.advance((goneSeconds - stillSeconds) * 1_000);
  expect(await podsOf('prom-agent-edge-shard-1')).toEqual([]);
  const { items } = await cluster.client.list<StatefulSet>(statefulsets, { namespace, signal });
  // An agent holds nothing that anybody could query.
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['prom-agent-edge']);
});
