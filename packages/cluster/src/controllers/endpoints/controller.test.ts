import { afterEach, beforeEach, expect, test } from 'vitest';
import { endpoints, pods, services } from '../../api/generated/kinds.ts';
import { createTestCluster, type TestCluster } from '../../testing/test-cluster.ts';

const { signal } = new AbortController();
let cluster: TestCluster;

beforeEach(async () => {
  cluster = await createTestCluster({ nodes: 1 });
});

afterEach(async () => {
  await cluster.close();
});

const manifest = `
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
---
apiVersion: v1
kind: Pod
metadata: { name: web, labels: { app: web } }
spec: { containers: [{ name: app, image: "example/app:1" }] }
`;

const all = async () =>
  (await cluster.during(cluster.client.list(endpoints, { namespace: 'default', signal }))).items.filter(
    ({ metadata }) => metadata.name === 'web',
  );

test('Endpoints follow the pods of a Service and go with it', async () => {
  await cluster.applyYaml(manifest);
  await cluster.advance(2_000);
  const [first] = await all();
  expect(first?.subsets).toMatchObject([
    {
      addresses: [{ ip: '10.128.0.1', nodeName: 'node-1', targetRef: { kind: 'Pod', name: 'web' } }],
      ports: [{ port: 8080, protocol: 'TCP' }],
    },
  ]);
  await cluster.during(cluster.client.delete(pods, { namespace: 'default', name: 'web', signal }));
  await cluster.advance(2_000);
  expect((await all())[0]?.subsets ?? []).toEqual([]);
  await cluster.during(cluster.client.delete(services, { namespace: 'default', name: 'web', signal }));
  await cluster.advance(1_000);
  expect(await all()).toEqual([]);
  expect(cluster.problems).toEqual([]);
});

test('Endpoints that somebody keeps for a Service without a selector stay as they are', async () => {
  await cluster.applyYaml(`
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Endpoints
metadata: { name: web }
subsets: [{ addresses: [{ ip: 192.0.2.1 }], ports: [{ port: 80 }] }]
`);
  await cluster.advance(1_000);
  expect((await all())[0]?.subsets?.[0]?.addresses).toEqual([{ ip: '192.0.2.1' }]);
});
