import { expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { csinodes, persistentvolumeclaims, persistentvolumes, storageclasses } from '../../api/generated/kinds.ts';
import type { CSINode, StorageClass } from '../../api/generated/storage-v1.ts';
import { createObjectCache } from '../../client/object-cache.ts';
import { makeMeta, makeNode, makePod, type PodParts } from '../../testing/makers.ts';
import { preemptionOf, verdictIn } from '../../testing/scheduler/asking.ts';
import { createSnapshot, type LiveSnapshot } from '../snapshot.ts';

const driver = 'disks.example.com';
const claim = (name: string, volumeName: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: makeMeta({ name, namespace: 'default' }),
  spec: { storageClassName: 'disks', ...(volumeName !== '' && { volumeName }) },
  status: { phase: volumeName === '' ? 'Pending' : 'Bound' },
});
const volume = (name: string, of = driver): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: makeMeta({ name }),
  spec: { csi: { driver: of, volumeHandle: name } },
  status: { phase: 'Bound' },
});
const mounting = (name: string, claims: readonly string[], parts: PodParts = {}): Pod =>
  makePod(name, {
    ...parts,
    spec: {
      volumes: claims.map((each) => ({ name: each, persistentVolumeClaim: { claimName: each } })),
      ...(parts.node !== undefined && { nodeName: parts.node }),
    },
  });

/** `a` takes two volumes of the driver, `b` says nothing. */
function world(pods: readonly Pod[]): LiveSnapshot {
  const claims = createObjectCache(persistentvolumeclaims);
  for (const name of ['1', '2', '3']) claims.put(claim(name, `v${name}`));
  claims.put(claim('other', 'foreign'));
  claims.put(claim('open', ''));
  const volumes = createObjectCache(persistentvolumes);
  for (const name of ['v1', 'v2', 'v3']) volumes.put(volume(name));
  volumes.put(volume('foreign', 'nfs.example.com'));
  const machines = createObjectCache(csinodes);
  const drivers = [{ name: driver, nodeID: 'a', allocatable: { count: 2 } }];
  machines.put({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: makeMeta({ name: 'a' }),
    spec: { drivers },
  } satisfies CSINode);
  const classes = createObjectCache(storageclasses);
  classes.put({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: makeMeta({ name: 'disks' }),
    provisioner: driver,
    volumeBindingMode: 'WaitForFirstConsumer',
  } satisfies StorageClass);
  const caches = new Map<object, object>([
    [persistentvolumeclaims, claims],
    [persistentvolumes, volumes],
    [csinodes, machines],
    [storageclasses, classes],
  ]);
  const snapshot = createSnapshot({ of: (type) => (caches.get(type) as never) ?? createObjectCache(type) });
  for (const name of ['a', 'b']) snapshot.setNode(makeNode(name));
  for (const pod of pods) snapshot.setPod(pod);
  return snapshot;
}

const full = 'node(s) exceed max volume count';

test.each<[string, readonly string[], readonly Pod[], string]>([
  ['as many as there may be', ['1', '2'], [], ''],
  ['more than there may be', ['1', '2', '3'], [], full],
  ['one more than there may be', ['3'], [mounting('q', ['1', '2'], { node: 'a' })], full],
  ['one that is there already', ['2'], [mounting('q', ['1', '2'], { node: 'a' })], ''],
  ['one that is made for the pod', ['open'], [mounting('q', ['1', '2'], { node: 'a' })], full],
  ['one beside that of another driver', ['2'], [mounting('q', ['1', 'other'], { node: 'a' })], ''],
  ['one of another driver', ['other'], [mounting('q', ['1', '2'], { node: 'a' })], ''],
  ['no claim at all', [], [mounting('q', ['1', '2'], { node: 'a' })], ''],
])('%s', (_, claims, others, expected) => {
  const asked = { pod: mounting('p', claims), plugin: 'NodeVolumeLimits' };
  expect(verdictIn(world(others), asked)).toEqual({ a: expected, b: '' });
});

test('a pod that matters less gives its volumes back', () => {
  const snapshot = world([mounting('q', ['1', '2'], { node: 'a' })]);
  snapshot.removeNode('b');
  expect(preemptionOf(mounting('p', ['3'], { priority: 9 }), snapshot)).toBe('a: q');
});
