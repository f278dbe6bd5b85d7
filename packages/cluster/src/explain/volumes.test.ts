/** What is said of the volumes of a pod. */
import { beforeEach, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, Pod, VolumeNodeAffinity } from '../api/generated/core-v1.ts';
import {
  csinodes,
  nodes,
  persistentvolumeclaims,
  persistentvolumes,
  pods,
  storageclasses,
} from '../api/generated/kinds.ts';
import { asked, causesOf, rowsOf } from '../testing/asked.ts';
import { makeNode, makePod, type PodParts } from '../testing/makers.ts';
import { createWorld, meta, type World } from '../testing/plan-world.ts';
import type { Explanation } from './explanation.ts';

const zone = 'topology.kubernetes.io/zone';
const driver = 'disks.example.com';
let world: World;
beforeEach(() => {
  world = createWorld();
});

const put = {
  nodes: (zones: Readonly<Record<string, string>>, cordoned: readonly string[] = []): void => {
    for (const [name, value] of Object.entries(zones))
      world.put(nodes, makeNode(name, { labels: { [zone]: value }, unschedulable: cordoned.includes(name) }));
  },
  claim: (spec: Partial<PersistentVolumeClaim['spec']>, annotations: Readonly<Record<string, string>> = {}): void => {
    world.put(persistentvolumeclaims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { ...meta('data'), annotations, finalizers: ['kubernetes.io/pvc-protection'] },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
      status: { phase: spec.volumeName === undefined ? 'Pending' : 'Bound' },
    });
  },
  volume: (spec: Partial<PersistentVolume['spec']>, labels: Readonly<Record<string, string>> = {}): void => {
    const { namespace: _, ...metadata } = meta('disk');
    const claimRef = { namespace: 'default', name: 'data' };
    world.put(persistentvolumes, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { ...metadata, labels },
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, claimRef, ...spec },
      status: { phase: 'Bound' },
    } as PersistentVolume);
  },
  class: (more: object): void => {
    const { namespace: _, ...metadata } = meta('late');
    world.put(storageclasses, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata,
      provisioner: driver,
      volumeBindingMode: 'WaitForFirstConsumer',
      ...more,
    });
  },
};

const mounting = (name: string, parts: PodParts = {}): Pod =>
  makePod(name, {
    ...parts,
    spec: {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
      ...(parts.node !== undefined && { nodeName: parts.node }),
      ...parts.spec,
    },
  });

function told(pod: Pod = mounting('p'), ...others: readonly Pod[]): Explanation {
  for (const each of [pod, ...others]) world.put(pods, each);
  return asked(world, { type: pods, name: pod.metadata.name });
}

const inZone = (value: string): VolumeNodeAffinity => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: 'In', values: [value] }] }] },
});

test('who has a claim that one pod may have is named', () => {
  put.nodes({ a: 'x', b: 'x' });
  put.claim({ accessModes: ['ReadWriteOncePod'], volumeName: 'disk' });
  put.volume({});
  const explanation = told(mounting('p'), mounting('holder', { node: 'b' }));
  expect(causesOf(explanation)[0]).toBe(
    '2 nodes: VolumeRestrictions: the claim of its volume v is ReadWriteOncePod, and another pod has it (pod default/holder) → that pod has to go first, or another claim be mounted',
  );
});

test('where a volume is is told, and the mend is that of nodes there', () => {
  put.nodes({ a: 'y', b: 'y', c: 'x' }, ['c']);
  put.claim({ volumeName: 'disk' });
  put.volume({ nodeAffinity: inZone('x') });
  const explanation = told();
  expect(causesOf(explanation)[0]).toBe(
    `2 nodes: VolumeBinding: its volume v can only be reached from nodes with ${zone}=x; 1 node: NodeUnschedulable: the node is cordoned → kubectl uncordon c`,
  );
  expect(rowsOf(explanation)[0]).toBe(`data: is bound: its volume disk can only be reached from nodes with ${zone}=x`);
  const claim = asked(world, { type: persistentvolumeclaims, name: 'data' });
  expect(claim.facts).toMatchObject({ reachedFrom: `${zone}=x` });
});

test('where no node is, one has to come', () => {
  put.nodes({ a: 'y' });
  put.claim({ volumeName: 'disk' });
  put.volume({ nodeAffinity: inZone('x') });
  expect(causesOf(told())[0]).toMatch(/=x → add a node there, or mount another volume$/);
});

test('a volume that names its zone by a label is in it', () => {
  put.nodes({ a: 'y', b: 'y', c: 'x' }, ['c']);
  put.claim({ volumeName: 'disk' });
  put.volume({}, { [zone]: 'x__z' });
  expect(causesOf(told())[0]).toBe(
    `2 nodes: VolumeZone: its volume v is in ${zone}=x or z; 1 node: NodeUnschedulable: the node is cordoned → kubectl uncordon c`,
  );
  put.volume({}, { [zone]: 'z' });
  expect(causesOf(told())[0]).toBe(
    `2 nodes: VolumeZone: its volume v is in ${zone}=z; 1 node: NodeUnschedulable: the node is cordoned → add a node there, or mount another volume`,
  );
});

