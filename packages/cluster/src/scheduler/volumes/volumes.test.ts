/** Volumes that are chosen with the node of their first pod; what the claim controller does is done by hand here. */
import { afterEach, expect, test } from 'vitest';
import type { PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { nodes, persistentvolumeclaims, persistentvolumes, pods, storageclasses } from '../../api/generated/kinds.ts';
import { createTestPlane, type TestPlane } from '../../testing/plane.ts';
import { schedulerOptions } from '../configuration/configuration.ts';
import { createScheduler, type SchedulerOptions } from '../loop.ts';

let plane: TestPlane;
afterEach(async () => {
  await plane.close();
  expect(plane.problems).toEqual([]);
});

const hostname = 'kubernetes.io/hostname';
const selected = 'volume.kubernetes.io/selected-node';

/** Nodes with room for one pod of 600m each. */
async function start(...names: readonly string[]): Promise<void> {
  await startBy({}, names);
}

async function startBy(options: SchedulerOptions, names: readonly string[]): Promise<void> {
  plane = await createTestPlane({});
  const { client, signal } = plane;
  const amounts = { cpu: '1', memory: '1Gi', pods: '10' };
  const status = { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] };
  for (const name of names) {
    const metadata = { name, labels: { [hostname]: name } };
    await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata, spec: {}, status }, { signal });
    // Nobody keeps the health of nodes here.
    await client.patch(nodes, { name, signal, patchType: 'merge', body: { spec: { taints: null } } });
  }
  for (const [name, provisioner] of [
    ['local', 'kubernetes.io/no-provisioner'],
    ['made', 'example.com/disk'],
  ] as const)
    await client.create(
      storageclasses,
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name },
        provisioner,
        volumeBindingMode: 'WaitForFirstConsumer',
      },
      { signal },
    );
  plane.start(createScheduler(plane.platform, options));
  await plane.clock.settle();
}

async function createClaim(name: string, { of, storage = '1Gi' }: { of: 'local' | 'made'; storage?: string }) {
  const object = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name },
    spec: { storageClassName: of, accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    status: {},
  } as const;
  await plane.client.create(persistentvolumeclaims, object, { signal: plane.signal });
}

/** `on`: of several nodes each stands in a term of its own. */
async function createVolume(
  name: string,
  { on, storage = '1Gi' }: { on: string | readonly string[]; storage?: string },
): Promise<void> {
  const { client, signal } = plane;
  const nodeSelectorTerms = [on]
    .flat()
    .map((node) => ({ matchExpressions: [{ key: hostname, operator: 'In', values: [node] }] }));
  const spec = {
    storageClassName: 'local',
    accessModes: ['ReadWriteOnce'],
    capacity: { storage },
    local: { path: '/disk' },
    nodeAffinity: { required: { nodeSelectorTerms } },
  };
  const object = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec, status: {} } as const;
  await client.create(persistentvolumes, object, { signal });
  const body = { status: { phase: 'Available' } };
  await client.patch(persistentvolumes, { name, signal, subresource: 'status', patchType: 'merge', body });
}

async function createPod(name: string, { claims, cpu = '600m' }: { claims: readonly string[]; cpu?: string }) {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const containers = [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }];
  const metadata = { namespace: 'default', name };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, volumes }, status: {} } as const;
  await plane.client.create(pods, object, { signal: plane.signal });
  await plane.clock.settle();
}

/** As the claim controller does it, once the volume is there. */
async function bindClaim(name: string, volumeName: string): Promise<void> {
  const { client, signal } = plane;
  const at = { namespace: 'default', name, signal, patchType: 'merge' } as const;
  await client.patch(persistentvolumeclaims, { ...at, body: { spec: { volumeName } } });
  await client.patch(persistentvolumeclaims, { ...at, subresource: 'status', body: { status: { phase: 'Bound' } } });
  await plane.clock.settle();
}

async function claim(name: string): Promise<PersistentVolumeClaim> {
  return plane.client.get(persistentvolumeclaims, { namespace: 'default', name, signal: plane.signal });
}

/** Pod → its node. */
async function places(): Promise<Readonly<Record<string, string>>> {
  const all = await plane.all(pods);
  return Object.fromEntries(all.map(({ metadata, spec }) => [metadata.name, spec.nodeName ?? '']));
}

/** Volume → the claim that it is promised to. */
async function promises(): Promise<Readonly<Record<string, string>>> {
  const all = await plane.all(persistentvolumes);
  return Object.fromEntries(all.map(({ metadata, spec }) => [metadata.name, spec.claimRef?.name ?? '']));
}

async function whyWaiting(name: string): Promise<string> {
  const { status } = await plane.client.get(pods, { namespace: 'default', name, signal: plane.signal });
  const condition = status.conditions?.find(({ type }) => type === 'PodScheduled');
  return `${condition?.reason}: ${condition?.message}`;
}

test('a volume that the node reaches is promised first, and the pod is bound when its claim is', async () => {
  await start('a', 'b');
  await createClaim('data', { of: 'local' });
  await createVolume('on-b', { on: 'b' });
  await createPod('web', { claims: ['data'] });
  expect(await promises()).toEqual({ 'on-b': 'data' });
  expect(await places()).toEqual({ web: '' });
  await bindClaim('data', 'on-b');
  expect(await places()).toEqual({ web: 'b' });
});

