import { daemonsets } from '@signalbox/cluster';
import { createTestCluster } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';

test('every node runs the collector, one that joins later as well', async () => {
  const cluster = await createTestCluster({ nodes: 3 });
  await cluster.applyYaml(`
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: collector }
spec:
  selector: { matchLabels: { app: collector } }
  template:
    metadata: { labels: { app: collector } }
    spec: { containers: [{ name: collector, image: example.com/collector:1 }] }
`);
  await cluster.advance(3_600_000); // an hour there, a moment here
  await cluster.applyYaml('{ apiVersion: v1, kind: Node, metadata: { name: node-4 } }');
  await cluster.advance(2_000);

  const { status } = await cluster.client.get(daemonsets, { namespace: 'default', name: 'collector' });
  expect(status.numberReady).toBe(4);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});
