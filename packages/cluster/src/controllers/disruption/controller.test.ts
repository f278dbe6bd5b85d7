import { expect, test } from 'vitest';
import { events, poddisruptionbudgets, pods } from '../../api/generated/kinds.ts';
import { createTestCluster } from '../../testing/test-cluster.ts';

const { signal } = new AbortController();

test('evictions are allowed one after the other, each once the pod before has been replaced', async () => {
  const cluster = await createTestCluster({
    nodes: 2,
  });
  await cluster.applyYaml(`
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { maxUnavailable: 1, selector: { matchLabels: { app: web } } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: app, image: "example/app:1" }] }
`);
  await cluster.advance(3_000);
  const budget = () =>
    cluster.during(cluster.client.get(poddisruptionbudgets, { namespace: 'default', name: 'web', signal }));
  expect((await budget()).status).toMatchObject({
    expectedPods: 3,
    currentHealthy: 3,
    desiredHealthy: 2,
    disruptionsAllowed: 1,
    observedGeneration: 1,
  });
  const { items } = await cluster.during(cluster.client.list(pods, { namespace: 'default', signal }));
  const evict = (name: string): Promise<unknown> => {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } };
    return cluster.during(
      cluster.client.post(pods, { namespace: 'default', name, signal, subresource: 'eviction', body }),
    );
  };
  const [first = '', second = ''] = items.map(({ metadata }) => metadata.name);
  await evict(first);
  await expect(evict(second)).rejects.toThrow("Cannot evict pod as it would violate the pod's disruption budget.");
  await cluster.advance(5_000);
  expect((await budget()).status.disruptedPods).toBeUndefined();
  await evict(second);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

test('pods that nobody manages are told of by the process, as upstream', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  await cluster.applyYaml(`
apiVersion: v1
kind: Pod
metadata: { name: stray, labels: { app: web } }
spec: { containers: [{ name: app, image: "example/app:1" }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { maxUnavailable: 1, selector: { matchLabels: { app: web } } }
`);
  await cluster.advance(3_000);
  const fieldSelector = 'reason=UnmanagedPods';
  const { items } = await cluster.client.list(events, { namespace: 'default', fieldSelector, signal });
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({ type: 'Warning', source: { component: 'controllermanager' } });
  expect(items[0]?.message).toMatch(
    /^Pods selected by this PodDisruptionBudget \(selector: &LabelSelector\{MatchLabels:map\[string\]string\{app: web,\},.*\) were found to be unmanaged\. /,
  );
  await cluster.close();
});
