import { expect, test } from 'vitest';
import type { ConfigMap, Secret } from '../api/generated/core-v1.ts';
import { configmaps, events as eventsType, namespaces, secrets } from '../api/generated/kinds.ts';
import type { New } from '../api/meta.ts';
import type { Informers } from '../client/informers.ts';
import { createTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { type Controller, mapped, owned, primary } from './controller.ts';
import type { Written } from './executor.ts';
import type { Action, Plan } from './plan.ts';
import { restAfter } from './rest.ts';
import { caughtUp, createControllerRunner } from './runner.ts';

const { signal } = new AbortController();

interface Copying {
  readonly source: ConfigMap;
  readonly copies: readonly Secret[];
  readonly runs: number;
}

/** Keeps as many Secrets per ConfigMap as its `data.copies` says: enough of a controller to try the runner. */
function copier(seen: string[]): Controller<Copying, number> {
  return {
    name: 'copier',
    watches: [primary(configmaps), owned(secrets, configmaps)],
    observe(key, caches, memory) {
      const source = caches.of(configmaps).get(key);
      if (source?.data?.['copies'] === undefined) return undefined;
      return { source, copies: caches.of(secrets).ownedBy(source.metadata.uid), runs: (memory ?? 0) + 1 };
    },
    plan({ source, copies, runs }): Plan<number> {
      const wanted = Number(source.data?.['copies']);
      seen.push(`run ${runs}: ${copies.length} of ${wanted}`);
      const missing = Math.max(0, wanted - copies.length);
      const actions: readonly Action[] = [
        ...Array.from({ length: missing }, (): Action => ({ do: 'create', type: secrets, object: copyOf(source) })),
        ...copies.slice(wanted).map((target): Action => ({ do: 'delete', type: secrets, target })),
      ];
      return { actions, memory: runs };
    },
  };
}

function copyOf({ metadata }: ConfigMap): New<Secret> {
  const { namespace = '', name, uid } = metadata;
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, generateName: `${name}-`, ownerReferences: [owner] },
  };
}

async function setUp(): Promise<{ readonly cluster: TestCluster; readonly seen: string[] }> {
  const seen: string[] = [];
  const cluster = await createTestCluster({
    nodes: 0,
    components: [(platform) => createControllerRunner(copier(seen), platform)],
  });
  await cluster.advance(100);
  return { cluster, seen };
}

