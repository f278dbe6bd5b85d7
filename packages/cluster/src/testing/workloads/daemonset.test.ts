/** What holds for a DaemonSet in any world, at any moment, whoever dies. */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Pod, Taint } from '../../api/generated/core-v1.ts';
import { controllerrevisions, daemonsets, nodes, pods } from '../../api/generated/kinds.ts';
import { daemonsetController } from '../../controllers/daemonset/controller.ts';
import { hashOf, targetNode } from '../../controllers/daemonset/pod.ts';
import type { Action } from '../../runtime/plan.ts';
import { addNodes, createWorld, daemonset, node, podSpec, unready, type World } from '../plan-world.ts';
import {
  edited,
  endsAlike,
  fateOf,
  imageOf,
  isStopping,
  living,
  moveOn,
  type Play,
  type Played,
  servesAt,
  settle,
} from './lives.ts';

const key = 'default/ds';
const placeOf = (pod: Pod): string => targetNode(pod) ?? '';

type Step =
  | { readonly image: string }
  | { readonly taint: number; readonly effect: string | undefined }
  | { readonly fail: number }
  | { readonly unready: number }
  | { readonly passMs: number }
  | { readonly moves: number; readonly pick: number };

interface Story {
  readonly strategy: NonNullable<DaemonSet['spec']['updateStrategy']>;
  readonly minReadySeconds: number;
  readonly steps: readonly Step[];
}

function play({ strategy, minReadySeconds, steps }: Story, { fate = fateOf(), look: seen }: Play = {}): Played {
  const world = createWorld();
  world.graceful = true;
  addNodes(world, 5);
  world.put(daemonsets, daemonset('ds', { updateStrategy: strategy, minReadySeconds }));
  const wrote = (action: Action): void => seen?.(world, action);
  const look = living(world, { controller: daemonsetController, keys: () => [key], fate, wrote });
  look();
  for (const step of steps) {
    happen(world, step);
    look();
  }
  settle(world, { looks: [look], placeOf });
  return { world, fate };
}

function happen(world: World, step: Step): void {
  if ('image' in step) setImage(world, step.image);
  if ('passMs' in step) world.nowMs += step.passMs;
  if ('taint' in step) {
    const taints: Taint[] = step.effect === undefined ? [] : [{ key: 'a', effect: step.effect }];
    world.put(nodes, node(`node-${step.taint}`, { taints }));
  }
  if ('moves' in step) for (let move = 0; move < step.moves; move++) moveOn(world, { pick: step.pick, placeOf });
  if ('fail' in step) change(world, step.fail, (pod) => ({ ...pod, status: { phase: 'Failed' } }));
  if ('unready' in step) change(world, step.unready, unready);
}

function change(world: World, number: number, to: (pod: Pod) => Pod): void {
  const running = world
    .list(pods)
    .filter((pod) => pod.status.phase === 'Running' && !isStopping(pod))
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const pod = running[number % Math.max(1, running.length)];
  if (pod !== undefined) world.put(pods, to(pod));
}

function setImage(world: World, image: string): void {
  const before = world.of(daemonsets).get(key);
  if (before === undefined) return;
  const template = { ...before.spec.template, spec: { ...podSpec, containers: [{ name: 'app', image }] } };
  world.put(daemonsets, edited(before, { template }));
}

const strategies = fc.constantFrom<Story['strategy']>(
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '50%' } },
  { type: 'OnDelete' },
);
const images: fc.Arbitrary<Step> = fc.record({ image: fc.constantFrom('app:1', 'app:2', 'app:3') });
const moves: fc.Arbitrary<Step> = fc.record({ moves: fc.integer({ min: 1, max: 4 }), pick: fc.nat(9) });
const passing: fc.Arbitrary<Step> = fc.record({ passMs: fc.constantFrom(1_000, 10_000) });
const mishaps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ taint: fc.integer({ min: 1, max: 5 }), effect: fc.constantFrom(undefined, 'NoSchedule', 'NoExecute') }),
  fc.record({ fail: fc.nat(4) }),
  fc.record({ unready: fc.nat(4) }),
);
const story = (...kinds: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Story> =>
  fc.record({
    strategy: strategies,
    minReadySeconds: fc.constantFrom(0, 5),
    steps: fc.array(fc.oneof(...kinds), { maxLength: 40, size: 'max' }),
  });

test('at most one pod of a revision goes on upon a node', () => {
  fc.assert(
    fc.property(story(images, moves, moves, passing, mishaps), (each) => {
      play(each, {
        look(world) {
          const there = world.list(pods).filter((pod) => !isStopping(pod) && pod.status.phase !== 'Failed');
          const places = there.map((pod) => `${placeOf(pod)} ${hashOf(pod)}`);
          expect(new Set(places).size).toBe(places.length);
        },
      });
    }),
    { numRuns: 15 * inject('thoroughness') },
  );
});

/** A pod that serves is stopped for the sake of a rollout only as far as the budget goes. */
test('never more unavailable than allowed', () => {
  fc.assert(
    fc.property(story(images, moves, moves, passing), (each) => {
      const { maxUnavailable = 1, maxSurge = 0 } = each.strategy.rollingUpdate ?? {};
      const allowed = maxSurge !== 0 ? 0 : maxUnavailable === '50%' ? 3 : Number(maxUnavailable);
      let isUp = false;
      play(each, {
        look(world, action) {
          const serves = servesAt(world.nowMs, each.minReadySeconds);
          const serving = new Set(world.list(pods).filter(serves).map(placeOf)).size;
          if (action.do === 'delete' && action.type === pods) {
            const wasServing = servesAt(world.nowMs, each.minReadySeconds)(action.target as Pod);
            if (wasServing && isUp) expect(serving).toBeGreaterThanOrEqual(5 - allowed);
          }
          isUp ||= serving === 5;
        },
      });
    }),
    { numRuns: 15 * inject('thoroughness') },
  );
});

/** All that a user sees in the end, without names and times that chance gives. */
function outcomeOf({ world }: Played): unknown {
  const { status } = world.of(daemonsets).get(key) ?? {};
  const { conditions: _, ...counts } = status ?? {};
  return {
    pods: world
      .list(pods)
      .map((pod) => `${placeOf(pod)} ${imageOf(pod)} ${hashOf(pod)}`)
      .sort(),
    revisions: world
      .list(controllerrevisions)
      .map(({ metadata, revision }) => `${revision} ${metadata.name}`)
      .sort(),
    counts,
  };
}

/** Mishaps are left out: by them it matters who was first, and a controller that looks once more may be. */
test('a controller that dies before any of its writes ends where one that lives does', () => {
  fc.assert(
    fc.property(story(images, moves, passing), (each) => {
      endsAlike(each, { play, outcomeOf });
    }),
    { numRuns: 1 * inject('thoroughness') },
  );
}, 120_000);
