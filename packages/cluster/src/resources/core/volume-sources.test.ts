import { describe, expect, test } from 'vitest';
import { createIssues } from '../../testing/resources/judge.ts';
import { persistentvolumeDefinition } from './persistentvolume.ts';
import { podDefinition } from './pod/pod.ts';

const ofVolume = (source: object): readonly string[] =>
  createIssues(persistentvolumeDefinition, {
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...source },
  });
const ofPod = (source: object): readonly string[] =>
  createIssues(podDefinition, {
    spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', ...source }] },
  }).map((issue) => issue.replace('spec.volumes[0].', ''));

const needs = (at: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `${at}.${name}: Required value`);

describe.each<[string, readonly string[]]>([
  ['awsElasticBlockStore', ['volumeID']],
  ['azureFile', ['secretName', 'shareName']],
  ['cephfs', ['monitors']],
  ['cinder', ['volumeID']],
  ['flexVolume', ['driver']],
  ['glusterfs', ['endpoints', 'path']],
  ['photonPersistentDisk', ['pdID']],
  ['portworxVolume', ['volumeID']],
  ['rbd', ['monitors', 'image']],
  ['scaleIO', ['gateway', 'system', 'volumeName']],
  ['storageos', ['volumeName']],
  ['vsphereVolume', ['volumePath']],
])('%s', (source, names) => {
  test('of a pod has to say what it is', () => expect(ofPod({ [source]: {} })).toEqual(needs(source, names)));
  test('of a PersistentVolume, too', () => expect(ofVolume({ [source]: {} })).toEqual(needs(`spec.${source}`, names)));
});

const badForm = 'must be valid format';
const unit = { targetPortal: 'a:3260', iqn: 'iqn.2026-01.com.example:a', lun: 0 };

test.each<[object, readonly string[]]>([
  [{ iscsi: unit }, []],
  [{ iscsi: { ...unit, iqn: 'eui.0123456789abcdef', initiatorName: `naa.${'0'.repeat(32)}` } }, []],
  [
    { iscsi: { ...unit, iqn: 'a', lun: 256, initiatorName: 'iqn.a', chapAuthSession: true } },
    [
      `iscsi.iqn: Invalid value: "a": ${badForm} starting with iqn, eui, or naa`,
      'iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      'iscsi.secretRef: Required value',
      `iscsi.initiatorname: Invalid value: "iqn.a": ${badForm}`,
    ],
  ],
  [
    { gcePersistentDisk: { pdName: 'a', partition: 256 } },
    ['gcePersistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive'],
  ],
  [{ fc: {} }, ['fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both']],
  [{ fc: { targetWWNs: ['a'] } }, ['fc.lun: Required value: lun is required if targetWWNs is specified']],
  [{ flocker: {} }, ['flocker: Required value: one of datasetName and datasetUUID is required']],
  [
    { quobyte: { registry: 'a,b:1', volume: '' } },
    [
      'quobyte.registry: Invalid value: "a,b:1": must be a host:port pair or multiple pairs separated by commas',
      'quobyte.volume: Required value',
    ],
  ],
  [
    { flexVolume: { driver: 'a', options: { 'a.K8s.io/b': '', 'k8s.ioo': '' } } },
    ['flexVolume.options[a.K8s.io/b]: Invalid value: "a.K8s.io/b": kubernetes.io and k8s.io namespaces are reserved'],
  ],
  [
    { azureDisk: { diskName: 'a', diskURI: 'b', kind: 'Managed' } },
    [
      'azureDisk.diskURI: Unsupported value: "b": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
    ],
  ],
  [{ nfs: { server: 'a' } }, ['nfs.path: Required value', 'nfs.path: Invalid value: "": must be an absolute path']],
  [
    { gitRepo: { repository: '', directory: '../a' } },
    ['gitRepo.repository: Required value', 'gitRepo.directory: Invalid value: "../a": must not contain \'..\''],
  ],
])('in a pod: %j', (source, expected) => expect(ofPod(source)).toEqual(expected));

test.each<[object, readonly string[]]>([
  [{ cinder: { volumeID: 'a', secretRef: { name: 'b' } } }, ['spec.cinder.secretRef.namespace: Required value']],
  [
    { iscsi: { ...unit, iqn: 'a', secretRef: {} } },
    [`spec.iscsi.iqn: Invalid value: "a": ${badForm}`, 'spec.iscsi.secretRef.name: Required value'],
  ],
  [
    { csi: { driver: 'a', volumeHandle: 'b', nodePublishSecretRef: { name: 'c' } } },
    ['spec.csi.nodePublishSecretRef.namespace: Required value'],
  ],
  [{ gcePersistentDisk: {} }, ['spec.persistentDisk.pdName: Required value']],
  [
    { hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' },
    ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
  ],
])('in a PersistentVolume: %j', (source, expected) => expect(ofVolume(source)).toEqual(expected));
