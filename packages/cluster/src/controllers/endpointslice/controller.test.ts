import { afterEach, beforeEach, expect, test } from 'vitest';
import { deployments, endpointslices, services } from '../../api/generated/kinds.ts';
import { createTestCluster, type TestCluster } from '../../testing/test-cluster.ts';

const { signal } = new AbortController();
let cluster: TestCluster;

beforeEach(async () => {
  cluster = await createTestCluster({ nodes: 3 });
});

afterEach(async () => {
  await cluster.close();
});

const manifest = (replicas: number): string => `
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ name: http, port: 80, targetPort: http }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: app, image: "example/app:1", ports: [{ name: http, containerPort: 8080 }] }] }
`;

const slices = async () =>
  (await cluster.during(cluster.client.list(endpointslices, { namespace: 'default', signal }))).items;

async function readyCounts(): Promise<readonly number[]> {
  return (await slices()).map(({ endpoints }) => endpoints.filter(({ conditions }) => conditions?.ready).length);
}

test('slices follow the pods of a Service', async () => {
  await cluster.applyYaml(manifest(3));
  await cluster.advance(3_000);
  expect(await readyCounts()).toEqual([3]);
  expect((await slices())[0]).toMatchObject({
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    metadata: { labels: { 'kubernetes.io/service-name': 'web' }, generateName: 'web-' },
  });
  const scale = { patchType: 'merge' as const, body: { spec: { replicas: 1 } } };
  await cluster.during(cluster.client.patch(deployments, { namespace: 'default', name: 'web', signal, ...scale }));
  await cluster.advance(5_000);
  expect(await readyCounts()).toEqual([1]);
  expect(cluster.problems).toEqual([]);
});

test('two hundred and fifty pods fill three slices with few writes', async () => {
  await cluster.applyYaml(manifest(250));
  await cluster.advance(10_000);
  const counts = await readyCounts();
  expect(counts).toHaveLength(3);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(250);
  expect(Math.max(...counts)).toBeLessThanOrEqual(100);
  const versions = (await slices()).map(({ metadata }) => metadata.generation ?? 1);
  expect(Math.max(...versions)).toBeLessThan(30);
  expect(cluster.problems).toEqual([]);
});

test('Services without a selector have no slices of ours', async () => {
  await cluster.advance(1_000);
  const all = await cluster.during(cluster.client.list(services, { namespace: 'default', signal }));
  expect(all.items.map(({ metadata }) => metadata.name)).toEqual(['kubernetes']);
  expect(await slices()).toEqual([]);
});
