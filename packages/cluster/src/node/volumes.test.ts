import { expect, test } from 'vitest';
import { events, nodes, persistentvolumes, pods, statefulsets, volumeattachments } from '../api/generated/kinds.ts';
import { createTestCluster } from '../testing/test-cluster.ts';

const { signal } = new AbortController();

const storage = `
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: { name: disk.example.com, annotations: { signalbox.dev/simulated: "true" } }
spec: { attachRequired: true }
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: disk }
provisioner: disk.example.com
---
`;

const set = (replicas: number): string => `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  replicas: ${replicas}
  podManagementPolicy: Parallel
  serviceName: db
  persistentVolumeClaimRetentionPolicy: { whenDeleted: Delete, whenScaled: Delete }
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec: { containers: [{ name: main, image: "example/db:1" }] }
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { storageClassName: disk, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;

test('many pods get their volumes, and when they go nothing of them stays', async () => {
  const cluster = await createTestCluster({ nodes: 5 });
  const { client } = cluster;
  await cluster.applyYaml(storage + set(60));
  await cluster.advance(20_000);
  const { status } = await cluster.during(client.get(statefulsets, { namespace: 'default', name: 'db', signal }));
  expect(status?.readyReplicas).toBe(60);
  const list = async () => cluster.during(client.list(volumeattachments, { signal }));
  expect((await list()).items.filter((each) => each.status?.attached === true)).toHaveLength(60);
  const fleet = await cluster.during(client.list(nodes, { signal }));
  for (const key of ['volumesAttached', 'volumesInUse'] as const)
    expect(fleet.items.reduce((sum, node) => sum + (node.status[key]?.length ?? 0), 0)).toBe(60);
  await cluster.during(client.delete(statefulsets, { namespace: 'default', name: 'db', signal }));
  await cluster.advance(60_000);
  expect((await list()).items).toEqual([]);
  expect((await cluster.during(client.list(persistentvolumes, { signal }))).items).toEqual([]);
  const after = await cluster.during(client.list(nodes, { signal }));
  for (const node of after.items)
    expect([node.status.volumesAttached, node.status.volumesInUse]).toEqual([undefined, undefined]);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

test('a node on which nobody mounts such a volume says nothing of volumes, whatever runs there', async () => {
  const cluster = await createTestCluster({ nodes: 2 });
  await cluster.advance(2_000);
  const read = async () => cluster.during(cluster.client.get(nodes, { name: 'node-1', signal }));
  const before = await read();
  await cluster.applyYaml(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: folder }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: Pod
metadata: { name: plain }
spec:
  nodeName: node-1
  containers: [{ name: main, image: "example/app:1" }]
  volumes: [{ name: data, persistentVolumeClaim: { claimName: folder } }]
`);
  await cluster.advance(5_000);
  const pod = await cluster.during(cluster.client.get(pods, { namespace: 'default', name: 'plain', signal }));
  expect(pod.status.phase).toBe('Running');
  expect((await read()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

test('a pod that names its node waits there for its claim, and says so', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  await cluster.advance(1_000);
  await cluster.applyYaml(`
apiVersion: v1
kind: Pod
metadata: { name: early }
spec:
  nodeName: node-1
  containers: [{ name: main, image: "example/app:1" }]
  volumes: [{ name: data, persistentVolumeClaim: { claimName: late } }]
`);
  await cluster.advance(10_000);
  const read = async () => cluster.during(cluster.client.get(pods, { namespace: 'default', name: 'early', signal }));
  const { status } = await read();
  expect(status.phase).toBe('Pending');
  expect(status.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ContainerCreating');
  expect(status.conditions?.find(({ type }) => type === 'PodReadyToStartContainers')?.status).toBe('False');
  const told = await cluster.during(cluster.client.list(events, { namespace: 'default', signal }));
  expect(told.items.filter(({ reason }) => reason === 'FailedMount').map(({ count }) => count)).toEqual([1]);
  await cluster.applyYaml(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: late }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`);
  await cluster.advance(3_000);
  expect((await read()).status.phase).toBe('Running');
  expect((await read()).status.conditions?.find(({ type }) => type === 'PodReadyToStartContainers')?.status).toBe(
    'True',
  );
  await cluster.close();
});