const open = { storageClassName: 'late' };
const nothing = 'VolumeBinding: no volume that can be reached from there is free for its volume v';

test('where a class makes volumes is told', () => {
  put.nodes({ a: 'y', b: 'y', c: 'x' }, ['c']);
  put.claim(open);
  put.class({ allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['x', 'z'] }] }] });
  const makes = `class late makes them only where ${zone} in (x, z)`;
  expect(causesOf(told())[0]).toBe(
    `2 nodes: ${nothing}, and ${makes}; 1 node: NodeUnschedulable: the node is cordoned → kubectl uncordon c`,
  );
  const claim = asked(world, { type: persistentvolumeclaims, name: 'data' });
  expect(claim.facts).toMatchObject({ madeWhere: `${zone} in (x, z)` });
  put.class({ allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['z'] }] }] });
  expect(causesOf(told())[0]).toBe(
    `2 nodes: ${nothing}, and class late makes them only where ${zone}=z; 1 node: NodeUnschedulable: the node is cordoned → add a node there, or name a class that makes volumes where nodes are`,
  );
});

test('a class of which nobody makes volumes needs one by hand', () => {
  put.nodes({ a: 'x' });
  put.claim(open);
  put.class({ provisioner: 'kubernetes.io/no-provisioner' });
  expect(causesOf(told())[0]).toBe(
    `1 node: ${nothing}, and nobody makes volumes of class late → create a volume of class late that fits its claim`,
  );
});

test('of a volume that is being made the node is told', () => {
  put.nodes({ a: 'x', b: 'x' }, ['b']);
  put.claim(open, { 'volume.kubernetes.io/selected-node': 'b' });
  put.class({});
  expect(rowsOf(told())).toContain('a: does not fit: VolumeBinding: its volume v is being made for node b');
});

test('how many volumes a node takes is told, and how many are free', () => {
  put.nodes({ a: 'x' });
  put.claim(open);
  put.class({});
  const { namespace: _, ...metadata } = meta('a');
  const drivers = [{ name: driver, nodeID: 'a', allocatable: { count: 0 } }];
  world.put(csinodes, { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata, spec: { drivers } });
  const explanation = told();
  expect(causesOf(explanation)[0]).toBe(
    `1 node: NodeVolumeLimits: 1 more volume of ${driver} is wanted, and the node takes 0 altogether (0 is free) → move pods with such volumes away, or add nodes`,
  );
  expect(explanation.groups.at(-1)?.rules[0]?.shortage).toEqual({
    ...{ resource: `volumes of ${driver}`, wanted: 1, freeMin: 0, freeMax: 0 },
  });
});

test('a pod whose claim waits for it is not sent to itself', () => {
  put.nodes({ a: 'x' });
  put.claim(open);
  put.class({});
  const explanation = told(mounting('p', { cpu: '9' }));
  expect(rowsOf(explanation)[0]).toBe('data: waits: it gets a volume with the node of the pod');
  expect(JSON.stringify(explanation)).not.toContain('signalbox explain pod');
});

test('what waits for the pod itself is not among what it waits for', () => {
  put.nodes({ a: 'x' });
  put.claim(open);
  put.class({});
  const volumes = ['data', 'other'].map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  world.put(persistentvolumeclaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...meta('other'), finalizers: ['kubernetes.io/pvc-protection'] },
    spec: { storageClassName: 'fast' },
    status: { phase: 'Pending' },
  });
  expect(causesOf(told(mounting('p', { spec: { volumes } })))[0]).toBe(
    'VolumeBinding: pod has unbound immediate PersistentVolumeClaims; its claim: storageclass.storage.k8s.io "fast" not found → create that StorageClass, or name another one',
  );
});

const skips = 'make the pod without spec.nodeName: a nodeSelector leads it to a node, too';

test('a pod that names its node itself skips who would choose its volume', () => {
  put.nodes({ a: 'x' });
  put.claim(open);
  put.class({});
  const explanation = told(mounting('p', { node: 'a', status: { phase: 'Pending' } }));
  expect(explanation.summary).toBe('is not ready on node a');
  expect(causesOf(explanation)).toEqual([
    `the claim of its volume v waits: a scheduler chooses its volume with the node, and the pod names its node itself (spec.nodeName), which skips the scheduler → ${skips}`,
  ]);
  const claim = asked(world, { type: persistentvolumeclaims, name: 'data' });
  expect(causesOf(claim)).toEqual([
    `p mounts it, but names its node itself (spec.nodeName), which skips the scheduler that chooses a volume → ${skips}`,
  ]);
});

test.each<[string, PodParts, string]>([
  ['there', {}, 'is missing: there is no such claim → create the claim'],
  [
    'made for it',
    { spec: { volumes: [{ name: 'v', ephemeral: {} }] } },
    'is missing: it is made for the pod, and is not yet → the controller ephemeral-volume has to run',
  ],
])('a pod on a node whose claim is not %s says so', (_, parts, said) => {
  put.nodes({ a: 'x' });
  const pod = mounting('p', { node: 'a', ...parts, status: { phase: 'Pending' } });
  expect(causesOf(told(pod))).toEqual([`the claim of its volume v ${said}`]);
});
