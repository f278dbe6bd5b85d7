import { describe, expect, test } from 'vitest';
import { created, createIssues, row, updateIssues } from '../../testing/resources/judge.ts';
import { csidriverDefinition } from './csidriver.ts';
import { csinodeDefinition } from './csinode.ts';
import { storageclassDefinition } from './storageclass.ts';
import { volumeattachmentDefinition } from './volumeattachment.ts';

describe('storage class', () => {
  const fast = { provisioner: 'example.com/fast' };

  test('deletes and binds at once unless it says otherwise', () => {
    expect(created(storageclassDefinition, fast)).toMatchObject({
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    });
  });

  test('the default one says so in its name', () => {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    expect(row(storageclassDefinition, { ...fast, metadata: { annotations } })).toEqual({
      Name: 'web (default)',
      Provisioner: 'example.com/fast',
      ReclaimPolicy: 'Delete',
      VolumeBindingMode: 'Immediate',
      AllowVolumeExpansion: false,
      Age: '5m',
    });
  });

  test('what it promises stays', () => {
    const after = {
      provisioner: 'b',
      parameters: { a: '1' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
    };
    expect(updateIssues(storageclassDefinition, { before: fast, after })).toEqual([
      'parameters: Forbidden: updates to parameters are forbidden.',
      'provisioner: Forbidden: updates to provisioner are forbidden.',
      'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ]);
    expect(
      updateIssues(storageclassDefinition, { before: fast, after: { ...fast, allowVolumeExpansion: true } }),
    ).toEqual([]);
  });

  test('needs a provisioner', () => {
    expect(createIssues(storageclassDefinition, { provisioner: '' })).toEqual(['provisioner: Required value']);
  });
});

test('a driver is complete', () => {
  const driver = created(csidriverDefinition, { spec: {} });
  expect(driver.spec).toMatchObject({
    attachRequired: true,
    podInfoOnMount: false,
    volumeLifecycleModes: ['Persistent'],
  });
  expect(row(csidriverDefinition, { spec: driver.spec })).toEqual({
    AttachRequired: true,
    PodInfoOnMount: false,
    StorageCapacity: false,
    TokenRequests: '<unset>',
    RequiresRepublish: false,
    Modes: 'Persistent',
  });
});

test('a node has each driver once', () => {
  const drivers = [
    { name: 'a', nodeID: 'x' },
    { name: 'a', nodeID: '' },
  ];
  expect(createIssues(csinodeDefinition, { spec: { drivers } })).toEqual([
    'spec.drivers[1].nodeID: Required value',
    'spec.drivers[1].name: Duplicate value: "a"',
  ]);
  expect(row(csinodeDefinition, { spec: { drivers } })).toEqual({ Drivers: 2 });
});

test('an attachment says what it attaches, once and for all', () => {
  const spec = { attacher: 'a', nodeName: 'node-1', source: { persistentVolumeName: 'pv' } };
  expect(createIssues(volumeattachmentDefinition, { spec })).toEqual([]);
  expect(createIssues(volumeattachmentDefinition, { spec: { ...spec, attacher: '', source: {} } })).toEqual([
    'spec.attacher: Required value',
    'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
  ]);
  const after = { spec: { ...spec, nodeName: 'node-2' } };
  expect(updateIssues(volumeattachmentDefinition, { before: { spec }, after })[0]).toMatch(/field is immutable$/);
  expect(row(volumeattachmentDefinition, { spec, status: { attached: true } })).toEqual({
    Attacher: 'a',
    PV: 'pv',
    Node: 'node-1',
    Attached: true,
  });
});
