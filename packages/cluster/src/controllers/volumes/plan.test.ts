import { beforeEach, describe, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import {
  csidrivers,
  nodes,
  persistentvolumeclaims,
  persistentvolumes,
  pods,
  storageclasses,
} from '../../api/generated/kinds.ts';
import type { CSIDriver, StorageClass } from '../../api/generated/storage-v1.ts';
import { claimFinalizer, volumeFinalizer } from '../../resources/core/persistentvolume.ts';
import { bestVolume, mismatch, selectedNodeAnnotation } from '../../resources/core/volume-binding.ts';
import { defaultClassOf } from '../../resources/storage/storageclass.ts';
import { makeNode } from '../../testing/makers.ts';
import { createWorld, line, meta, podSpec, terminating, type World } from '../../testing/plan-world.ts';
import { claimController, volumeController } from './controller.ts';
import { ephemeralVolumeController } from './ephemeral.ts';
import { simulatedProvisioner, standardStorageClass } from './storage-class.ts';

let world: World;
const key = 'default/data';

beforeEach(() => {
  world = createWorld();
});

function claim(spec: Partial<PersistentVolumeClaim['spec']> = {}): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta('data', { finalizers: [claimFinalizer] }),
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '5Gi' } },
      volumeMode: 'Filesystem',
      ...spec,
    },
    status: { phase: 'Pending' },
  };
}

/** Volumes and classes have no namespace. */
function clusterMeta(name: string, more: PersistentVolume['metadata'] | object = {}): PersistentVolume['metadata'] {
  const { namespace: _namespace, ...metadata } = meta(name, more);
  return metadata;
}

function volume(
  name: string,
  spec: Partial<PersistentVolume['spec']> = {},
  labels: Record<string, string> = {},
): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: clusterMeta(name, { finalizers: [volumeFinalizer], labels }),
    spec: {
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
      capacity: { storage: '5Gi' },
      hostPath: { path: `/tmp/${name}` },
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: '',
      volumeMode: 'Filesystem',
      ...spec,
    },
    status: { phase: 'Available' },
  };
}

function storageClass(name: string, more: Partial<StorageClass> = {}): StorageClass {
  return { ...standardStorageClass, metadata: clusterMeta(name), ...more } as StorageClass;
}

/** The lines of all plans until nothing is left to do; events come with their notes. */
function settle(roundsMax = 10): readonly string[] {
  const lines: string[] = [];
  for (let round = 0; round < roundsMax; round++) {
    const planned = [
      ...[...world.list(persistentvolumeclaims)].flatMap(({ metadata }) => {
        const observed = claimController.observe(`default/${metadata.name}`, world, undefined);
        return observed === undefined ? [] : claimController.plan(observed, world.nowMs).actions;
      }),
    ];
    for (const action of planned) world.apply(action);
    const reclaimed = world.list(persistentvolumes).flatMap(({ metadata }) => {
      const observed = volumeController.observe(metadata.name, world, undefined);
      return observed === undefined ? [] : volumeController.plan(observed, world.nowMs).actions;
    });
    for (const action of reclaimed) world.apply(action);
    const all = [...planned, ...reclaimed];
    lines.push(
      ...all.map((action) => (action.do === 'emit' ? `${action.type} ${action.reason}: ${action.note}` : line(action))),
    );
    if (all.every((action) => action.do === 'emit')) return lines;
  }
  throw new Error(`does not settle: ${lines.join('; ')}`);
}

function currentClaim(): PersistentVolumeClaim {
  const found = world.of(persistentvolumeclaims).get(key);
  if (found === undefined) throw new Error('no claim');
  return found;
}

function currentVolume(name: string): PersistentVolume {
  const found = world.of(persistentvolumes).get(name);
  if (found === undefined) throw new Error(`no volume ${name}`);
  return found;
}

function user(nodeName?: string): Pod {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const spec = { ...podSpec, volumes, ...(nodeName !== undefined && { nodeName }) };
  return { apiVersion: 'v1', kind: 'Pod', metadata: meta('user'), spec, status: {} };
}

