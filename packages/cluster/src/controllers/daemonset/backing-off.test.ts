import { beforeEach, describe, expect, test } from 'vitest';
import type { DaemonSet, DaemonSetCondition } from '../../api/generated/apps-v1.ts';
import { daemonsets, pods } from '../../api/generated/kinds.ts';
import { addNodes, createWorld, daemonset, reconcile, runAll, startMs, type World } from '../../testing/plan-world.ts';
import { whyBackingOff } from './backing-off.ts';
import { daemonsetController } from './controller.ts';
import type { Memory } from './observe.ts';
import { targetNode } from './pod.ts';

let world: World;
let memories: Map<string, Memory>;
const key = 'default/ds';

beforeEach(() => {
  world = createWorld();
  memories = new Map();
});

const sync = (): readonly string[] => reconcile(world, { controller: daemonsetController, key, memories });
const set = (): DaemonSet => world.of(daemonsets).get(key) as DaemonSet;
const conditions = (): readonly DaemonSetCondition[] | undefined => set().status?.conditions;

/** Pods fail as soon as they are made, for so long. */
function failFor(seconds: number): void {
  const endMs = world.nowMs + seconds * 1_000;
  for (; world.nowMs < endMs; world.nowMs += 1_000) {
    sync();
    for (const pod of world.list(pods))
      if (pod.status.phase === 'Pending') world.put(pods, { ...pod, status: { phase: 'Failed' } });
  }
}

describe('a pod that fails again and again', () => {
  test('is told of once it waits for longer, and as long as it does', () => {
    addNodes(world, 1);
    world.put(daemonsets, daemonset('ds'));
    failFor(12);
    expect(conditions()).toBeUndefined();
    failFor(10);
    const [told] = conditions() ?? [];
    const [pod] = world.list(pods);
    expect(told).toMatchObject({ type: 'FailedPodsBackOff', status: 'True', reason: 'BackOff' });
    expect(told?.message).toMatch(
      new RegExp(`^1 node waits with a failed pod: node-1 \\(pod ${pod?.metadata.name} is replaced at 20.*Z\\)$`),
    );
    // Nothing more is written while it waits.
    expect(sync()).toEqual([]);
    world.nowMs += 20_000;
    for (let round = 0; round < 5; round++) {
      sync();
      runAll(world, (each) => targetNode(each) ?? '');
    }
    expect(conditions()).toBeUndefined();
  });

  test('holds up a rollout, and is named there', () => {
    addNodes(world, 2);
    world.put(daemonsets, daemonset('ds'));
    sync();
    runAll(world, (each) => targetNode(each) ?? '');
    const { template } = set().spec;
    const spec = { ...template.spec, containers: [{ name: 'app', image: 'app:2' }] };
    world.put(daemonsets, { ...set(), spec: { ...set().spec, template: { ...template, spec } } });
    failFor(30);
    const blocked = conditions()?.find(({ type }) => type === 'RolloutBlocked');
    expect(blocked).toMatchObject({ reason: 'PodFailing', message: expect.stringContaining('has failed') as unknown });
  });
});

test('of many the next three are named', () => {
  const all = ['d', 'c', 'b', 'a'].map((node, index) => ({
    ...{ node, pod: `ds-${node}`, delayMs: 16_000 },
    untilMs: startMs + index * 1_000,
  }));
  expect(whyBackingOff(all)?.message).toMatch(/^4 nodes wait with a failed pod: d .*, c .*, b .* and 1 more$/);
  const together = all.map((each) => ({ ...each, untilMs: startMs }));
  expect(whyBackingOff(together)?.message).toMatch(/^4 nodes wait with a failed pod: a .*, b .*, c .* and 1 more$/);
  expect(whyBackingOff([{ node: 'a', pod: 'p', delayMs: 8_000, untilMs: 1 }])).toBeUndefined();
});
