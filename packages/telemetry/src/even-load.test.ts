import { events, type Pod, pods, type Secret, secrets } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterEach, expect, test } from 'vitest';
import { defaultComponents } from './components.ts';
import { withSimulatedAgents } from './explain/simulated-agents.ts';
import { createTelemetryOperator } from './operator/operator.ts';
import { hashedShard } from './relabel/execute.ts';
import { customResourceDefinitions } from './resources/crds.ts';
import { prometheusagents } from './resources/prometheus-agent.ts';
import { deviation, shardLoads } from './sharding/mapping.ts';
import { mappingOf, parseState, type ShardingState, stateAnnotation } from './sharding/state-text.ts';
import { freshManifests } from './testing/world.ts';

/*
 * Simulated targets of very different weight, in virtual time: the operator asks the simulated agents, hot slots move until
 * the shards are even, and then nothing moves for a day in which all loads go up, down and to and fro.
 */
const { signal } = new AbortController();
const namespace = 'shop';
const targets = 60;
const minuteMs = 60_000;
let cluster: TestCluster;
afterEach(() => cluster.close());

const weightOf = (index: number): number => (index % 9 === 0 ? 1_500 : index % 4 === 0 ? 200 : 20);

async function start(annotations: string): Promise<void> {
  const components = defaultComponents();
  cluster = await createTestCluster({
    nodes: 2,
    // A day of heartbeats is no part of this story.
    fleet: { leaseDurationSeconds: 24 * 3_600 },
    manifests: customResourceDefinitions(),
    components: [(platform) => createTelemetryOperator(withSimulatedAgents(platform, components), { components })],
  });
  const apps = Array.from(
    { length: targets },
    (_, index) => `
apiVersion: v1
kind: Pod
metadata: { name: app-${index}, namespace: shop, annotations: { signalbox.dev/series: "${weightOf(index)}" } }
spec: { containers: [{ name: app, image: example/app, ports: [{ name: http, containerPort: 8080 }] }] }`,
  );
  const objects = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: PrometheusAgent
metadata: { name: edge, namespace: shop, annotations: { signalbox.dev/sharding: slots, ${annotations} } }
spec: { shards: 3, podMonitorSelector: {}, scrapeInterval: 10s }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: apps, namespace: shop }
spec: { selector: {}, podMetricsEndpoints: [{ port: http }] }
---${apps.join('\n---')}`;
  await cluster.apply(freshManifests(objects));
  await cluster.advance(5 * minuteMs);
}

async function state(): Promise<ShardingState> {
  const secret = await cluster.client.get<Secret>(secrets, { namespace, name: 'prom-agent-edge', signal });
  const read = parseState(secret.metadata.annotations?.[stateAnnotation] ?? '');
  if (!read.ok) throw new Error(read.problem);
  return read.state;
}

/** By what stands on the pods now. */
async function unevenness(): Promise<number> {
  const { sharing } = await state();
  const mapping = mappingOf(sharing);
  if (mapping === undefined) throw new Error('it is not shared by slots');
  const { items } = await cluster.client.list<Pod>(pods, { namespace, signal });
  const loads = mapping.owners.map(() => 0);
  for (const { metadata, status } of items) {
    const series = Number(metadata.annotations?.['signalbox.dev/series'] ?? Number.NaN);
    const slot = hashedShard(`${status?.podIP}:8080`, loads.length);
    if (Number.isFinite(series)) loads[slot] = (loads[slot] ?? 0) + series + 2;
  }
  return deviation(shardLoads(mapping, loads));
}

/** Everything said of the root about targets that move. */
async function told(): Promise<readonly string[]> {
  const { items } = await cluster.client.list(events, { namespace, signal });
  return (items as readonly { readonly reason?: string; readonly note?: string; readonly message?: string }[])
    .filter(({ reason = '' }) => /^Re(balanc|shard)/.test(reason))
    .map(({ reason, note, message }) => `${reason}: ${note ?? message}`);
}

async function wobble(hour: number): Promise<void> {
  const day = 2 + Math.sin((hour / 24) * 2 * Math.PI);
  for (let index = 0; index < targets; index += 1) {
    const chance = hashedShard(`${hour} ${index}`, 1_000) / 1_000;
    const series = String(Math.round(weightOf(index) * day * (0.9 + 0.2 * chance)));
    const body = { metadata: { annotations: { 'signalbox.dev/series': series } } };
    await cluster.client.patch(pods, { namespace, name: `app-${index}`, patchType: 'merge', body, signal });
  }
}

/** A day of measures takes its time on a machine that has much else to do. */
const limits = { timeout: 120_000 };

test('hot slots move until the shards are even, and nothing moves in a day of load that wobbles', limits, async () => {
  await start('');
  const before = await unevenness();
  expect(before).toBeGreaterThan(0.1);
  const untouched = await state();
  await cluster.advance(24 * minuteMs);
  expect(await state()).toEqual(untouched);
  // Half an hour of measures, then hand-overs by time.
  await cluster.advance(7 * minuteMs);
  expect((await state()).handover?.step).toBe('both');
  const root = await cluster.client.get(prometheusagents, { namespace, name: 'edge', signal });
  const resharding = root.status?.conditions?.find(({ type }) => type === 'Resharding');
  expect(resharding?.reason).toBe('HandingOver');
  expect(resharding?.message).toMatch(
    /^hot slots move between 3 shards, \d+ of 512: the fullest has \d+% more than the mean, then \d+%: /,
  );
  await cluster.advance(25 * minuteMs);
  const rested = await state();
  expect(rested.handover).toBeUndefined();
  const after = await unevenness();
  expect(after).toBeLessThanOrEqual(0.1);
  const said = await told();
  expect(said.at(-1)).toMatch(/^Rebalanced: hot slots move between 3 shards/);
  for (let hour = 0; hour < 24; hour += 2) {
    await wobble(hour);
    await cluster.advance(120 * minuteMs);
  }
  expect((await state()).sharing).toEqual(rested.sharing);
  expect(await unevenness()).toBeLessThanOrEqual(0.1);
});

test('nothing is measured and nothing moves where that is turned off', async () => {
  await start('signalbox.dev/balance: "false"');
  const before = await state();
  await cluster.advance(120 * minuteMs);
  expect(await state()).toEqual(before);
  expect(before.weights).toBeUndefined();
});