describe('provisioning', () => {
  test('the default class makes a volume that is bound to the claim', () => {
    world.put(storageclasses, {
      ...storageClass('standard'),
      metadata: { ...clusterMeta('standard'), ...standardStorageClass.metadata, name: 'standard' },
    });
    world.put(persistentvolumeclaims, claim());
    settle();
    expect(currentClaim().spec).toMatchObject({ storageClassName: 'standard', volumeName: 'pvc-uid-of-data' });
    expect(currentClaim().status).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '5Gi' },
    });
    expect(currentClaim().metadata.annotations).toMatchObject({ 'pv.kubernetes.io/bind-completed': 'yes' });
    const made = currentVolume('pvc-uid-of-data');
    expect(made.spec).toMatchObject({
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '5Gi' },
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data', uid: 'uid-of-data' },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'standard',
    });
    expect(made.status).toMatchObject({ phase: 'Bound' });
    expect(made.metadata.annotations).toMatchObject({ 'pv.kubernetes.io/provisioned-by': simulatedProvisioner });
  });

  test.each<[string, Partial<PersistentVolumeClaim['spec']>, readonly StorageClass[], string]>([
    [
      'no class at all',
      {},
      [],
      'Normal FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ],
    [
      'an empty class',
      { storageClassName: '' },
      [],
      'Normal FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ],
    [
      'an unknown class',
      { storageClassName: 'x' },
      [],
      'Warning ProvisioningFailed: storageclass.storage.k8s.io "x" not found',
    ],
    [
      'a class of somebody else',
      { storageClassName: 'x' },
      [storageClass('x', { provisioner: 'example.com/disk' })],
      "Normal ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'example.com/disk' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
    ],
    [
      'a class that waits for a pod',
      { storageClassName: 'x' },
      [storageClass('x', { volumeBindingMode: 'WaitForFirstConsumer' })],
      'Normal WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ],
    [
      'a class without a provisioner',
      { storageClassName: 'x' },
      [storageClass('x', { provisioner: 'kubernetes.io/no-provisioner' })],
      'Normal FailedBinding: no persistent volumes available for this claim and its storage class does not provision any',
    ],
    [
      'a source that cannot be copied',
      { storageClassName: 'x', dataSource: { kind: 'PersistentVolumeClaim', name: 'other' } },
      [storageClass('x')],
      'Warning ProvisioningFailed: failed to provision volume with StorageClass "x": a volume cannot be filled from a dataSource here; leave it out',
    ],
  ])('%s leaves the claim pending and says why', (_, spec, classes, expected) => {
    for (const each of classes) world.put(storageclasses, each);
    world.put(persistentvolumeclaims, claim(spec));
    // A provisioner of somebody else hears of it by a mark first.
    const told = settle().filter((each) => each !== 'update persistentvolumeclaims data');
    expect(told).toEqual([expected]);
    expect(currentClaim().status).toEqual({ phase: 'Pending' });
  });

  const waiting = (more: Partial<StorageClass> = {}): StorageClass =>
    storageClass('x', { volumeBindingMode: 'WaitForFirstConsumer', ...more });
  const selected = (node: string): PersistentVolumeClaim => {
    const made = claim({ storageClassName: 'x' });
    return { ...made, metadata: { ...made.metadata, annotations: { [selectedNodeAnnotation]: node } } };
  };

  test('a class that waits names the pods that have no node yet, and takes no volume that is there', () => {
    world.put(storageclasses, waiting());
    world.put(persistentvolumeclaims, claim({ storageClassName: 'x' }));
    world.put(persistentvolumes, volume('there', { storageClassName: 'x' }));
    world.put(pods, user());
    expect(settle()).toEqual(['Normal WaitForPodScheduled: waiting for pod user to be scheduled']);
    world.put(pods, { ...user(), metadata: meta('other') });
    expect(settle()).toEqual(['Normal WaitForPodScheduled: waiting for pods user,other to be scheduled']);
    expect(currentClaim().status.phase).toBe('Pending');
  });

  const zone = 'topology.kubernetes.io/zone';
  const allowedTopologies = [
    { matchLabelExpressions: [{ key: zone, values: ['east'] }] },
    { matchLabelExpressions: [{ key: zone, values: ['north', 'west'] }] },
  ];
  const termOf = (key: string, ...values: readonly string[]) => ({
    matchExpressions: [{ key, operator: 'In', values }],
  });
  test.each<[string, Partial<StorageClass>, readonly object[] | undefined]>([
    ['anywhere', {}, undefined],
    ['what the class allows there', { allowedTopologies }, [termOf(zone, 'west')]],
    [
      'the labels that it asks for',
      { parameters: { topologyKeys: 'kubernetes.io/hostname' } },
      [termOf('kubernetes.io/hostname', 'a')],
    ],
    [
      'all that the class allows, where no pod decides',
      { allowedTopologies, volumeBindingMode: 'Immediate' },
      [termOf(zone, 'east'), termOf(zone, 'north', 'west')],
    ],
  ])('a volume is made for the node that the scheduler chose, and reached from %s', (_, more, terms) => {
    world.put(storageclasses, waiting(more));
    world.put(nodes, makeNode('a', { labels: { [zone]: 'west' } }));
    world.put(persistentvolumeclaims, selected('a'));
    settle();
    expect(currentClaim().status.phase).toBe('Bound');
    expect(currentVolume('pvc-uid-of-data').spec.nodeAffinity?.required?.nodeSelectorTerms).toEqual(terms);
  });

  test('a chosen node that is gone is forgotten, so that another one is chosen', () => {
    world.put(storageclasses, waiting());
    world.put(persistentvolumeclaims, selected('gone'));
    expect(settle()).toEqual([
      'update persistentvolumeclaims data',
      'Normal WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ]);
    expect(currentClaim().metadata.annotations).toEqual({});
  });

  test('a claim grows with its simulated volume where the class allows it', () => {
    for (const allowVolumeExpansion of [true, false]) {
      world = createWorld();
      world.put(storageclasses, storageClass('x', { allowVolumeExpansion }));
      world.put(persistentvolumeclaims, claim({ storageClassName: 'x' }));
      settle();
      world.put(persistentvolumeclaims, {
        ...currentClaim(),
        spec: { ...currentClaim().spec, resources: { requests: { storage: '9Gi' } } },
      });
      settle();
      expect(currentClaim().status.capacity).toEqual({ storage: allowVolumeExpansion ? '9Gi' : '5Gi' });
    }
  });

  test('the newest default class wins', () => {
    const made = (name: string, creationTimestamp: string, isDefault = 'true'): StorageClass => {
      const annotations = { 'storageclass.kubernetes.io/is-default-class': isDefault };
      return storageClass(name, { metadata: clusterMeta(name, { annotations, creationTimestamp }) });
    };
    const classes = [
      made('a', '2024-01-01T00:00:00Z'),
      made('c', '2025-01-01T00:00:00Z'),
      made('b', '2025-01-01T00:00:00Z'),
      made('d', '2026-01-01T00:00:00Z', 'false'),
    ];
    expect(defaultClassOf(classes)?.metadata.name).toBe('b');
    expect(defaultClassOf([...classes].reverse())?.metadata.name).toBe('b');
    expect(defaultClassOf([])).toBeUndefined();
  });
});

describe('binding to volumes that are there', () => {
  test('the smallest that fits, and no other claim gets it', () => {
    world.put(persistentvolumeclaims, claim({ storageClassName: '' }));
    for (const [name, storage] of [
      ['small', '1Gi'],
      ['large', '50Gi'],
      ['fitting', '6Gi'],
    ] as const)
      world.put(persistentvolumes, volume(name, { capacity: { storage } }));
    expect(settle()).toEqual([
      'update persistentvolumes fitting then update persistentvolumeclaims data',
      'setStatus persistentvolumes fitting',
      'setStatus persistentvolumeclaims data',
    ]);
    expect(currentClaim()).toMatchObject({
      spec: { volumeName: 'fitting' },
      status: { phase: 'Bound', capacity: { storage: '6Gi' } },
    });
    expect(currentVolume('fitting')).toMatchObject({
      spec: { claimRef: { uid: 'uid-of-data' } },
      status: { phase: 'Bound' },
    });
    expect(settle()).toEqual([]);
  });

  const promise = { namespace: 'default', name: 'data' };
  test.each<[string, Partial<PersistentVolumeClaim['spec']>, PersistentVolume, boolean]>([
    ['of its size', {}, volume('v'), true],
    ['too small', {}, volume('v', { capacity: { storage: '4Gi' } }), false],
    ['of another class', {}, volume('v', { storageClassName: 'fast' }), false],
    ['without the access mode', { accessModes: ['ReadWriteMany'] }, volume('v'), false],
    ['of another mode', {}, volume('v', { volumeMode: 'Block' }), false],
    ['with the labels', { selector: { matchLabels: { a: 'b' } } }, volume('v', {}, { a: 'b' }), true],
    ['without the labels', { selector: { matchLabels: { a: 'b' } } }, volume('v'), false],
    [
      'promised to it by name, even of another class',
      {},
      volume('v', { claimRef: promise, storageClassName: 'fast' }),
      true,
    ],
    ['promised to an earlier claim of that name', {}, volume('v', { claimRef: { ...promise, uid: 'old' } }), false],
    ['on its way out', {}, terminating(volume('v')), false],
    ['released by another', {}, { ...volume('v'), status: { phase: 'Released' } }, false],
  ])('one %s', (_, spec, each, isTaken) => {
    const found = bestVolume(claim({ storageClassName: '', ...spec }), { promised: [each], free: [each] });
    expect(found !== undefined).toBe(isTaken);
  });

  test('of volumes that offer more ways of access than are asked for the closest comes before the smallest', () => {
    const modes = (accessModes: readonly string[], storage: string) => ({ accessModes, capacity: { storage } });
    world.put(persistentvolumes, volume('small', modes(['ReadWriteOnce', 'ReadOnlyMany'], '5Gi')));
    world.put(persistentvolumes, volume('close', modes(['ReadWriteOnce'], '9Gi')));
    world.put(persistentvolumes, volume('closest', modes(['ReadWriteOnce'], '8Gi')));
    world.put(persistentvolumeclaims, claim({ storageClassName: '' }));
    settle();
    expect(currentClaim().spec.volumeName).toBe('closest');
  });

  test('what others say in the status of a claim stays, and so does a size that is not its volume’s', () => {
    world.put(persistentvolumes, volume('v', { capacity: { storage: '9Gi' } }));
    world.put(persistentvolumeclaims, claim({ storageClassName: '' }));
    settle();
    const said = {
      ...currentClaim().status,
      capacity: { storage: '8Gi' },
      allocatedResources: { storage: '9Gi' },
      allocatedResourceStatuses: { storage: 'NodeResizePending' },
    };
    world.put(persistentvolumeclaims, { ...currentClaim(), status: said });
    expect(settle()).toEqual([]);
    expect(currentClaim().status).toEqual(said);
  });

  test('a class of attributes is the volume’s and the claim’s, or neither’s', () => {
    const csi = { driver: 'disk.example.com', volumeHandle: 'h' };
    world.put(persistentvolumes, volume('plain'));
    world.put(
      persistentvolumes,
      volume('gold', { volumeAttributesClassName: 'gold', capacity: { storage: '9Gi' }, csi }),
    );
    world.put(persistentvolumeclaims, claim({ storageClassName: '', volumeAttributesClassName: 'gold' }));
    settle();
    expect(currentClaim().spec.volumeName).toBe('gold');
    expect(currentClaim().status?.currentVolumeAttributesClassName).toBe('gold');
  });

  test('a claim that is to grow by somebody else’s hand says so', () => {
    world.put(storageclasses, storageClass('fast', { provisioner: 'example.com/disk', allowVolumeExpansion: true }));
    world.put(persistentvolumes, volume('v', { storageClassName: 'fast' }));
    world.put(persistentvolumeclaims, claim({ storageClassName: 'fast' }));
    settle();
    const spec = { ...currentClaim().spec, resources: { requests: { storage: '6Gi' } } };
    world.put(persistentvolumeclaims, { ...currentClaim(), spec });
    expect(settle()).toEqual(['Normal ExternalExpanding: waiting for an external controller to expand this PVC']);
    expect(currentVolume('v').spec.capacity).toEqual({ storage: '5Gi' });
  });

  test('a provisioner of somebody else is told by the marks that it goes by', () => {
    world.put(storageclasses, storageClass('fast', { provisioner: 'example.com/disk' }));
    world.put(persistentvolumeclaims, claim({ storageClassName: 'fast' }));
    settle();
    expect(currentClaim().metadata.annotations).toEqual({
      'volume.kubernetes.io/storage-provisioner': 'example.com/disk',
      'volume.beta.kubernetes.io/storage-provisioner': 'example.com/disk',
    });
  });

  test('the volume that the claim names', () => {
    world.put(persistentvolumes, volume('mine', { storageClassName: 'fast' }));
    world.put(persistentvolumeclaims, claim({ volumeName: 'mine', storageClassName: 'fast' }));
    settle();
    expect(currentClaim().status.phase).toBe('Bound');
    expect(currentClaim().metadata.annotations).not.toHaveProperty('pv.kubernetes.io/bound-by-controller');
  });

  test.each<[string, PersistentVolume | undefined, readonly string[]]>([
    ['is not there yet', undefined, []],
    [
      'is of another class',
      volume('mine', { storageClassName: 'fast' }),
      ['Warning VolumeMismatch: Cannot bind to requested volume "mine": storageClassName does not match'],
    ],
    [
      'is to go',
      terminating(volume('mine')),
      [
        'Warning VolumeMismatch: Cannot bind to requested volume "mine": the volume is marked for deletion "mine"',
        'update persistentvolumes mine',
      ],
    ],
    [
      'is too small',
      volume('mine', { capacity: { storage: '1Gi' } }),
      ['Warning VolumeMismatch: Cannot bind to requested volume "mine": requested PV is too small'],
    ],
    [
      'belongs to another claim',
      volume('mine', { claimRef: { namespace: 'default', name: 'other' } }),
      ['Warning FailedBinding: volume "mine" already bound to a different claim.'],
    ],
  ])('a claim waits when the volume that it names %s', (_, each, expected) => {
    if (each !== undefined) world.put(persistentvolumes, each);
    world.put(persistentvolumeclaims, claim({ volumeName: 'mine', storageClassName: '' }));
    expect(settle()).toEqual(expected);
    expect(currentClaim().status.phase).toBe('Pending');
  });

  test('a bound claim whose volume vanished is lost, and says so once', () => {
    world.put(persistentvolumes, volume('v'));
    world.put(persistentvolumeclaims, claim({ storageClassName: '' }));
    settle();
    world.remove(persistentvolumes, volume('v'));
    expect(settle()).toEqual([
      'setStatus persistentvolumeclaims data',
      'Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ]);
    expect(currentClaim().status.phase).toBe('Lost');
  });

  test('says what does not fit', () => {
    expect(mismatch(volume('v'), claim())).toBeUndefined();
    expect(mismatch(volume('v', { volumeMode: 'Block' }), claim())).toBe('incompatible volumeMode');
    expect(mismatch(volume('v'), claim({ accessModes: ['ReadWriteMany'] }))).toBe('incompatible accessMode');
  });
});

describe('reclaiming', () => {
  function bindAndRemove(spec: object): readonly string[] {
    world.put(persistentvolumes, volume('v', spec));
    world.put(persistentvolumeclaims, claim({ storageClassName: '' }));
    settle();
    world.remove(persistentvolumeclaims, claim());
    return settle();
  }

  test('Retain keeps the volume, released', () => {
    expect(bindAndRemove({})).toEqual(['setStatus persistentvolumes v']);
    expect(currentVolume('v').status.phase).toBe('Released');
  });

  test.each<[string, object, object]>([
    [
      'a server',
      { hostPath: undefined, nfs: { server: 's', path: '/' } },
      { phase: 'Failed', message: expect.stringContaining('no deletable volume plugin matched') },
    ],
    [
      'a folder that may be anybody’s',
      { hostPath: { path: '/data' } },
      { phase: 'Failed', message: 'host_path deleter only supports /tmp/.+ but received provided /data' },
    ],
    [
      'a driver, which its provisioner may still remove',
      { hostPath: undefined, csi: { driver: 'd.example.com', volumeHandle: 'h' } },
      { phase: 'Released' },
    ],
  ])('Delete cannot remove what nobody here provisioned: on %s', (_where, spec, status) => {
    bindAndRemove({ persistentVolumeReclaimPolicy: 'Delete', ...spec });
    expect(currentVolume('v').status).toMatchObject(status);
  });

  test('Delete removes a folder of /tmp', () => {
    const lines = bindAndRemove({ persistentVolumeReclaimPolicy: 'Delete', hostPath: { path: '/tmp/v' } });
    expect(lines).toContain('delete persistentvolumes v');
  });

  test('Recycle makes the volume free again', () => {
    bindAndRemove({ persistentVolumeReclaimPolicy: 'Recycle' });
    expect(currentVolume('v')).toMatchObject({ status: { phase: 'Available' } });
    expect(currentVolume('v').spec.claimRef).toBeUndefined();
  });

  test('a provisioned volume goes with its claim, and another claim of that name gets a new one', () => {
    world.put(storageclasses, storageClass('x'));
    world.put(persistentvolumeclaims, claim({ storageClassName: 'x' }));
    settle();
    const again = {
      ...claim({ storageClassName: 'x' }),
      metadata: meta('data', { uid: 'second', finalizers: [claimFinalizer] }),
    };
    world.put(persistentvolumeclaims, again);
    settle();
    expect(world.list(persistentvolumes).map(({ metadata }) => metadata.name)).toEqual(['pvc-second']);
  });

  test('a volume that was chosen is free again when its claim took another', () => {
    world.put(persistentvolumes, volume('taken'));
    world.put(persistentvolumeclaims, claim({ storageClassName: '', volumeName: 'taken' }));
    const claimRef = { namespace: 'default', name: 'data', uid: 'uid-of-data' };
    const annotations = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
    const chosen = volume('chosen', { claimRef });
    world.put(persistentvolumes, { ...chosen, metadata: { ...chosen.metadata, annotations } });
    settle();
    expect(currentVolume('chosen').spec.claimRef).toBeUndefined();
  });
});

describe('in place of a driver', () => {
  const driver = (annotations: Readonly<Record<string, string>>): CSIDriver => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: clusterMeta('disk.example.com', { annotations }),
    spec: { attachRequired: true },
  });
  const ofDriver = (): StorageClass =>
    storageClass('disk', {
      provisioner: 'disk.example.com',
      allowVolumeExpansion: true,
      parameters: { 'csi.storage.k8s.io/fstype': 'xfs' },
    });

  test('a volume is its driver’s, grows with its claim and goes with it, also when the driver is gone', () => {
    world.put(csidrivers, driver({ 'signalbox.dev/simulated': 'true' }));
    world.put(storageclasses, ofDriver());
    world.put(persistentvolumeclaims, claim({ storageClassName: 'disk' }));
    settle();
    const name = 'pvc-uid-of-data';
    expect(currentVolume(name)).toMatchObject({
      metadata: {
        annotations: { 'pv.kubernetes.io/provisioned-by': 'disk.example.com', 'signalbox.dev/simulated': 'true' },
      },
      spec: { csi: { driver: 'disk.example.com', volumeHandle: name, fsType: 'xfs' } },
    });
    expect(currentVolume(name).spec.hostPath).toBeUndefined();
    const grown = { ...currentClaim().spec, resources: { requests: { storage: '6Gi' } } };
    world.put(persistentvolumeclaims, { ...currentClaim(), spec: grown });
    settle();
    expect(currentClaim().status?.capacity).toEqual({ storage: '6Gi' });
    world.remove(csidrivers, driver({}));
    world.remove(persistentvolumeclaims, currentClaim());
    expect(settle()).toEqual([
      `setStatus persistentvolumes ${name}`,
      `delete persistentvolumes ${name}`,
      `update persistentvolumes ${name}`,
    ]);
  });

  test.each<[string, () => unknown]>([
    ['is somebody’s', () => world.put(csidrivers, driver({}))],
    ['says nothing of itself', () => undefined],
  ])('a driver that %s is waited for', (_what, put) => {
    put();
    world.put(storageclasses, ofDriver());
    world.put(persistentvolumeclaims, claim({ storageClassName: 'disk' }));
    expect(settle()[1]).toContain('Normal ExternalProvisioning');
    expect(world.list(persistentvolumes)).toEqual([]);
  });
});

describe('protection', () => {
  test('every claim and volume gets its finalizer first', () => {
    world.put(persistentvolumes, { ...volume('v'), metadata: clusterMeta('v') });
    world.put(persistentvolumeclaims, { ...claim({ storageClassName: '' }), metadata: meta('data') });
    settle();
    expect(currentClaim().metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    expect(currentVolume('v').metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
  });

  test.each<[string, Pod | undefined, readonly string[]]>([
    ['goes when no pod mounts it', undefined, ['update persistentvolumeclaims data']],
    ['goes when only a pod without a node mounts it', user(), ['update persistentvolumeclaims data']],
    ['stays while a placed pod mounts it', user('node-1'), []],
  ])('a deleted claim %s', (_, pod, expected) => {
    if (pod !== undefined) world.put(pods, pod);
    world.put(persistentvolumeclaims, terminating(claim()));
    expect(settle()).toEqual(expected);
    expect(world.of(persistentvolumeclaims).get(key) === undefined).toBe(expected.length > 0);
  });

  test('a deleted volume stays while its claim is bound to it', () => {
    world.put(persistentvolumes, volume('v'));
    world.put(persistentvolumeclaims, claim({ storageClassName: '' }));
    settle();
    world.put(persistentvolumes, terminating(currentVolume('v')));
    expect(settle()).toEqual([]);
    world.remove(persistentvolumeclaims, claim());
    expect(settle()).toEqual(['update persistentvolumes v']);
  });
});

test('events are told under upstream’s names', () => {
  const told = [claimController, volumeController, ephemeralVolumeController].map(
    ({ name, source }) => source ?? `${name}-controller`,
  );
  expect(told).toEqual(['persistentvolume-controller', 'persistentvolume-controller', 'ephemeral_volume']);
});

describe('ephemeral volumes', () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: claim().spec };
  const pod: Pod = {
    ...user(),
    spec: {
      ...podSpec,
      volumes: [
        { name: 'scratch', ephemeral: { volumeClaimTemplate: template } },
        { name: 'x', emptyDir: {} },
      ],
    },
  };

  function lines(): readonly string[] {
    const observed = ephemeralVolumeController.observe('default/user', world, undefined);
    const actions = observed === undefined ? [] : ephemeralVolumeController.plan(observed, 0).actions;
    for (const action of actions) world.apply(action);
    return actions.map(line);
  }

  test('get a claim that belongs to the pod', () => {
    world.put(pods, pod);
    expect(lines()).toEqual(['create persistentvolumeclaims user-scratch']);
    expect(lines()).toEqual([]);
    const made = world.of(persistentvolumeclaims).get('default/user-scratch');
    expect(made?.metadata).toMatchObject({
      labels: { a: 'b' },
      ownerReferences: [{ kind: 'Pod', uid: 'uid-of-user', controller: true }],
    });
  });

  test('never take a claim that is somebody else’s', () => {
    world.put(pods, pod);
    world.put(persistentvolumeclaims, { ...claim(), metadata: meta('user-scratch') });
    expect(lines()).toEqual(['emit FailedBinding']);
  });

  test('of pods that end get nothing', () => {
    world.put(pods, terminating(pod));
    expect(lines()).toEqual([]);
  });
});
