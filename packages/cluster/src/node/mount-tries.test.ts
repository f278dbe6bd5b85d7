import { beforeEach, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { configmaps, secrets } from '../api/generated/kinds.ts';
import { makePod } from '../testing/makers.ts';
import { createWorld, meta, type World } from '../testing/plan-world.ts';
import { createMountTries, type MountTries } from './mount-tries.ts';

const volumes = [
  { name: 'settings', configMap: { name: 'settings' } },
  { name: 'door', secret: { secretName: 'door' } },
];
const pod = makePod('p', { node: 'n', spec: { volumes } });
let world: World;
let tries: MountTries;

beforeEach(() => {
  world = createWorld();
  tries = createMountTries(world);
});

const putSettings = () =>
  world.put(configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('settings'), data: {} });
const putDoor = () => world.put(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: meta('door') });

/** When it is tried within so long, and what is said then. */
function play(forMs: number, of: Pod = pod): string[] {
  const lines: string[] = [];
  for (let nowMs = 0; nowMs <= forMs; ) {
    const lack = tries.lacking(of, nowMs);
    if (lack === undefined) return [...lines, `${nowMs} is there`];
    lines.push(
      [String(nowMs), lack.isQuiet ? 'quiet' : '', ...lack.events.map(({ note }) => note)].filter(Boolean).join(' '),
    );
    nowMs += lack.againInMs;
  }
  return lines;
}

const settings = 'MountVolume.SetUp failed for volume "settings" : configmap "settings" not found';
const door = 'MountVolume.SetUp failed for volume "door" : secret "door" not found';
const late =
  'Unable to attach or mount volumes: unmounted volumes=[door settings], unattached volumes=[], failed to process volumes=[]: context deadline exceeded';

test('what is missing is tried ever more rarely, and told when it is new, when it is late, and every half hour', () => {
  const lines = play(3_900_000);
  expect(lines.slice(0, 11)).toEqual([
    '0 quiet',
    `100 ${settings} ${door}`,
    '600',
    '1600',
    '3600',
    '7600',
    '15600',
    '31600',
    '63600',
    `127600 ${settings} ${door} ${late}`,
    '249600',
  ]);
  expect(lines.filter((line) => line.includes(late))).toHaveLength(3);
});

test('what comes is found at the next try, and what is still missing is told', () => {
  expect(tries.lacking(pod, 0)).toEqual({ againInMs: 100, isQuiet: true, events: [] });
  putSettings();
  expect(tries.lacking(pod, 50)).toEqual({ againInMs: 50, isQuiet: true, events: [] });
  expect(tries.lacking(pod, 100)?.events.map(({ note }) => note)).toEqual([door]);
  putDoor();
  expect(tries.lacking(pod, 599)?.againInMs).toBe(1);
  expect(tries.lacking(pod, 600)).toBeUndefined();
});

test.each<[string, Pod]>([
  ['what mounts nothing', makePod('q', { node: 'n' })],
  ['what mounts other things', makePod('q', { node: 'n', spec: { volumes: [{ name: 'v', emptyDir: {} }] } })],
])('%s is not looked into', (_what, plain) => {
  const blind = createMountTries({
    of: () => {
      throw new Error('nothing is looked up');
    },
  });
  expect(blind.lacking(plain, 0)).toBeUndefined();
});

test('what is there is there at once', () => {
  putSettings();
  putDoor();
  expect(play(0)).toEqual(['0 is there']);
});

test('a pod that takes the name of one that waited, or was let go of, begins anew', () => {
  play(10_000);
  const other = { ...pod, metadata: { ...pod.metadata, uid: 'other' } };
  expect(tries.lacking(other, 10_000)?.isQuiet).toBe(true);
  tries.forget(other);
  expect(tries.lacking(other, 60_000)?.isQuiet).toBe(true);
});
