import { beforeEach, expect, test } from 'vitest';
import type { Node, Pod } from '../api/generated/core-v1.ts';
import { nodes, persistentvolumeclaims } from '../api/generated/kinds.ts';
import { putDriver, putMachine, putVolume, statusNameOf, userOf } from '../testing/attach-world.ts';
import { createWorld, meta, podSpec, type World } from '../testing/plan-world.ts';
import { createMounts, type Lack, type Mounts } from './mounts.ts';

const name = statusNameOf('data');
const pod = userOf('data', 'one', 'node-1');
let world: World;
let mounts: Mounts;
let changed: string[];

beforeEach(() => {
  world = createWorld();
  changed = [];
  mounts = createMounts(world, (node) => changed.push(node));
  putDriver(world);
  putMachine(world, 'node-1');
  putVolume(world, 'data');
});

function lacking(of: Pod, status: Node['status'] = {}): Lack | undefined {
  const node = world.of(nodes).get('node-1');
  if (node === undefined) throw new Error('no node');
  return mounts.lacking(of, { ...node, status });
}

const volumesAttached = [{ name, devicePath: '' }];

test('a pod waits until its node has said that it uses the volume, and then that it is attached', () => {
  expect(lacking(pod)).toEqual({});
  expect(changed).toEqual(['node-1']);
  expect(mounts.inUse('node-1')).toEqual([name]);
  expect([...mounts.waiting('node-1')]).toEqual(['default/one']);
  expect(lacking(pod, { volumesInUse: [name] })).toEqual({});
  expect(lacking(pod, { volumesAttached })).toEqual({});
  expect(lacking(pod, { volumesInUse: [name], volumesAttached })).toBeUndefined();
  expect([...mounts.waiting('node-1')]).toEqual([]);
  expect(changed).toEqual(['node-1']);
});

test('a volume is in use until the last pod that uses it is gone or over', () => {
  const other = userOf('data', 'two', 'node-1');
  lacking(pod);
  lacking(other);
  mounts.forget(pod);
  expect(mounts.inUse('node-1')).toEqual([name]);
  expect(lacking({ ...other, status: { phase: 'Succeeded' } })).toBeUndefined();
  expect(mounts.inUse('node-1')).toEqual([]);
  mounts.forget(other);
  expect(changed).toEqual(['node-1', 'node-1', 'node-1', 'node-1']);
});

test.each<[string, Pod['spec']['volumes']]>([
  ['nothing', undefined],
  ['what needs no volume', [{ name: 'scratch', emptyDir: {} }]],
])('of a pod that mounts %s nothing is kept', (_what, volumes) => {
  const plain = { ...pod, spec: { ...podSpec, nodeName: 'node-1', ...(volumes !== undefined && { volumes }) } };
  expect(lacking(plain)).toBeUndefined();
  expect(mounts.inUse('node-1')).toEqual([]);
  expect(changed).toEqual([]);
});

test('a volume whose driver attaches nothing is there at once', () => {
  putDriver(world, { attachRequired: false });
  expect(lacking(pod)).toBeUndefined();
  expect(mounts.inUse('node-1')).toEqual([]);
});

test('a pod whose claim is missing or not bound waits, says so once, and looks again', () => {
  const claim = world.of(persistentvolumeclaims).get('default/data');
  if (claim === undefined) throw new Error('no claim');
  world.put(persistentvolumeclaims, { ...claim, status: { phase: 'Pending' } });
  const note =
    'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC default/data: PVC is not bound';
  expect(lacking(pod)).toEqual({ againInMs: 1_000, event: { type: 'Warning', reason: 'FailedMount', note } });
  expect(lacking(pod)).toEqual({ againInMs: 1_000 });
  const gone = { ...userOf('nowhere', 'lost', 'node-1'), metadata: meta('lost') };
  expect(lacking(gone)?.event?.note).toContain('persistentvolumeclaims "nowhere" not found');
});
