/** Using the cluster as a library: a real control plane inside a test, on a clock that the test moves. */
import { daemonsets, nodes, pods } from '@signalbox/cluster';
import { createTestCluster } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

const manifest = `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: collector, namespace: default }
spec:
  selector: { matchLabels: { app: collector } }
  template:
    metadata: { labels: { app: collector } }
    spec:
      containers: [{ name: collector, image: "example.com/collector:1" }]
`;

let cluster: Awaited<ReturnType<typeof createTestCluster>>;

beforeEach(async () => {
  cluster = await createTestCluster({ nodes: 3 });
  await cluster.applyYaml(manifest);
  await cluster.advance(5_000);
});
afterEach(() => cluster.close());

async function images(): Promise<readonly (string | undefined)[]> {
  const { items } = await cluster.client.list(pods, { namespace: 'default' });
  return items.map(({ spec }) => spec.containers[0]?.image).sort();
}

test('every node runs the collector, a new one as well', async () => {
  await cluster.applyYaml('{ apiVersion: v1, kind: Node, metadata: { name: node-4 } }');
  await cluster.advance(5_000);
  const set = await cluster.client.get(daemonsets, { name: 'collector', namespace: 'default' });
  expect(set.status.numberReady).toBe(4);
});

test('an image that cannot be pulled stops the rollout at the first node', async () => {
  await cluster.applyYaml(manifest.replace('example.com/collector:1', 'registry.invalid/collector:2'));
  await cluster.advance(3_600_000); // an hour there, a moment here
  expect(await images()).toEqual([
    'example.com/collector:1',
    'example.com/collector:1',
    'registry.invalid/collector:2',
  ]);
});

test('a node that falls silent is noticed, and told of', async () => {
  const body = { metadata: { annotations: { 'signalbox.dev/stopped': 'true' } } };
  await cluster.client.patch(nodes, { name: 'node-1', patchType: 'merge', body });
  await cluster.advance(60_000);
  const node = await cluster.client.get(nodes, { name: 'node-1' });
  expect(node.status.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('Unknown');
  expect(node.spec.taints?.map(({ key }) => key)).toContain('node.kubernetes.io/unreachable');
});

test('a manifest that a cluster would refuse is refused here with the same words', async () => {
  const wrong = manifest
    .replace('app: collector } }\n    spec:', 'app: other } }\n    spec:')
    .replace('name: collector,', 'name: other,');
  await expect(cluster.applyYaml(wrong)).rejects.toThrow('`selector` does not match template `labels`');
  expect(cluster.problems).toEqual([]);
});
