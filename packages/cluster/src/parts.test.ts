import { expect, test } from 'vitest';
import type { Namespace } from './api/generated/core-v1.ts';
import { configmaps, deployments, namespaces, pods, replicasets, storageclasses } from './api/generated/kinds.ts';
import { apiParts, isLeftPart, partsWithout, planeParts } from './part-names.ts';
import { createTestCluster } from './testing/test-cluster.ts';

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: example.com/web:1 }] }
`;

test('a plane of the API alone keeps objects, and nobody acts on them', async () => {
  const cluster = await createTestCluster({ parts: apiParts, nodes: 0 });
  await cluster.applyYaml(web);
  await cluster.advance(60_000);
  const everywhere = { namespace: 'default' };
  expect((await cluster.client.get(deployments, { ...everywhere, name: 'web' })).status).toEqual({});
  expect((await cluster.client.list(replicasets, everywhere)).items).toEqual([]);
  expect((await cluster.client.list(configmaps, everywhere)).items).toEqual([]);
  expect((await cluster.client.list(storageclasses)).items).toEqual([]);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

test('there a namespace is never done being deleted', async () => {
  const cluster = await createTestCluster({ parts: apiParts, nodes: 0 });
  await cluster.applyYaml('{ apiVersion: v1, kind: Namespace, metadata: { name: shop } }');
  await cluster.client.delete(namespaces, { name: 'shop' });
  await cluster.advance(60_000);
  const shop: Namespace = await cluster.client.get(namespaces, { name: 'shop' });
  expect(shop.status).toMatchObject({ phase: 'Terminating' });
  expect(shop.spec).toEqual({ finalizers: ['kubernetes'] });
  await cluster.close();
});

test('each part does its work without the others', async () => {
  const cluster = await createTestCluster({ parts: [...apiParts, 'deployment', 'replicaset'], nodes: 0 });
  await cluster.applyYaml(web);
  await cluster.advance(60_000);
  const { items } = await cluster.client.list(pods, { namespace: 'default' });
  expect(items.map(({ spec, status }) => [spec.nodeName, status?.phase])).toEqual([
    [undefined, 'Pending'],
    [undefined, 'Pending'],
  ]);
  await cluster.close();
});

test('unless somebody chooses, all of them run', async () => {
  const [chosen, usual] = await Promise.all([createTestCluster({ parts: planeParts }), createTestCluster()]);
  const checks = (of: typeof usual): readonly string[] => of.api.checks('readyz').map(({ name }) => name);
  expect(checks(chosen)).toEqual(checks(usual));
  expect(checks(usual)).toContain('component/default-scheduler');
  await Promise.all([chosen.close(), usual.close()]);
});

test('parts are left to others one by one, or all that are controllers', () => {
  expect(partsWithout([])).toEqual(planeParts);
  expect(partsWithout(['scheduler', 'deployment'])).toEqual(
    planeParts.filter((part) => part !== 'scheduler' && part !== 'deployment'),
  );
  expect(partsWithout(['scheduler', 'controllers'])).toEqual(['apiservice', 'metrics', 'nodes']);
  expect(['controllers', 'replicaset', 'etcd'].map(isLeftPart)).toEqual([true, true, false]);
});
