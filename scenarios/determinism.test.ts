/** One seed, one history: everything that the API ever tells, byte for byte. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { daemonsets, events, leases, nodes, pods, type ResourceType } from '@signalbox/cluster';
import { createTestCluster } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';

const daemon = readFileSync(join(import.meta.dirname, 'manifests/daemon.yaml'), 'utf8');

/** A day in the life of a cluster: a rollout, a node that joins, one that leaves, a pod that is deleted. */
async function history(seed: string): Promise<readonly string[]> {
  const told: string[] = [];
  const cluster = await createTestCluster({ seed, nodes: 3 });
  const { informers } = cluster.platform;
  const { signal } = new AbortController();
  const types: readonly ResourceType[] = [nodes, pods, daemonsets, events, leases];
  await cluster.during(informers.sync(types, { signal }));
  for (const type of types) informers.listen(type, (event) => told.push(JSON.stringify(event)));
  await cluster.applyYaml(daemon);
  await cluster.advance(5_000);
  await cluster.applyYaml(daemon.replace('collector:1', 'collector:2'));
  await cluster.applyYaml('{apiVersion: v1, kind: Node, metadata: {name: node-4}}');
  await cluster.advance(3_600_000);
  await cluster.during(cluster.client.delete(nodes, { name: 'node-1', signal }));
  const [first] = (await cluster.during(cluster.client.list(pods, { signal }))).items;
  await cluster.during(cluster.client.delete(pods, { namespace: 'default', name: first?.metadata.name ?? '', signal }));
  await cluster.advance(3_600_000);
  await cluster.close();
  return told;
}

test('the same seed tells the same history, byte for byte', async () => {
  const first = await history('same');
  const second = await history('same');
  expect(first.length).toBeGreaterThan(1_000);
  expect(second.join('\n')).toBe(first.join('\n'));
});

test('another seed tells another', async () => {
  expect((await history('one')).join('\n')).not.toBe((await history('other')).join('\n'));
});
