import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodes, pods } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStaticPods, manifestOf, type StaticPods } from './static-pods.ts';

const { signal } = new AbortController();
let cluster: TestCluster;
let folder: string;
let statics: StaticPods;
let told: string[];
let ending: AbortController;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-static-'));
  told = [];
  ending = new AbortController();
  // Its node is simulated: here it is only about what the API is asked for.
  cluster = await createTestCluster({ nodes: 1 });
  const { platform, client, clock } = cluster;
  await cluster.during(platform.informers.sync([pods, nodes], { signal }));
  statics = createStaticPods({
    ...{ folder, nodeName: 'node-1', client, clock, own: platform.informers },
    report: (message, error) => told.push(`${message}: ${error instanceof Error ? error.message : ''}`),
  });
  void statics.run({ signal: ending.signal });
});
afterEach(async () => {
  ending.abort(new Error('the test is over'));
  await cluster.close();
  await rm(folder, { recursive: true });
});

const manifest = (image: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: logs }\nspec: { containers: [{ name: main, image: ${image} }] }\n`;
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

test.each<[unknown, string]>([
  [undefined, 'it is no Pod of v1; static pods are nothing else'],
  [{ apiVersion: 'v1', kind: 'Pod' }, 'a Pod needs metadata.name and spec'],
])('%j is none', (value, message) => {
  expect(() => manifestOf(value, { file: 'f', nodeName: 'n' })).toThrow(message);
});
