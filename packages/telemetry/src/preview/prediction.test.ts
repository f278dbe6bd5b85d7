import { type KubeObject, keyOf, type New, pods, type ResourceType, toTimestamp } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { createTelemetryOperator } from '../operator/operator.ts';
import { customResourceDefinitions } from '../resources/crds.ts';
import { withEdits } from './edits.ts';
import { placeOf } from './imagined-server.ts';
import { type ObjectChange, objectChanges, pairs } from './object-changes.ts';
import { planChanges } from './plan-changes.ts';

/*
 * Whatever is edited: what the plan says before is what has happened after. A whole cluster with the operator in it, on a
 * virtual clock; the plan sees what its API shows, and nothing else.
 */

const namespace = 'shop';
const minuteMs = 60_000;

/** What somebody has written so far; an edit writes one object anew, or takes one away. */
type Manifests = ReadonlyMap<string, New<KubeObject>>;

interface Edit {
  readonly name: string;
  readonly make: (number: number, manifests: Manifests) => New<KubeObject> | string | undefined;
}

const group = 'monitoring.coreos.com';

function prometheus(name: string, spec: object, annotations: Readonly<Record<string, string>> = {}): New<KubeObject> {
  return {
    apiVersion: `${group}/v1`,
    kind: 'Prometheus',
    metadata: { name, namespace, annotations },
    spec: { podMonitorSelector: {}, serviceMonitorSelector: {}, ...spec },
  } as New<KubeObject>;
}

function podMonitor(name: string, endpoint: object): New<KubeObject> {
  const spec = { selector: {}, podMetricsEndpoints: [endpoint] };
  return { apiVersion: `${group}/v1`, kind: 'PodMonitor', metadata: { name, namespace }, spec } as New<KubeObject>;
}

function token(value: string): New<KubeObject> {
  const data = { token: Buffer.from(value).toString('base64') };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token', namespace }, data } as New<KubeObject>;
}

const first: readonly New<KubeObject>[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  prometheus('main', { shards: 2 }),
  prometheus('kept', { shards: 2, shardRetentionPolicy: { whenScaled: 'Retain', retain: { retentionPeriod: '3d' } } }),
  prometheus('slots', { shards: 2 }, { 'signalbox.dev/sharding': 'slots' }),
  {
    apiVersion: 'monitoring.grafana.com/v1alpha1',
    kind: 'GrafanaAgent',
    metadata: { name: 'agent', namespace },
    spec: { metrics: { instanceSelector: {} }, logs: { instanceSelector: {} } },
  } as New<KubeObject>,
  {
    apiVersion: 'monitoring.grafana.com/v1alpha1',
    kind: 'MetricsInstance',
    metadata: { name: 'primary', namespace },
    spec: { podMonitorSelector: {} },
  } as New<KubeObject>,
  podMonitor('web', { port: 'http', bearerTokenSecret: { name: 'token', key: 'token' } }),
  token('sesame'),
];

/** Writes fields of a spec anew. */
function specOf(kind: string, name: string, fields: (number: number) => object): Edit['make'] {
  return (number, manifests) => {
    const found = [...manifests.values()].find((each) => each.kind === kind && each.metadata.name === name);
    if (found === undefined) return undefined;
    return { ...found, spec: { ...(found as { readonly spec?: object }).spec, ...fields(number) } } as New<KubeObject>;
  };
}

const roots = ['main', 'kept', 'slots'];

const edits: readonly Edit[] = [
  ...roots.map((name) => ({
    name: `shards of ${name}`,
    make: specOf('Prometheus', name, (number) => ({ shards: 1 + (number % 4) })),
  })),
  {
    name: 'shards of the agent',
    make: specOf('GrafanaAgent', 'agent', (number) => ({
      metrics: { instanceSelector: {}, shards: 1 + (number % 3) },
    })),
  },
  { name: 'image', make: specOf('Prometheus', 'main', (number) => ({ image: `example/prometheus:${number % 3}` })) },
  { name: 'image of the agent', make: specOf('GrafanaAgent', 'agent', (number) => ({ image: `agent:${number % 3}` })) },
  { name: 'replicas', make: specOf('Prometheus', 'kept', (number) => ({ replicas: 1 + (number % 3) })) },
  { name: 'labels', make: specOf('Prometheus', 'slots', (number) => ({ externalLabels: { site: `s${number % 3}` } })) },
  {
    name: 'labels of pods',
    make: specOf('Prometheus', 'main', (number) => ({ podMetadata: { labels: { team: `t${number % 3}` } } })),
  },
  { name: 'paused', make: specOf('Prometheus', 'main', (number) => ({ paused: number % 2 === 0 })) },
  { name: 'retention', make: specOf('Prometheus', 'kept', (number) => ({ retention: `${1 + (number % 3)}d` })) },
  { name: 'a monitor', make: (number) => podMonitor(`m${number % 3}`, { port: `p${number % 5}` }) },
  { name: 'a broken monitor', make: (number) => podMonitor(`m${number % 3}`, { port: 'x', scrapeTimeout: '2h' }) },
  { name: 'a secret', make: (number) => token(`word ${number % 3}`) },
  { name: 'a root more', make: (number) => prometheus(`extra${number % 2}`, { shards: 1 + (number % 2) }) },
  { name: 'a root less', make: (number) => `${group}/v1 Prometheus ${namespace}/extra${number % 2}` },
  { name: 'a monitor less', make: (number) => `${group}/v1 PodMonitor ${namespace}/m${number % 3}` },
];

