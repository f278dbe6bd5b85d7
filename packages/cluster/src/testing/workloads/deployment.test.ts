/** What holds for a Deployment and its ReplicaSets in any world, at any moment, whoever dies. */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Deployment } from '../../api/generated/apps-v1.ts';
import { deployments, pods, replicasets } from '../../api/generated/kinds.ts';
import { keyOf } from '../../api/meta.ts';
import { deploymentController } from '../../controllers/deployment/controller.ts';
import { replicasetController } from '../../controllers/replicaset/controller.ts';
import type { Action } from '../../runtime/plan.ts';
import { createWorld, meta, podSpec, type World } from '../plan-world.ts';
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

const key = 'default/web';
const placeOf = (): string => 'node-1';
const replicas = 5;

type Step =
  | { readonly image: string }
  | { readonly paused: boolean }
  | { readonly replicas: number }
  | { readonly passMs: number }
  | { readonly moves: number; readonly pick: number };

interface Story {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  readonly recreate: boolean;
  readonly minReadySeconds: number;
  readonly steps: readonly Step[];
}

function play(story: Story, { fate = fateOf(), look: seen }: Play = {}): Played {
  const world = createWorld();
  world.graceful = true;
  const { maxSurge, maxUnavailable, recreate, minReadySeconds, steps } = story;
  world.put(deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta('web'),
    spec: {
      replicas,
      minReadySeconds,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: podSpec },
      strategy: recreate
        ? { type: 'Recreate' }
        : { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
    },
    status: {},
  });
  const wrote = (action: Action): void => seen?.(world, action);
  const ofSets = (): readonly string[] => world.list(replicasets).map(keyOf);
  const looks = [
    living(world, { controller: deploymentController, keys: () => [key], fate, wrote }),
    living(world, { controller: replicasetController, keys: ofSets, fate, wrote }),
  ];
  settle(world, { looks, placeOf });
  for (const step of steps) {
    happen(world, step);
    for (const look of looks) look();
  }
  edit(world, { paused: false });
  settle(world, { looks, placeOf });
  return { world, fate };
}

function current(world: World): Deployment {
  const found = world.of(deployments).get(key);
  if (found === undefined) throw new Error('no deployment');
  return found;
}

function edit(world: World, spec: Partial<Deployment['spec']>): void {
  world.put(deployments, edited(current(world), spec));
}

function happen(world: World, step: Step): void {
  if ('passMs' in step) world.nowMs += step.passMs;
  if ('replicas' in step) edit(world, { replicas: step.replicas });
  if ('paused' in step) edit(world, { paused: step.paused });
  if ('image' in step) {
    const { template } = current(world).spec;
    edit(world, { template: { ...template, spec: { containers: [{ name: 'app', image: step.image }] } } });
  }
  if ('moves' in step) for (let move = 0; move < step.moves; move++) moveOn(world, { pick: step.pick, placeOf });
}

const images: fc.Arbitrary<Step> = fc.record({ image: fc.constantFrom('app:1', 'app:2', 'app:3') });
const moves: fc.Arbitrary<Step> = fc.record({ moves: fc.integer({ min: 1, max: 5 }), pick: fc.nat(9) });
const passing: fc.Arbitrary<Step> = fc.record({ passMs: fc.constantFrom(1_000, 10_000) });
const pauses: fc.Arbitrary<Step> = fc.record({ paused: fc.boolean() });
const sizes: fc.Arbitrary<Step> = fc.record({ replicas: fc.nat(8) });
const story = (...kinds: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Story> =>
  fc
    .record({
      maxSurge: fc.nat(3),
      maxUnavailable: fc.nat(3),
      recreate: fc.constantFrom(false, false, false, true),
      minReadySeconds: fc.constantFrom(0, 5),
      steps: fc.array(fc.oneof(...kinds), { maxLength: 40, size: 'max' }),
    })
    .filter(({ maxSurge, maxUnavailable }) => maxSurge + maxUnavailable > 0);

test('never more unavailable than allowed, never more pods than surge allows', () => {
  fc.assert(
    fc.property(story(images, moves, moves, passing, pauses), (each) => {
      const { maxSurge, maxUnavailable, minReadySeconds } = each;
      let isUp = false;
      play(
        { ...each, recreate: false },
        {
          look(world) {
            const there = world.list(pods).filter((pod) => !isStopping(pod));
            expect(there.length).toBeLessThanOrEqual(replicas + maxSurge);
            const serving = there.filter(servesAt(world.nowMs, minReadySeconds)).length;
            if (isUp) expect(serving).toBeGreaterThanOrEqual(replicas - maxUnavailable);
            isUp ||= serving === replicas;
          },
        },
      );
    }),
    { numRuns: 15 * inject('thoroughness') },
  );
});

test('with Recreate no two templates run at a time', () => {
  fc.assert(
    fc.property(story(images, moves, moves, sizes), (each) => {
      play(
        { ...each, recreate: true },
        { look: (world) => expect(new Set(world.list(pods).map(imageOf)).size).toBeLessThanOrEqual(1) },
      );
    }),
    { numRuns: 15 * inject('thoroughness') },
  );
});

/** All that a user sees in the end, without times and what chance gives. */
function outcomeOf({ world }: Played): unknown {
  const { conditions = [], ...counts } = current(world).status;
  return {
    pods: world.list(pods).map(imageOf).sort(),
    sets: world
      .list(replicasets)
      .map(({ metadata, spec }) => {
        const { 'deployment.kubernetes.io/revision': revision } = metadata.annotations ?? {};
        return `${metadata.name} ${spec.replicas} ${revision}`;
      })
      .sort(),
    revision: current(world).metadata.annotations?.['deployment.kubernetes.io/revision'],
    conditions: conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort(),
    counts,
  };
}

test('controllers that die before any of their writes end where those that live do', () => {
  fc.assert(
    fc.property(story(images, moves, passing, sizes), (each) => {
      endsAlike(each, { play, outcomeOf });
    }),
    { numRuns: 1 * inject('thoroughness') },
  );
}, 120_000);
