import { expect, test } from 'vitest';
import { nodes, persistentvolumeclaims, pods, storageclasses } from '../api/generated/kinds.ts';
import { asked, causesOf } from '../testing/asked.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { createWorld, meta } from '../testing/plan-world.ts';

function causesWith(annotations: Readonly<Record<string, string>>): readonly string[] {
  const world = createWorld();
  world.put(nodes, makeNode('a'));
  world.put(nodes, makeNode('b'));
  const { namespace: _, ...metadata } = meta('late');
  world.put(storageclasses, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata,
    provisioner: 'csi.example.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  world.put(persistentvolumeclaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...meta('data'), annotations, finalizers: ['kubernetes.io/pvc-protection'] },
    spec: { storageClassName: 'late', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    status: { phase: 'Pending' },
  });
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  world.put(pods, makePod('p', { spec: { volumes } }));
  return causesOf(asked(world, { type: pods, name: 'p' }));
}

test('a pod whose node is chosen waits for who makes its volume, not for the scheduler', () => {
  const [cause] = causesWith({
    'volume.kubernetes.io/selected-node': 'a',
    'volume.kubernetes.io/storage-provisioner': 'csi.example.com',
    'volume.beta.kubernetes.io/storage-provisioner': 'csi.example.com',
  });
  expect(cause).toMatch(
    /^its node is chosen, and a volume has to be made there first: Waiting for a volume to be created/,
  );
  expect(cause).toMatch(/→ see that its provisioner runs, or create a volume by hand$/);
});

test('one whose node is not chosen yet waits for the scheduler', () => {
  expect(causesWith({})).toEqual(['it fits 2 nodes and waits for the scheduler']);
});
