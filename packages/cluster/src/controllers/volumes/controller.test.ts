import { afterEach, beforeEach, expect, test } from 'vitest';
import { events, persistentvolumeclaims, persistentvolumes, pods, storageclasses } from '../../api/generated/kinds.ts';
import { createTestCluster, type TestCluster } from '../../testing/test-cluster.ts';
import { ensureStandardStorageClass } from './storage-class.ts';

const { signal } = new AbortController();
let cluster: TestCluster;

beforeEach(async () => {
  cluster = await createTestCluster({
    nodes: 1,
  });
});

afterEach(async () => {
  await cluster.close();
});

const manifest = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  containers: [{ name: app, image: "example/app:1" }]
  volumes:
    - { name: data, persistentVolumeClaim: { claimName: data } }
    - name: scratch
      ephemeral: { volumeClaimTemplate: { spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } } }
`;

const claims = async () =>
  (await cluster.during(cluster.client.list(persistentvolumeclaims, { namespace: 'default', signal }))).items;
const volumes = async () => (await cluster.during(cluster.client.list(persistentvolumes, { signal }))).items;

test('claims are bound, their pod runs, and everything goes again in order', async () => {
  await cluster.applyYaml(manifest);
  await cluster.advance(2_000);
  expect(
    (await claims()).map(({ metadata, status }) => `${metadata.name} ${status.phase} ${status.capacity?.['storage']}`),
  ).toEqual(['data Bound 1Gi', 'web-scratch Bound 1Gi']);
  expect((await volumes()).map(({ status }) => status.phase)).toEqual(['Bound', 'Bound']);
  const pod = await cluster.during(cluster.client.get(pods, { namespace: 'default', name: 'web', signal }));
  expect(pod.status.phase).toBe('Running');
  const told = await cluster.during(cluster.client.list(events, { namespace: 'default', signal }));
  expect(told.items.find(({ reason }) => reason === 'ProvisioningSucceeded')).toMatchObject({
    message: expect.stringMatching(/^Successfully provisioned volume pvc-/),
    source: { component: 'persistentvolume-controller' },
  });

  await cluster.during(cluster.client.delete(persistentvolumeclaims, { namespace: 'default', name: 'data', signal }));
  await cluster.advance(5_000);
  expect((await claims()).map(({ metadata }) => metadata.name)).toContain('data');
  await cluster.during(cluster.client.delete(pods, { namespace: 'default', name: 'web', signal }));
  await cluster.advance(5_000);
  expect((await claims()).map(({ metadata }) => metadata.name)).not.toContain('data');
  expect((await volumes()).map(({ spec }) => spec.claimRef?.name)).not.toContain('data');
  expect(cluster.problems).toEqual([]);
});

test('a claim waits for its class', async () => {
  await cluster.applyYaml(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { storageClassName: fast, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`);
  await cluster.advance(1_000);
  expect((await claims())[0]?.status).toEqual({ phase: 'Pending' });
  await cluster.applyYaml(`
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: fast }
provisioner: signalbox.dev/simulated
`);
  await cluster.advance(1_000);
  expect((await claims())[0]?.status.phase).toBe('Bound');
});

test('the standard class is made once and left alone', async () => {
  const read = () => cluster.during(cluster.client.get(storageclasses, { name: 'standard', signal }));
  const before = await read();
  await cluster.during(ensureStandardStorageClass(cluster.client, { signal }));
  expect((await read()).metadata).toEqual(before.metadata);
});

test('a pod that waits for its own claims does not keep them', async () => {
  await cluster.applyYaml(manifest);
  await cluster.advance(2_000);
  const options = { namespace: 'default', name: 'web', signal, propagationPolicy: 'Foreground' } as const;
  await cluster.during(cluster.client.delete(pods, options));
  await cluster.advance(60_000);
  expect((await cluster.during(cluster.client.list(pods, { signal }))).items).toEqual([]);
  expect((await claims()).map(({ metadata }) => metadata.name)).toEqual(['data']);
});
