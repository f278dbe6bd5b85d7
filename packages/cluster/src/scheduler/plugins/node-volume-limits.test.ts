import { describe, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../api/generated/core-v1.ts';
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

describe('kinds that have gone over to a driver', () => {
  const ebs = (id: string): Volume => ({ name: id, awsElasticBlockStore: { volumeID: id } });
  const gce = (name: string): Volume => ({ name, gcePersistentDisk: { pdName: name } });
  const azure = (name: string, kind?: string): Volume => ({
    name,
    azureDisk: { diskName: name, diskURI: name, ...(kind !== undefined && { kind }) },
  });
  const cinder = (name: string): Volume => ({ name, cinder: { volumeID: name } });
  const portworx = (name: string): Volume => ({ name, portworxVolume: { volumeID: name } });
  const file = (name: string): Volume => ({ name, azureFile: { secretName: 's', shareName: name } });
  const having = (name: string, volumes: readonly Volume[], node?: string): Pod =>
    makePod(name, { spec: { volumes, ...(node !== undefined && { nodeName: node }) } });

  /** One node that takes one volume of the driver, or is told of no limit. */
  function verdict(
    limited: string,
    { p, there }: { p: Pod; there: readonly Pod[] },
    annotations = {},
  ): string | undefined {
    const machines = createObjectCache(csinodes);
    machines.put({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: makeMeta({ name: 'a', annotations }),
      spec: { drivers: [{ name: limited, nodeID: 'a', allocatable: { count: 1 } }] },
    });
    const claims = createObjectCache(persistentvolumeclaims);
    claims.put(claim('old', 'old'));
    claims.put(claim('open', ''));
    const volumes = createObjectCache(persistentvolumes);
    volumes.put({ ...volume('old'), spec: { awsElasticBlockStore: { volumeID: 'aws://eu-1a/vol-1' } } });
    const classes = createObjectCache(storageclasses);
    const maker = { provisioner: 'kubernetes.io/aws-ebs', volumeBindingMode: 'WaitForFirstConsumer' };
    classes.put({
      ...maker,
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: makeMeta({ name: 'disks' }),
    });
    const caches = new Map<object, object>([
      [csinodes, machines],
      [persistentvolumeclaims, claims],
      [persistentvolumes, volumes],
      [storageclasses, classes],
    ]);
    const snapshot = createSnapshot({ of: (type) => (caches.get(type) as never) ?? createObjectCache(type) });
    snapshot.setNode(makeNode('a'));
    for (const other of there) snapshot.setPod(other);
    return verdictIn(snapshot, { pod: p, plugin: 'NodeVolumeLimits' })['a'];
  }

  const aws = 'ebs.csi.aws.com';
  test.each<[string, string, Pod, Pod, string]>([
    ['disks of Amazon in the pod', aws, having('p', [ebs('vol-2')]), having('q', [ebs('vol-1')], 'a'), full],
    ['one of them that is there', aws, having('p', [ebs('vol-1')]), having('q', [ebs('aws:///vol-1')], 'a'), ''],
    ['one behind a claim', aws, having('p', [ebs('vol-2')]), mounting('q', ['old'], { node: 'a' }), full],
    ['the same one behind a claim', aws, having('p', [ebs('vol-1')]), mounting('q', ['old'], { node: 'a' }), ''],
    ['one that is made by its class', aws, mounting('p', ['open']), having('q', [ebs('vol-1')], 'a'), full],
    ['disks of Google', 'pd.csi.storage.gke.io', having('p', [gce('2')]), having('q', [gce('1')], 'a'), full],
    [
      'disks of Azure',
      'disk.csi.azure.com',
      having('p', [azure('2')]),
      having('q', [azure('1', 'Managed')], 'a'),
      full,
    ],
    [
      'those that nobody manages',
      'disk.csi.azure.com',
      having('p', [azure('2', 'Shared')]),
      having('q', [azure('1')], 'a'),
      '',
    ],
    [
      'those of OpenStack',
      'cinder.csi.openstack.org',
      having('p', [cinder('2')]),
      having('q', [cinder('1')], 'a'),
      full,
    ],
    ['files of Azure', 'file.csi.azure.com', having('p', [file('2')]), having('q', [file('1')], 'a'), ''],
    ['disks of another driver', aws, having('p', [gce('2')]), having('q', [ebs('1')], 'a'), ''],
  ])('%s', (_, limited, p, q, expected) => expect(verdict(limited, { p, there: [q] })).toBe(expected));

  test('Portworx counts where the node says that it has gone over', () => {
    const pods = { p: having('p', [portworx('2')]), there: [having('q', [portworx('1')], 'a')] };
    expect(verdict('pxd.portworx.com', pods)).toBe('');
    const annotations = {
      'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/aws-ebs,kubernetes.io/portworx-volume',
    };
    expect(verdict('pxd.portworx.com', pods, annotations)).toBe(full);
  });
});
