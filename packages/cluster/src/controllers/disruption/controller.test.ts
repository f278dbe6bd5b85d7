import { expect, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { events, poddisruptionbudgets, pods } from '../../api/generated/kinds.ts';
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import type { New } from '../../api/meta.ts';
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

test('owners of kinds that others bring along are asked for their scale', async () => {
  const cluster = await createTestCluster({ nodes: 0 });
  const definition = (plural: string, kind: string, subresources: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: ${plural}, kind: ${kind} }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
      subresources: ${subresources}
`;
  await cluster.applyYaml(
    [
      definition(
        'rollouts',
        'Rollout',
        '{ scale: { specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas } }',
      ),
      definition('plains', 'Plain', '{}'),
    ].join('---'),
  );
  await cluster.advance(1_000);
  await cluster.applyYaml(`
apiVersion: example.com/v1
kind: Rollout
metadata: { name: web }
spec: { replicas: 5 }
---
apiVersion: example.com/v1
kind: Plain
metadata: { name: web }
`);
  const type = (kind: string) => cluster.typeOf({ apiVersion: 'example.com/v1', kind });
  const owned = async (kind: string, more: object = {}): Promise<void> => {
    const found = type(kind);
    if (found === undefined) throw new Error(kind);
    const { metadata } = await cluster.during(cluster.client.get(found, { namespace: 'default', name: 'web', signal }));
    const owner = { apiVersion: 'example.com/v1', kind, name: 'web', uid: metadata.uid, controller: true, ...more };
    const name = JSON.stringify({ kind, ...more })
      .toLowerCase()
      .replace(/[^a-z]+/g, '');
    const labels = { app: name };
    const spec = { containers: [{ name: 'app', image: 'example/app:1' }] };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels, ownerReferences: [owner] },
      spec,
    };
    await cluster.during(cluster.client.create(pods, pod as New<Pod>, { signal }));
    const budget = {
      metadata: { name, namespace: 'default' },
      spec: { minAvailable: '60%', selector: { matchLabels: labels } },
    };
    const made = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', ...budget };
    await cluster.during(cluster.client.create(poddisruptionbudgets, made as New<PodDisruptionBudget>, { signal }));
  };
  await owned('Rollout');
  await owned('Plain');
  await owned('Rollout', { kind: 'Unserved' });
  await cluster.advance(2_000);
  const { items } = await cluster.client.list(poddisruptionbudgets, { namespace: 'default', signal });
  const told = items.map(({ metadata, status }) => {
    const { expectedPods, desiredHealthy, conditions } = status;
    return `${metadata.name}: ${desiredHealthy} of ${expectedPods} ${conditions?.[0]?.reason} ${conditions?.[0]?.message}`;
  });
  expect(told).toEqual([
    'kindplain: 0 of 0 SyncFailed plains.example.com does not implement the scale subresource',
    'kindrollout: 3 of 5 InsufficientPods ',
    'kindunserved: 0 of 0 SyncFailed no matches for kind "Unserved" in version "example.com/v1"',
  ]);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});
