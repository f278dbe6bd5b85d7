import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContainerSeen, type Informers, type NodeDriver, nodes, type PodSeen, pods } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { manifestOf } from './manifests.ts';
import { createStaticPods, type StaticPods } from './static-pods.ts';

const { signal } = new AbortController();
let cluster: TestCluster;
let folder: string;
let statics: StaticPods;
let told: string[];
let ending: AbortController;
let isApiThere: boolean;
let orders: string[];

/** Does at once what it is told, and writes it down. */
function fakeDriver(): NodeDriver {
  const pods = new Map<string, Map<string, ContainerSeen>>();
  const seenOf = (uid: string): PodSeen => ({ containers: pods.get(uid) ?? new Map(), tellsEnds: true });
  const none = (): never => {
    throw new Error('nobody asks this');
  };
  return {
    ...{ name: 'fake', join: none, machine: none, leave: none, logs: none, usage: none },
    adopt: ({ metadata: { uid } }) => void pods.set(uid, pods.get(uid) ?? new Map()),
    status: ({ metadata: { uid } }) => seenOf(uid),
    start({ metadata: { uid }, spec }, starts) {
      for (const { name, restartCount } of starts) {
        orders.push(`start ${spec.containers.find((each) => each.name === name)?.image}`);
        const started = { restartCount, startedMs: cluster.clock.nowMs(), imageId: '' };
        pods.get(uid)?.set(name, { is: 'running', id: 'fake://1', ready: true, ...started });
      }
    },
    stop({ metadata: { uid }, spec }) {
      orders.push(`stop ${spec.containers[0]?.image}`);
      for (const [name, seen] of pods.get(uid) ?? [])
        if (seen.is === 'running')
          pods.get(uid)?.set(name, { ...seen, is: 'ended', endedMs: cluster.clock.nowMs(), exitCode: 0 });
    },
    forget({ metadata: { uid }, spec }) {
      orders.push(`forget ${spec.containers[0]?.image}`);
      pods.delete(uid);
    },
  };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-static-'));
  told = [];
  orders = [];
  isApiThere = true;
  ending = new AbortController();
  // Its node is simulated: here it is only about what the API is asked for.
  cluster = await createTestCluster({ nodes: 1 });
  const { platform, clock } = cluster;
  const { informers } = platform;
  await cluster.during(informers.sync([pods, nodes], { signal }));
  const own: Informers = { ...informers, has: (type) => isApiThere && informers.has(type) };
  statics = createStaticPods({
    ...{ folder, nodeName: 'node-1', client: cluster.client, clock, own, driver: fakeDriver(), hostIp: '10.64.0.1' },
    report: (message, error) => told.push(`${message}: ${error instanceof Error ? error.message : ''}`),
  });
  void statics.run({ signal: ending.signal });
});
afterEach(async () => {
  ending.abort(new Error('the test is over'));
  await cluster.close();
  await rm(folder, { recursive: true });
});

const manifest = (image: string, more = ''): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: logs${more} }\nspec: { containers: [{ name: main, image: ${image} }] }\n`;
const write = (text: string, name = 'logs.yaml'): Promise<void> => writeFile(join(folder, name), text);

/** Files are read by threads, which no clock waits for. */
const until = (holds: () => Promise<void> | void): Promise<void> =>
  vi.waitFor(async () => {
    await cluster.advance(1_000);
    await holds();
  });
const names = async (): Promise<readonly string[]> =>
  (await cluster.client.list(pods, { signal })).items.map(
    ({ metadata, spec }) => `${metadata.name} ${spec.containers[0]?.image}`,
  );

test('each manifest has its mirror, owned by the node; it follows the file', async () => {
  await write(manifest('one'));
  await until(async () => expect(await names()).toEqual(['logs-node-1 one']));
  const [mirror] = (await cluster.client.list(pods, { signal })).items;
  const { annotations = {}, ownerReferences } = mirror?.metadata ?? {};
  expect(annotations['kubernetes.io/config.source']).toBe('file');
  expect(statics.wants(annotations['kubernetes.io/config.mirror'] ?? '')).toBe(true);
  expect(ownerReferences).toMatchObject([{ kind: 'Node', name: 'node-1', controller: true }]);
  await write(manifest('two'));
  await until(async () => expect(await names()).toEqual(['logs-node-1 two']));
  await rm(join(folder, 'logs.yaml'));
  await until(async () => expect(await names()).toEqual([]));
});

test('a file that is broken is told of once, and ends nothing', async () => {
  await write(manifest('one'));
  await until(async () => expect(await names()).toEqual(['logs-node-1 one']));
  await write('kind: [');
  await write('apiVersion: v1\nkind: Service\nmetadata: { name: x }\n', 'service.yaml');
  await until(() => expect(told).toHaveLength(2));
  await cluster.advance(10_000);
  expect(told[0]).toContain('logs.yaml:1:');
  expect(told[1]).toContain('it is no Pod of v1');
  expect(told).toHaveLength(2);
  expect(await names()).toEqual(['logs-node-1 one']);
});

test('a mirror that somebody deletes comes again', async () => {
  await write(manifest('one'));
  await until(async () => expect(await names()).toEqual(['logs-node-1 one']));
  await cluster.client.delete(pods, { namespace: 'default', name: 'logs-node-1', gracePeriodSeconds: 0, signal });
  await until(async () => expect(await names()).toEqual(['logs-node-1 one']));
});

describe('without an API', () => {
  beforeEach(() => {
    isApiThere = false;
  });

  test('a pod starts soon, and its mirror takes it over as it runs', async () => {
    await write(manifest('one'));
    await until(() => expect(orders).toEqual(['start one']));
    expect(await names()).toEqual([]);
    isApiThere = true;
    await until(async () => expect(await names()).toEqual(['logs-node-1 one']));
    await cluster.advance(10_000);
    expect(orders).toEqual(['start one']);
    expect(told).toEqual([]);
  });

  test('it follows its file', async () => {
    await write(manifest('one'));
    await until(() => expect(orders).toEqual(['start one']));
    await write(manifest('two'));
    await until(() => expect(orders).toEqual(['start one', 'stop one', 'forget one', 'start two']));
    await rm(join(folder, 'logs.yaml'));
    await until(() => expect(orders.slice(4)).toEqual(['stop two', 'forget two']));
  });

  test('what the API would refuse does not start', async () => {
    await write(manifest('one').replace('name: main', 'name: Main'));
    await until(() =>
      expect(told).toEqual([expect.stringContaining('Pod "logs-node-1" is invalid: spec.containers[0]')]),
    );
    await cluster.advance(10_000);
    expect(orders).toEqual([]);
  });
});

test('a pod whose mirror is refused runs all the same', async () => {
  await write(manifest('one', ', namespace: nowhere'));
  await until(() => expect(orders).toEqual(['start one']));
  await until(() => expect(told).toEqual([expect.stringContaining('namespaces "nowhere" not found')]));
});

test.each<[unknown, string]>([
  [undefined, 'it is no Pod of v1; static pods are nothing else'],
  [{ apiVersion: 'v1', kind: 'Pod' }, 'a Pod needs metadata.name and spec'],
])('%j is none', (value, message) => {
  expect(() => manifestOf(value, { file: 'f', nodeName: 'n' })).toThrow(message);
});