const source = (copies: number | string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: source}, data: {copies: "${copies}"}}`;
const copies = async (cluster: TestCluster): Promise<number> => {
  const list = await cluster.during(cluster.client.list(secrets, { signal, namespace: 'default' }));
  return list.items.length;
};

test('a controller reads its own writes: nothing is made twice', async () => {
  const { cluster, seen } = await setUp();
  await cluster.applyYaml(source(40));
  await cluster.advance(1_000);
  expect(await copies(cluster)).toBe(40);
  expect(seen[0]).toBe('run 1: 0 of 40');
  expect(seen.slice(1).every((line) => line.endsWith('40 of 40'))).toBe(true);
  await cluster.close();
});

test('of many writes the newest of each resource and namespace is waited for, and everything that is gone', async () => {
  const waits: string[] = [];
  const informers = {
    has: () => true,
    reach: async (type, version, { namespace }) => void waits.push(`${type.resource} ${namespace} ${version}`),
    until: async (type, key) => void waits.push(`${type.resource} ${key} gone`),
  } satisfies Partial<Informers> as unknown as Informers;
  const version = (namespace: string, resourceVersion: string): Written => ({
    kind: 'version',
    type: secrets,
    namespace,
    resourceVersion,
  });
  const gone = (name: string): Written => ({ kind: 'gone', type: configmaps, key: `a/${name}`, uid: name });
  const written = [version('a', '9'), gone('x'), version('a', '10'), version('b', '8'), version('a', '7'), gone('y')];
  await caughtUp(written, informers, signal);
  expect(waits).toEqual(['secrets a 10', 'secrets b 8', 'configmaps a/x gone', 'configmaps a/y gone']);
});

test('a change of the source and of what it owns wakes the controller', async () => {
  const { cluster } = await setUp();
  await cluster.applyYaml(source(3));
  await cluster.advance(1_000);
  await cluster.applyYaml(source(1));
  await cluster.advance(1_000);
  expect(await copies(cluster)).toBe(1);
  const [last] = (await cluster.during(cluster.client.list(secrets, { signal, namespace: 'default' }))).items;
  await cluster.during(
    cluster.client.delete(secrets, { namespace: 'default', name: last?.metadata.name ?? '', signal }),
  );
  await cluster.advance(1_000);
  expect(await copies(cluster)).toBe(1);
  await cluster.close();
});

test('memory lasts from run to run and ends with the object', async () => {
  const { cluster, seen } = await setUp();
  await cluster.applyYaml(source(0));
  await cluster.applyYaml(source('0.0'));
  await cluster.advance(100);
  expect(seen.at(-1)).toBe('run 2: 0 of 0');
  await cluster.during(cluster.client.delete(configmaps, { namespace: 'default', name: 'source', signal }));
  await cluster.advance(100);
  await cluster.applyYaml(source(0));
  await cluster.advance(100);
  expect(seen.at(-1)).toBe('run 1: 0 of 0');
  await cluster.close();
});

test('what the API refuses is tried again, later each time, and reported', async () => {
  const times: number[] = [];
  const stubborn: Controller<ConfigMap> = {
    name: 'stubborn',
    watches: [primary(configmaps)],
    observe: (key, caches) => (key === 'default/source' ? caches.of(configmaps).get(key) : undefined),
    plan({ metadata }, nowMs) {
      times.push(nowMs);
      const invalid = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: metadata.namespace ?? '', name: 'Not A Name' },
      } as const;
      return { actions: [{ do: 'create', type: secrets, object: invalid }] };
    },
  };
  const cluster = await createTestCluster({
    nodes: 0,
    components: [(platform) => createControllerRunner(stubborn, platform)],
  });
  await cluster.advance(100);
  await cluster.applyYaml(source(0));
  await cluster.advance(1_000);
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(waits.length).toBeGreaterThan(4);
  expect([...waits].sort((a, b) => a - b)).toEqual(waits);
  expect(cluster.problems[0]?.message).toBe('cannot reconcile default/source');
  await cluster.close();
});

test('a plan can ask to be made again later, and events reach the API', async () => {
  const times: number[] = [];
  const clockwork: Controller<ConfigMap> = {
    name: 'clockwork',
    watches: [mapped(configmaps, () => ['default/source'])],
    observe: (key, caches) => caches.of(configmaps).get(key),
    plan(regarding, nowMs) {
      times.push(nowMs);
      return {
        actions: [{ do: 'emit', regarding, type: 'Normal', reason: 'Ticked', note: `tick ${times.length}` }],
        againInMs: 60_000,
      };
    },
  };
  const cluster = await createTestCluster({
    nodes: 0,
    components: [(platform) => createControllerRunner(clockwork, platform)],
  });
  await cluster.advance(100);
  await cluster.applyYaml(source(0));
  const startMs = cluster.clock.nowMs();
  await cluster.advance(180_000);
  expect(times.map((time) => time - startMs)).toEqual([0, 60_000, 120_000, 180_000]);
  const { items } = await cluster.during(cluster.client.list(eventsType, { signal, namespace: 'default' }));
  const ticks = items.filter(({ reason }) => reason === 'Ticked');
  expect(new Set(ticks.map(({ message }) => message))).toEqual(new Set(['tick 1', 'tick 2', 'tick 3', 'tick 4']));
  expect(ticks[0]?.source).toEqual({ component: 'clockwork-controller' });
  await cluster.close();
});

test('a controller can remember what was refused', async () => {
  const remembered: (readonly string[] | undefined)[] = [];
  const refused: Controller<{ readonly memory: readonly string[] | undefined }, readonly string[]> = {
    name: 'refused',
    watches: [primary(configmaps)],
    observe: (key, _caches, memory) => (key === 'default/source' ? { memory } : undefined),
    plan({ memory }) {
      remembered.push(memory);
      const invalid = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'default', name: 'Not A Name' },
      } as const;
      return { actions: [{ do: 'create', type: secrets, object: invalid }], memory: ['planned'] };
    },
    remember: (memory = [], failures) => [
      ...memory,
      ...failures.map(({ action, message }) => `${action.do}: ${message}`),
    ],
  };
  const cluster = await createTestCluster({
    nodes: 0,
    components: [(platform) => createControllerRunner(refused, platform)],
  });
  await cluster.advance(100);
  await cluster.applyYaml(source(0));
  await cluster.advance(20);
  const words = /^create: Secret "Not A Name" is invalid: /;
  expect(remembered.slice(0, 2)).toEqual([undefined, ['planned', expect.stringMatching(words)]]);
  await cluster.close();
});

test('that nothing can be created in a namespace that ends is nobody’s problem', async () => {
  const { cluster, seen } = await setUp();
  const source = (copies: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: { name: source, namespace: team, finalizers: [example.com/hold] }
data: { copies: "${copies}" }
`;
  await cluster.applyYaml('{ apiVersion: v1, kind: Namespace, metadata: { name: team } }');
  await cluster.applyYaml(source('0'));
  await cluster.during(cluster.client.delete(namespaces, { signal, name: 'team' }));
  await cluster.applyYaml(source('1'));
  await cluster.advance(10_000);
  expect(seen.filter((line) => line.endsWith('0 of 1')).length).toBeGreaterThan(1);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

test.each([
  [0, 0],
  [24, 0],
  [25, 100],
  [80, 320],
  [5_000, 1_000],
])('what took %i ms to look at rests for %i ms', (costMs, restMs) => {
  expect(restAfter(costMs)).toBe(restMs);
});
