import { beforeEach, expect, test } from 'vitest';
import type { PodCondition } from '../../api/generated/core-v1.ts';
import { pods } from '../../api/generated/kinds.ts';
import { toTimestamp } from '../../base/clock.ts';
import { createWorld, meta, podSpec, reconcile, terminating, type World } from '../../testing/plan-world.ts';
import { staleDisruptions as controller, plan } from './stale.ts';

let world: World;
const key = 'default/p';
beforeEach(() => {
  world = createWorld();
});

function tell(said: Partial<PodCondition> = {}, phase = 'Running'): void {
  const told = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'to make room' };
  const conditions = [
    { type: 'Ready', status: 'True' },
    { ...told, lastTransitionTime: toTimestamp(world.nowMs), ...said },
  ];
  world.put(pods, { apiVersion: 'v1', kind: 'Pod', metadata: meta('p'), spec: podSpec, status: { phase, conditions } });
}

const sync = (): readonly string[] => reconcile(world, { controller, key });

test('a pod that was to go and stayed for two minutes is told so', () => {
  tell();
  expect(sync()).toEqual([]);
  world.nowMs += 119_000;
  expect(sync()).toEqual([]);
  world.nowMs += 1_000;
  const pod = world.of(pods).get(key);
  const [taken] = pod === undefined ? [] : plan(pod, world.nowMs).actions;
  expect(taken).toMatchObject({ do: 'patch', subresource: 'status' });
  expect(taken).toHaveProperty('body.status.conditions', [
    {
      ...{ type: 'DisruptionTarget', status: 'False', reason: null, message: null },
      ...{ lastTransitionTime: toTimestamp(world.nowMs), observedGeneration: 1 },
    },
  ]);
});

test.each<[string, () => void]>([
  ['by a kubelet, which takes its time', () => tell({ reason: 'TerminationByKubelet' })],
  ['and has ended', () => tell({}, 'Failed')],
  ['no more', () => tell({ status: 'False' })],
])('nothing is taken back of one that was told to go %s', (_, put) => {
  put();
  world.nowMs += 300_000;
  expect(sync()).toEqual([]);
});

test('nor of one that goes', () => {
  tell();
  const pod = world.of(pods).get(key);
  if (pod !== undefined) world.put(pods, terminating(pod));
  world.nowMs += 300_000;
  expect(sync()).toEqual([]);
});

test('all other pods wake nobody', () => {
  const [watch] = controller.watches;
  tell();
  const told = world.of(pods).get(key);
  if (told === undefined) throw new Error('no pod');
  const plain = { ...told, status: { ...told.status, conditions: [] } };
  const wakes = (object: typeof told): unknown => watch?.keysOf({ type: 'updated', object, previous: object }, world);
  expect([wakes(told), wakes(plain)]).toEqual([[key], []]);
});
