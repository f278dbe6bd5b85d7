import { describe, expect, test } from 'vitest';
import { created, createIssues, row, updateIssues } from '../../testing/resources/judge.ts';
import { formatAccessModes, persistentvolumeDefinition } from './persistentvolume.ts';
import { persistentvolumeclaimDefinition } from './persistentvolumeclaim.ts';

const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } };
const volumeSpec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' }, hostPath: { path: '/data' } };

describe('claim', () => {
  test('a new one is pending and holds files', () => {
    const claim = created(persistentvolumeclaimDefinition, { spec: claimSpec });
    expect(claim.spec.volumeMode).toBe('Filesystem');
    expect(claim.status).toEqual({ phase: 'Pending' });
  });

  test.each([
    [{ ...claimSpec, accessModes: [] }, ['spec.accessModes: Required value: at least 1 access mode is required']],
    [
      { ...claimSpec, accessModes: ['Write'] },
      [
        'spec.accessModes: Unsupported value: "Write": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      ],
    ],
    [{ ...claimSpec, resources: {} }, ['spec.resources[storage]: Required value']],
    [
      { ...claimSpec, resources: { requests: { storage: '0' } } },
      ['spec.resources[storage]: Invalid value: "0": must be greater than zero'],
    ],
    [
      { ...claimSpec, accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] },
      ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
    ],
  ])('%j', (spec, expected) => expect(createIssues(persistentvolumeclaimDefinition, { spec })).toEqual(expected));

  const immutable =
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  const sized = (storage: string): object => ({ ...claimSpec, resources: { requests: { storage } } });
  const bound = { phase: 'Bound', capacity: { storage: '10Gi' } };

  test.each<[string, object, object | undefined, readonly string[]]>([
    ['may be bound', { ...claimSpec, volumeName: 'pv-1' }, undefined, []],
    ['may be given a class', { ...claimSpec, storageClassName: 'fast' }, undefined, []],
    ['may grow when bound', sized('20Gi'), bound, []],
    ['may not grow before', sized('20Gi'), undefined, [immutable]],
    [
      'may not shrink below what it got',
      sized('5Gi'),
      bound,
      ['spec.resources.requests.storage: Forbidden: field can not be less than status.capacity'],
    ],
    [
      'may not ask for anything else when bound',
      { ...claimSpec, resources: { requests: { storage: '20Gi', cpu: '1' } } },
      bound,
      [immutable],
    ],
    ['may not change its modes', { ...claimSpec, accessModes: ['ReadWriteMany'] }, bound, [immutable]],
  ])('%s', (_, after, status, expected) => {
    const change = { before: { spec: claimSpec }, after: { spec: after }, ...(status !== undefined && { status }) };
    expect(updateIssues(persistentvolumeclaimDefinition, change)).toEqual(expected);
  });

  test('columns show what was got once a volume is named', () => {
    const status = { phase: 'Bound', accessModes: ['ReadWriteMany', 'ReadWriteOnce'], capacity: { storage: '10Gi' } };
    expect(
      row(persistentvolumeclaimDefinition, {
        spec: { ...claimSpec, volumeName: 'pv-1', storageClassName: 'fast' },
        status,
      }),
    ).toEqual({
      Status: 'Bound',
      Volume: 'pv-1',
      Capacity: '10Gi',
      'Access Modes': 'RWO,RWX',
      StorageClass: 'fast',
      VolumeAttributesClass: '<unset>',
      VolumeMode: '<unset>',
    });
    expect(row(persistentvolumeclaimDefinition, { spec: claimSpec, status: { phase: 'Pending' } })).toMatchObject({
      Volume: '',
      Capacity: '',
      'Access Modes': '',
    });
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(row(persistentvolumeclaimDefinition, { metadata, spec: claimSpec })['Status']).toBe('Terminating');
  });
});

describe('volume', () => {
  test('a new one is kept when released', () => {
    const volume = created(persistentvolumeDefinition, {
      spec: { ...volumeSpec, claimRef: { name: 'c', namespace: 'n' } },
    });
    expect(volume.spec).toMatchObject({
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
      claimRef: { name: 'c', namespace: 'n' },
    });
    expect(volume.status).toEqual({ phase: 'Pending', lastPhaseTransitionTime: '1970-01-01T00:00:00Z' });
  });

  test.each([
    [volumeSpec, []],
    [{ ...volumeSpec, hostPath: undefined }, ['spec: Required value: must specify a volume type']],
    [
      { ...volumeSpec, nfs: { server: 's', path: '/' } },
      ['spec.nfs: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      { ...volumeSpec, capacity: undefined },
      ['spec.capacity: Required value', 'spec.capacity: Unsupported value: null: supported values: "storage"'],
    ],
    [
      { ...volumeSpec, capacity: {} },
      ['spec.capacity: Required value', 'spec.capacity: Unsupported value: {}: supported values: "storage"'],
    ],
    [
      { ...volumeSpec, hostPath: { path: '/a/../b' } },
      ['spec.hostPath.path: Invalid value: "/a/../b": must not contain \'..\''],
    ],
    [
      { ...volumeSpec, hostPath: undefined, local: { path: '/d' } },
      ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
    ],
  ])('%j', (spec, expected) => expect(createIssues(persistentvolumeDefinition, { spec })).toEqual(expected));

  test('its source stays', () => {
    const after = { spec: { ...volumeSpec, hostPath: { path: '/other' } } };
    expect(updateIssues(persistentvolumeDefinition, { before: { spec: volumeSpec }, after })).toEqual([
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ]);
  });

  test('columns', () => {
    const spec = { ...volumeSpec, claimRef: { namespace: 'a', name: 'b' }, persistentVolumeReclaimPolicy: 'Delete' };
    expect(row(persistentvolumeDefinition, { spec, status: { phase: 'Bound' } })).toMatchObject({
      Capacity: '10Gi',
      'Access Modes': 'RWO',
      'Reclaim Policy': 'Delete',
      Status: 'Bound',
      Claim: 'a/b',
      StorageClass: '',
    });
  });

  test('access modes are in a fixed order', () => {
    expect(formatAccessModes(['ReadWriteOncePod', 'ReadOnlyMany', 'ReadWriteOnce', 'ReadOnlyMany'])).toBe(
      'RWO,ROX,RWOP',
    );
    expect(formatAccessModes(undefined)).toBe('');
  });
});
