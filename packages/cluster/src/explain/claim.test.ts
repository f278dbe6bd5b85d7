import { beforeEach, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../api/generated/core-v1.ts';
import { nodes, persistentvolumeclaims, persistentvolumes, pods, storageclasses } from '../api/generated/kinds.ts';
import type { StorageClass } from '../api/generated/storage-v1.ts';
import { claimController } from '../controllers/volumes/controller.ts';
import { standardStorageClass } from '../controllers/volumes/storage-class.ts';
import { claimFinalizer } from '../resources/core/persistentvolume.ts';
import { asked, causesOf, rowsOf } from '../testing/asked.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { createWorld, meta, reconcile, terminating, type World } from '../testing/plan-world.ts';
import type { Explanation } from './explanation.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
  world.put(nodes, makeNode('a'));
});

function put(
  spec: Partial<PersistentVolumeClaim['spec']> = {},
  status: PersistentVolumeClaim['status'] = { phase: 'Pending' },
): PersistentVolumeClaim {
  return world.put(persistentvolumeclaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta('data', { finalizers: [claimFinalizer] }),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } }, ...spec },
    status,
  });
}

function putVolume(name: string, spec: Partial<PersistentVolume['spec']> = {}, phase = 'Available'): void {
  const { namespace: _, ...metadata } = meta(name);
  world.put(persistentvolumes, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata,
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' }, ...spec },
    status: { phase },
  } as PersistentVolume);
}

function putClass(name: string, more: Partial<StorageClass> = {}): void {
  const { namespace: _, ...metadata } = meta(name);
  world.put(storageclasses, { ...(standardStorageClass as StorageClass), metadata, ...more } as StorageClass);
}

const mounting = (name: string, node?: string): void =>
  void world.put(
    pods,
    makePod(name, {
      ...(node !== undefined && { node }),
      spec: { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] },
    }),
  );

const told = (): Explanation => asked(world, { type: persistentvolumeclaims, name: 'data' });

test('no volume fits: each says why not', () => {
  put({ storageClassName: 'slow' });
  putVolume('small', { storageClassName: 'slow', capacity: { storage: '1Gi' } });
  putVolume('tiny', { storageClassName: 'slow', capacity: { storage: '2Gi' } });
  putVolume('other', { storageClassName: 'fast' });
  putVolume('many', { storageClassName: 'slow', accessModes: ['ReadOnlyMany'] });
  putVolume('kept', { storageClassName: 'slow', claimRef: { namespace: 'default', name: 'gone' } }, 'Released');
  putVolume('taken', { storageClassName: 'slow', claimRef: { namespace: 'default', name: 'x' } }, 'Bound');
  expect(told()).toMatchObject({ outcome: 'waits', summary: 'has no volume yet' });
  expect(causesOf(told())).toEqual([
    'storageclass.storage.k8s.io "slow" not found → create that StorageClass, or name another one',
  ]);
  expect(rowsOf(told())).toEqual([
    'small tiny: does not fit: requested PV is too small',
    'other: does not fit: its class is fast',
    'many: does not fit: incompatible accessMode',
    'kept: does not fit: it is kept for a claim that is gone (Released)',
  ]);
});

test('a class that waits for a pod: which one, and the node that was chosen', () => {
  put({ storageClassName: 'late' });
  putClass('late', { volumeBindingMode: 'WaitForFirstConsumer' });
  expect(causesOf(told())).toEqual([
    'waiting for first consumer to be created before binding → create a pod that mounts it',
  ]);
  mounting('web');
  expect(causesOf(told())).toEqual(['the pod that mounts it has to get a node first → signalbox explain pod web']);
  expect(told().facts).toMatchObject({ storageClass: 'late', volumeBindingMode: 'WaitForFirstConsumer', usedBy: 1 });
  expect(told().groups.map(({ of, state }) => `${of} ${state}`)).toEqual(['pod waits for a node']);
});

test('a provisioner outside', () => {
  put({ storageClassName: 'cloud' });
  putClass('cloud', { provisioner: 'disk.cloud', volumeBindingMode: 'Immediate' });
  reconcile(world, { controller: claimController, key: 'default/data' });
  expect(told().causes[0]?.cause).toContain("external provisioner 'disk.cloud'");
  expect(told().causes[0]?.mend).toBe('see that its provisioner runs, or create a volume by hand');
});

test('no class at all', () => {
  put();
  expect(told().facts).toMatchObject({ storageClass: 'none', requested: '5Gi' });
  expect(causesOf(told())).toEqual([
    'no persistent volumes available for this claim and no storage class is set → create a volume that fits it, or a claim with a StorageClass that makes one',
  ]);
});

test('a volume that is named and is not there', () => {
  put({ volumeName: 'mine', storageClassName: '' });
  expect(causesOf(told())).toEqual(['it names the volume mine, which is not there → create that volume']);
});

test('one that is bound, by whom it is used, and one that waits to grow', () => {
  putClass('standard');
  putVolume('v', { storageClassName: 'standard' });
  put({ storageClassName: 'standard' });
  // The volume is there before a pod comes, so it may be promised to the claim.
  putClass('standard', { volumeBindingMode: 'Immediate' });
  for (let round = 0; round < 5; round++) reconcile(world, { controller: claimController, key: 'default/data' });
  mounting('web', 'a');
  expect(told()).toMatchObject({ outcome: 'settled', summary: 'is bound to volume v', causes: [] });
  expect(told().facts).toMatchObject({ volume: 'v', capacity: '10Gi', usedBy: 1, reclaimPolicy: 'Retain' });

  const bound = world.list(persistentvolumeclaims)[0] as PersistentVolumeClaim;
  world.put(persistentvolumeclaims, {
    ...bound,
    spec: { ...bound.spec, resources: { requests: { storage: '20Gi' } } },
  });
  putClass('standard', { volumeBindingMode: 'Immediate', allowVolumeExpansion: false });
  expect(told()).toMatchObject({
    outcome: 'waits',
    summary: 'is bound to volume v, which is smaller than it asks for',
  });
  expect(causesOf(told())).toEqual([
    'it asks for 20Gi and has 10Gi: its class standard does not grow → kubectl patch storageclass standard -p \'{"allowVolumeExpansion":true}\'',
  ]);
});

test('one that is deleted says which pods keep it', () => {
  putVolume('v');
  const claim = put({ volumeName: 'v' }, { phase: 'Bound' });
  world.put(persistentvolumeclaims, terminating(claim));
  mounting('web', 'a');
  mounting('waiting');
  expect(told()).toMatchObject({ outcome: 'waits', summary: 'is being deleted, and still there' });
  expect(causesOf(told())).toEqual([
    'it is being deleted, and kubernetes.io/pvc-protection keeps it while default/web uses it → that pod has to go first',
  ]);
  world.put(
    persistentvolumeclaims,
    terminating({ ...claim, metadata: { ...claim.metadata, finalizers: [claimFinalizer, 'snapshot/guard'] } }),
  );
  for (const pod of world.list(pods)) world.remove(pods, pod);
  expect(causesOf(told())).toEqual(['finalizers keep it: snapshot/guard → whoever set them has to take them off']);
});

test('a lost volume', () => {
  put({ volumeName: 'v' }, { phase: 'Lost' });
  expect(told()).toMatchObject({ outcome: 'failed', summary: 'has lost its volume' });
});
