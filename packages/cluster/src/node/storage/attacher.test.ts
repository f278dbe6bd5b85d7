import { beforeEach, describe, expect, test } from 'vitest';
import { persistentvolumes, pods, volumeattachments } from '../../api/generated/kinds.ts';
import { attachController } from '../../controllers/attachdetach/controller.ts';
import {
  attachmentOf,
  nameAt,
  putDriver,
  putMachine,
  putVolume,
  statusNameOf,
  testDriver,
  userOf,
} from '../../testing/attach-world.ts';
import { createWorld, reconcile, startMs, terminating, type World } from '../../testing/plan-world.ts';
import { attacherFinalizer, type Memory, simulatedAttacher } from './attacher.ts';
import { simulatedKeeper } from './keeper.ts';

const finalizer = 'external-attacher/disk-example-com';
const simulated = { 'signalbox.dev/simulated': 'true' };
const key = nameAt('data', 'node-1');
let world: World;
let memories: Map<string, Memory>;

beforeEach(() => {
  world = createWorld();
  memories = new Map();
  putMachine(world, 'node-1');
  putVolume(world, 'data');
  world.put(pods, userOf('data', 'one', 'node-1'));
});

/** Somebody asks for it to be attached. */
function ask(annotations: Readonly<Record<string, string>> = simulated): void {
  putDriver(world, {}, annotations);
  reconcile(world, { controller: attachController, key: 'v-data' });
}

const look = (): readonly string[] =>
  reconcile(world, { controller: simulatedAttacher, key, memories }).map((line) => line.replace(key, 'it'));
const attachment = () => attachmentOf(world, 'data', 'node-1');
const volume = () => world.of(persistentvolumes).get('v-data');

function annotateVolume(annotations: Readonly<Record<string, string>>): void {
  const before = volume();
  if (before === undefined) throw new Error('no volume');
  world.put(persistentvolumes, { ...before, metadata: { ...before.metadata, annotations } });
}

describe('attaching', () => {
  test('first volume and attachment are held, a moment later it is attached', () => {
    ask();
    expect(look()).toEqual(['update persistentvolumes v-data then update volumeattachments it']);
    expect(volume()?.metadata.finalizers).toEqual([finalizer]);
    expect(attachment()?.metadata).toMatchObject({
      finalizers: [finalizer],
      annotations: { 'csi.alpha.kubernetes.io/node-id': 'node-1' },
    });
    expect(look()).toEqual([]);
    world.nowMs = startMs + 500;
    expect(look()).toEqual(['setStatus volumeattachments it']);
    expect(attachment()?.status).toEqual({ attached: true });
    expect(look()).toEqual([]);
  });

  test('a driver that somebody else serves is left to them', () => {
    ask({});
    expect(look()).toEqual([]);
    ask({ 'signalbox.dev/simulated': 'false' });
    expect(look()).toEqual([]);
  });

  test('a volume that says so is simulated also where its driver says nothing', () => {
    ask({});
    annotateVolume(simulated);
    expect(look()).toEqual(['update persistentvolumes v-data then update volumeattachments it']);
  });

  test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>, number]>([
    ['the driver', { 'signalbox.dev/attach-after': '30s' }, {}, 30_000],
    ['the volume', { 'signalbox.dev/attach-after': '30s' }, { 'signalbox.dev/attach-after': '2s' }, 2_000],
    ['nobody, as what cannot be read', { 'signalbox.dev/attach-after': 'soon' }, {}, 500],
  ])('it takes as long as %s says', (_who, ofDriver, ofVolume, ms) => {
    ask({ ...simulated, ...ofDriver });
    annotateVolume(ofVolume);
    look();
    world.nowMs = startMs + ms - 1;
    expect(look()).toEqual([]);
    world.nowMs += 1;
    expect(look()).toEqual(['setStatus volumeattachments it']);
  });

  test('never is never', () => {
    ask({ ...simulated, 'signalbox.dev/attach-after': 'never' });
    look();
    world.nowMs += 1e9;
    expect(look()).toEqual([]);
  });

  test('what fails says why once, and succeeds when that is taken away', () => {
    ask({ ...simulated, 'signalbox.dev/attach-error': 'no room' });
    look();
    world.nowMs += 500;
    expect(look()).toEqual(['setStatus volumeattachments it']);
    expect(attachment()?.status).toEqual({
      attached: false,
      attachError: { time: '2024-01-01T00:00:00Z', message: 'no room' },
    });
    expect(look()).toEqual([]);
    putDriver(world, {}, simulated);
    expect(look()).toEqual(['setStatus volumeattachments it']);
    expect(attachment()?.status).toEqual({ attached: true });
  });
});

describe('letting go', () => {
  function attached(): void {
    ask();
    look();
    world.nowMs += 500;
    look();
  }

  function going(): void {
    const it = attachment();
    if (it !== undefined) world.put(volumeattachments, terminating(it));
  }

  test('takes a moment, and its own finalizer off', () => {
    attached();
    going();
    expect(look()).toEqual([]);
    world.nowMs += 500;
    expect(look()).toEqual(['update volumeattachments it']);
    expect(attachment()).toBeUndefined();
  });

  test('goes on when its driver is gone', () => {
    attached();
    going();
    putDriver(world, {}, {});
    look();
    world.nowMs += 500;
    expect(look()).toEqual(['update volumeattachments it']);
  });

  test('a volume that is to go is kept until nothing of it is attached', () => {
    attached();
    const keep = (): readonly string[] => reconcile(world, { controller: simulatedKeeper, key: 'v-data' });
    expect(keep()).toEqual([]);
    const before = volume();
    if (before !== undefined) world.put(persistentvolumes, terminating(before));
    expect(keep()).toEqual([]);
    const it = attachment();
    if (it !== undefined) world.remove(volumeattachments, it);
    expect(keep()).toEqual(['update persistentvolumes v-data']);
    expect(volume()).toBeUndefined();
  });
});

test.each([
  [testDriver, finalizer],
  ['pd.csi.storage.gke.io', 'external-attacher/pd-csi-storage-gke-io'],
  ['odd_', 'external-attacher/odd-X'],
])('the finalizer for %s is %s', (driver, name) => {
  expect(attacherFinalizer(driver)).toBe(name);
});

test('a node calls the volume by its driver and handle', () => {
  expect(statusNameOf('data')).toBe('kubernetes.io/csi/disk.example.com^h-data');
});
