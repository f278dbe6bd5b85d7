import { expect, test } from 'vitest';
import type { Event, Node } from '../../api/generated/core-v1.ts';
import { nodes } from '../../api/generated/kinds.ts';
import { createTestServer } from '../../testing/api-server.ts';
import { createTestCluster } from '../../testing/test-cluster.ts';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const own = { key: 'example.com/own', effect: 'NoExecute' };

test.each([
  ['without taints', undefined, [notReady]],
  ['with one of its own', [own], [own, notReady]],
  ['that has it already', [notReady, own], [notReady, own]],
])('a new node %s takes no pods before it is ready', async (_, taints, expected) => {
  const { create } = await createTestServer();
  const body = { metadata: { name: 'n' }, ...(taints !== undefined && { spec: { taints } }) };
  const { object } = await create(nodes, body);
  expect((object as Node).spec.taints).toEqual(expected);
});

test('a node that joins is ready for pods at once, and nobody is told that it has no room', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  await cluster.applyYaml(`
    { apiVersion: apps/v1, kind: DaemonSet, metadata: { name: collector }, spec: {
        selector: { matchLabels: { app: c } },
        template: { metadata: { labels: { app: c } }, spec: { containers: [{ name: main, image: c:1 }] } } } }
  `);
  await cluster.applyYaml('{ apiVersion: v1, kind: Node, metadata: { name: node-9 } }');
  await cluster.advance(10_000);
  const signal = new AbortController().signal;
  const node = await cluster.during(cluster.client.get(nodes, { name: 'node-9', signal }));
  expect(node.spec.taints).toBeUndefined();
  const events = await cluster.during(
    cluster.client.list<Event>(
      { group: '', version: 'v1', resource: 'events', kind: 'Event', namespaced: true },
      { signal },
    ),
  );
  expect(events.items.filter(({ type }) => type === 'Warning').map(({ message }) => message)).toEqual([]);
  expect(events.items.filter(({ reason }) => reason === 'Scheduled')).toHaveLength(2);
  await cluster.close();
});
