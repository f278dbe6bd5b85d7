import { readdirSync, readFileSync } from 'node:fs';
import {
  type Component,
  createClient,
  createInformers,
  type KubeObject,
  type New,
  type Operation,
  type Platform,
  type Transport,
} from '@signalbox/cluster';
import { createTestCluster } from '@signalbox/cluster/testing';
import { expect, inject, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { customResourceDefinitions } from '../resources/crds.ts';
import { prometheuses } from '../resources/prometheus.ts';
import { monitored } from '../testing/monitored.ts';
import { freshManifests } from '../testing/world.ts';
import { takeIn } from './intake.ts';
import { operatorScope, operatorTrim } from './monitors/trim.ts';
import { createTelemetryOperator } from './operator.ts';

/*
 * What `signalbox operator` leaves out of its caches must not show in what it does: one life of a cluster with all caches whole, and one with them
 * trimmed, come to the same writes in the same order.
 */
const folder = new URL('../testdata/', import.meta.url);
const features = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length));

const { signal } = new AbortController();
const minuteMs = 60_000;

/** A few say most with every check; the simulations take all. */
const tried = inject('thoroughness') > 1 ? features : ['pod-monitor', 'prometheus-monitors'];

type Caches = 'whole' | 'trimmed';

interface Write {
  readonly verb: string;
  readonly resource: string;
  readonly body: unknown;
}

interface Recording {
  readonly caches: Caches;
  readonly platform: Platform;
  readonly written: Write[];
}

/** The operator with caches of its own, as the command has them, and what it writes. */
function operatorWith({ caches, platform, written }: Recording): Component {
  const { transport } = platform;
  const recorded: Transport = {
    perform(operation, waiting) {
      if (operation.verb !== 'get' && operation.verb !== 'list') written.push(writeOf(operation));
      return transport.perform(operation, waiting);
    },
    watch: (operation, waiting) => transport.watch(operation, waiting),
  };
  const informers = createInformers({
    client: createClient(recorded, { name: 'signalbox', groups: ['system:masters'] }),
    clock: platform.clock,
    random: platform.random.fork('informers'),
    report: (message, error) => platform.report({ component: 'informers', message, error }),
    ...(caches === 'trimmed' && { trim: operatorTrim, only: operatorScope }),
  });
  // Its clock is wrong, so that it needs to know what time it is for the server.
  const clock = { ...platform.clock, nowMs: () => platform.clock.nowMs() + 5 * minuteMs };
  const operator = createTelemetryOperator(
    { ...platform, transport: recorded, informers, clock },
    { components: defaultComponents() },
  );
  return {
    name: operator.name,
    async run({ signal }) {
      try {
        await operator.run({ signal });
      } finally {
        informers.close();
      }
    },
  };
}

/** What a write changes: of a status nothing else; and who wrote which field servers know better than anybody who says it. */
function writeOf({ resource, user: _user, ...operation }: Operation): Write {
  const body = ('body' in operation ? operation.body : undefined) as Partial<KubeObject> | undefined;
  const { managedFields: _fields, annotations, ...metadata } = body?.metadata ?? {};
  const isStatus = 'subresource' in operation && operation.subresource === 'status';
  const changed = { ...body, metadata: isStatus ? metadata : { ...metadata, annotations } };
  return { ...operation, resource: resource.resource, body: changed };
}

/** Everything comes up, is scaled down, what is kept for a while goes, and the operator starts again. */
async function life(manifests: readonly New<KubeObject>[], caches: Caches): Promise<readonly Write[]> {
  const written: Write[] = [];
  const cluster = await createTestCluster({
    nodes: 2,
    manifests: customResourceDefinitions(),
    components: [(platform) => operatorWith({ caches, platform, written })],
  });
  await cluster.apply(monitored(manifests));
  await cluster.advance(3 * minuteMs);
  const { items } = await cluster.client.list(prometheuses, { signal });
  const kept = items.filter(({ spec }) => spec.shardRetentionPolicy?.retain !== undefined);
  for (const { metadata, spec } of items) {
    // It has a shard for each topology, which its definition insists on.
    if (spec.shardingStrategy?.mode === 'Topology') continue;
    const { namespace = '', name } = metadata;
    const body = { spec: { shards: 1 } };
    await cluster.client.patch(prometheuses, { namespace, name, patchType: 'merge', body, signal });
  }
  await cluster.advance(kept.length > 0 ? 60 * minuteMs : 5 * minuteMs);
  expect(cluster.problems.filter(({ component }) => component === 'informers')).toEqual([]);
  await cluster.close();
  return written;
}

test.each(tried)('%s comes to the same with trimmed caches', async (feature) => {
  await expectTheSame(readFileSync(new URL(`${feature}.yaml`, folder), 'utf8'));
});

test('shards that are kept for a while go at the same time', async () => {
  const written = await expectTheSame(`
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec:
  shards: 3
  shardRetentionPolicy: { whenScaled: Retain, retain: { retentionPeriod: 10m } }
`);
  expect(written.filter(({ verb, resource }) => verb === 'delete' && resource === 'statefulsets')).toHaveLength(2);
});

async function expectTheSame(yaml: string): Promise<readonly Write[]> {
  const manifests = takeIn(freshManifests(yaml) as readonly KubeObject[]).objects;
  const whole = await life(manifests, 'whole');
  expect(whole.length).toBeGreaterThan(0);
  expect(await life(manifests, 'trimmed')).toEqual(whole);
  return whole;
}