test('a volume is reached by any of its terms', async () => {
  await start('a', 'b');
  await createClaim('data', { of: 'local' });
  await createVolume('on-b', { on: ['elsewhere', 'b'] });
  await createPod('web', { claims: ['data'] });
  expect(await promises()).toEqual({ 'on-b': 'data' });
  await bindClaim('data', 'on-b');
  expect(await places()).toEqual({ web: 'b' });
});

test('each claim gets the smallest volume that is left, and a large one is not robbed by a small one', async () => {
  await start('a');
  await createClaim('large', { of: 'local', storage: '5Gi' });
  await createClaim('small', { of: 'local' });
  await createVolume('nine', { on: 'a', storage: '9Gi' });
  await createVolume('two', { on: 'a', storage: '2Gi' });
  await createVolume('six', { on: 'a', storage: '6Gi' });
  await createPod('web', { claims: ['large', 'small'] });
  expect(await promises()).toEqual({ two: 'small', six: 'large', nine: '' });
});

test('pods on their way do not get the same volume, and pods of one claim go to one node', async () => {
  await start('a', 'b');
  for (const name of ['one', 'two']) await createClaim(name, { of: 'local' });
  await createClaim('shared', { of: 'made' });
  for (const name of ['x', 'y']) await createVolume(name, { on: 'a' });
  // All of them in one turn.
  await Promise.all([
    createPod('p-one', { claims: ['one'], cpu: '10m' }),
    createPod('p-two', { claims: ['two'], cpu: '10m' }),
    createPod('s-1', { claims: ['shared'], cpu: '10m' }),
    createPod('s-2', { claims: ['shared'], cpu: '10m' }),
  ]);
  expect(Object.values(await promises()).sort()).toEqual(['one', 'two']);
  const node = (await claim('shared')).metadata.annotations?.[selected] ?? '';
  await createVolume('made-there', { on: node });
  await bindClaim('shared', 'made-there');
  const found = await places();
  expect([found['s-1'], found['s-2']]).toEqual([node, node]);
});

test('where the volume cannot be made another node is tried, and the pod says why', async () => {
  await start('a', 'b');
  await createClaim('data', { of: 'made' });
  await createPod('web', { claims: ['data'] });
  const first = (await claim('data')).metadata.annotations?.[selected] ?? '';
  const other = first === 'a' ? 'b' : 'a';
  await plane.client.patch(nodes, {
    name: first,
    signal: plane.signal,
    patchType: 'merge',
    body: { spec: { unschedulable: true } },
  });
  const body = { metadata: { annotations: { [selected]: null } } };
  const at = { namespace: 'default', name: 'data', signal: plane.signal, patchType: 'merge' } as const;
  await plane.client.patch(persistentvolumeclaims, { ...at, body });
  await plane.clock.settle();
  expect(await whyWaiting('web')).toBe(
    'SchedulerError: running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"',
  );
  await plane.clock.advance(2_000);
  expect((await claim('data')).metadata.annotations?.[selected]).toBe(other);
});

test('a pod that is deleted on its way leaves its room and its volume to the next', async () => {
  await start('a');
  await createClaim('one', { of: 'local' });
  await createClaim('two', { of: 'made' });
  await createVolume('x', { on: 'a' });
  await createPod('first', { claims: ['two'] });
  await createPod('second', { claims: ['one'] });
  expect(await promises()).toEqual({ x: '' });
  await plane.client.delete(pods, {
    namespace: 'default',
    name: 'first',
    gracePeriodSeconds: 0,
    signal: plane.signal,
  });
  await plane.clock.advance(2_000);
  expect(await promises()).toEqual({ x: 'one' });
  await bindClaim('one', 'x');
  expect(await places()).toEqual({ second: 'a' });
});

test('the profile says how long a volume is waited for', async () => {
  const pluginConfig = [{ name: 'VolumeBinding', args: { bindTimeoutSeconds: 30 } }];
  await startBy(schedulerOptions({ configuration: { profiles: [{ pluginConfig }] } }), ['a']);
  await createClaim('data', { of: 'made' });
  await createPod('web', { claims: ['data'] });
  await plane.clock.advance(25_000);
  expect(await whyWaiting('web')).toBe('undefined: undefined');
  await plane.clock.advance(6_000);
  expect(await whyWaiting('web')).toContain('binding volumes: context deadline exceeded');
});

test('a volume that does not come is waited for ten minutes before the pod is told, and tried again', async () => {
  await start('a');
  await createClaim('data', { of: 'made' });
  await createPod('web', { claims: ['data'] });
  await plane.clock.advance(590_000);
  expect(await whyWaiting('web')).toBe('undefined: undefined');
  await plane.clock.advance(11_000);
  expect(await whyWaiting('web')).toBe(
    'SchedulerError: running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
  );
  await createVolume('late', { on: 'a' });
  await bindClaim('data', 'late');
  await plane.clock.advance(2_000);
  expect(await places()).toEqual({ web: 'a' });
});