const components = defaultComponents();
const types: readonly ResourceType[] = [
  ...new Set(components.flatMap(({ rootType, reads, owns }) => [rootType, ...reads, ...owns])),
];

async function everything(cluster: TestCluster): Promise<readonly KubeObject[]> {
  const lists: KubeObject[] = [];
  for (const type of types) lists.push(...(await cluster.client.list(type)).items);
  return lists;
}

async function podIds(cluster: TestCluster): Promise<ReadonlyMap<string, string>> {
  const { items } = await cluster.client.list(pods, { namespace });
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid]));
}

async function start(): Promise<TestCluster> {
  const cluster = await createTestCluster({
    nodes: 2,
    fleet: { leaseDurationSeconds: 24 * 3_600 },
    manifests: customResourceDefinitions(),
    components: [(platform) => createTelemetryOperator(platform, { components })],
  });
  await cluster.advance(minuteMs);
  await cluster.apply(first);
  await cluster.advance(5 * minuteMs);
  return cluster;
}

/** What happens and to which fields; when is no matter of a plan. */
function lines(changes: readonly ObjectChange[]): readonly string[] {
  return changes.map(({ object, change, fields }) =>
    `${change} ${object.kind} ${object.name} ${fields.map(({ path }) => path).join(' ')}`.trim(),
  );
}

async function edited(cluster: TestCluster, made: New<KubeObject> | string): Promise<void> {
  const before = await everything(cluster);
  const gone = typeof made === 'string' ? before.find((each) => placeOf(each) === made) : undefined;
  const kept = before.filter((each) => each !== gone);
  const { objects } = withEdits(kept, {
    manifests: typeof made === 'string' ? [] : [made],
    scales: [],
    namespace,
  });
  const plan = planChanges(before, objects, { components, nowMs: cluster.clock.nowMs() });
  const podsBefore = await podIds(cluster);
  if (typeof made !== 'string') await cluster.apply([made]);
  else if (gone !== undefined) {
    const type = types.find(({ kind }) => kind === gone.kind);
    if (type !== undefined) await cluster.client.delete(type, { namespace, name: gone.metadata.name });
  }
  await cluster.advance(20 * minuteMs);
  const after = await everything(cluster);
  const podsAfter = await podIds(cluster);
  const at = `${typeof made === 'string' ? `without ${made}` : JSON.stringify(made)} ${toTimestamp(cluster.clock.nowMs())}`;
  const uids = new Map(before.map((object) => [placeOf(object), object.metadata.uid]));
  const recreated = after
    .filter((object) => (uids.get(placeOf(object)) ?? object.metadata.uid) !== object.metadata.uid)
    .map((object) => [placeOf(object), 'Background'] as const);
  const happened = objectChanges(pairs(before, after), new Map(recreated));
  expect({ at, changes: [...lines([...plan.edits, ...plan.objects])].sort() }).toEqual({
    at,
    changes: [...lines(happened)].sort(),
  });
  const restarted = [...podsBefore].filter(([name, uid]) => podsAfter.has(name) && podsAfter.get(name) !== uid);
  const workloadsOf = (name: string): string => name.replace(/-[^-]+$/, '');
  expect({ at, restarts: [...new Set(restarted.map(([name]) => workloadsOf(name)))].sort() }).toEqual({
    at,
    restarts: plan.workloads
      .filter(({ effect, workload }) => effect === 'restarts' && workload.kind === 'StatefulSet')
      .map(({ workload }) => workload.name)
      .sort(),
  });
}

test('what a plan says is what happens, whatever is edited', async () => {
  const step = fc.tuple(fc.constantFrom(...edits), fc.nat(60));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
      const cluster = await start();
      try {
        let manifests: Manifests = new Map(first.map((each) => [placeOf(each), each]));
        for (const [{ make }, number] of steps) {
          const made = make(number, manifests);
          if (made === undefined) continue;
          if (typeof made !== 'string') manifests = new Map([...manifests, [placeOf(made), made]]);
          await edited(cluster, made);
        }
        expect(cluster.problems).toEqual([]);
      } finally {
        await cluster.close();
      }
    }),
    { numRuns: inject('thoroughness') },
  );
}, 240_000);

test('nothing is left to plan where the operator has done its work', async () => {
  const cluster = await start();
  const before = await everything(cluster);
  expect(before.map(keyOf)).toContain(`${namespace}/prometheus-main-shard-1`);
  const plan = planChanges(before, before, { components, nowMs: cluster.clock.nowMs() });
  expect({ ...plan, findings: [] }).toEqual({
    edits: [],
    objects: [],
    workloads: [],
    configurations: [],
    targets: [],
    events: [],
    findings: [],
    isEndless: false,
  });
  await cluster.close();
});
