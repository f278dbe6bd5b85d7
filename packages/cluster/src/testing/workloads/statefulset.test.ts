/** What holds for a StatefulSet in any world, at any moment, whoever dies. */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { controllerrevisions, persistentvolumeclaims, pods, statefulsets } from '../../api/generated/kinds.ts';
import { statefulsetController } from '../../controllers/statefulset/controller.ts';
import type { Action } from '../../runtime/plan.ts';
import { createWorld, meta, podSpec, unready, type World } from '../plan-world.ts';
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

type Step =
  | { readonly image: string }
  | { readonly replicas: number }
  | { readonly start: number }
  | { readonly fail: number }
  | { readonly unready: number }
  | { readonly passMs: number }
  | { readonly moves: number; readonly pick: number };

interface Story {
  readonly policy: string;
  readonly partition: number;
  readonly maxUnavailable: number | string;
  readonly minReadySeconds: number;
  readonly steps: readonly Step[];
}

const replicas = 4;
const data = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: meta('data'),
  spec: { accessModes: ['ReadWriteOnce'] },
  status: {},
} as const satisfies PersistentVolumeClaim;

function play(story: Story, { fate = fateOf(), look: seen }: Play = {}): Played {
  const world = createWorld();
  world.graceful = true;
  const { policy: podManagementPolicy, partition, maxUnavailable, minReadySeconds, steps } = story;
  world.put(statefulsets, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: meta('web'),
    spec: {
      serviceName: 'web',
      replicas,
      podManagementPolicy,
      minReadySeconds,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: podSpec },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition, maxUnavailable } },
      volumeClaimTemplates: [data],
    },
    status: { replicas: 0 },
  });
  const wrote = (action: Action): void => seen?.(world, action);
  const look = living(world, { controller: statefulsetController, keys: () => [key], fate, wrote });
  settle(world, { looks: [look], placeOf });
  for (const step of steps) {
    happen(world, step);
    look();
  }
  settle(world, { looks: [look], placeOf });
  return { world, fate };
}

function current(world: World): StatefulSet {
  const found = world.of(statefulsets).get(key);
  if (found === undefined) throw new Error('no set');
  return found;
}

function edit(world: World, spec: Partial<StatefulSet['spec']>): void {
  world.put(statefulsets, edited(current(world), spec));
}

function happen(world: World, step: Step): void {
  if ('passMs' in step) world.nowMs += step.passMs;
  if ('replicas' in step) edit(world, { replicas: step.replicas });
  if ('start' in step) edit(world, { ordinals: { start: step.start } });
  if ('image' in step) {
    const { template } = current(world).spec;
    edit(world, { template: { ...template, spec: { containers: [{ name: 'app', image: step.image }] } } });
  }
  if ('moves' in step) for (let move = 0; move < step.moves; move++) moveOn(world, { pick: step.pick, placeOf });
  if ('fail' in step) change(world, step.fail, (pod) => ({ ...pod, status: { phase: 'Failed' } }));
  if ('unready' in step) change(world, step.unready, unready);
}

function change(world: World, number: number, to: (pod: Pod) => Pod): void {
  const running = world.list(pods).filter((pod) => pod.status.phase === 'Running' && !isStopping(pod));
  const pod = running.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[
    number % Math.max(1, running.length)
  ];
  if (pod !== undefined) world.put(pods, to(pod));
}

const images: fc.Arbitrary<Step> = fc.record({ image: fc.constantFrom('app:1', 'app:2', 'app:3') });
const moves: fc.Arbitrary<Step> = fc.record({ moves: fc.integer({ min: 1, max: 4 }), pick: fc.nat(9) });
const passing: fc.Arbitrary<Step> = fc.record({ passMs: fc.constantFrom(1_000, 10_000) });
const sizes: fc.Arbitrary<Step> = fc.oneof(fc.record({ replicas: fc.nat(5) }), fc.record({ start: fc.nat(2) }));
const failures: fc.Arbitrary<Step> = fc.record({ fail: fc.nat(4) });
const story = (...kinds: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Story> =>
  fc.record({
    policy: fc.constantFrom('OrderedReady', 'Parallel'),
    partition: fc.constantFrom(0, 0, 2),
    maxUnavailable: fc.constantFrom(1, 1, 2, '50%'),
    minReadySeconds: fc.constantFrom(0, 5),
    steps: fc.array(fc.oneof(...kinds), { maxLength: 40, size: 'max' }),
  });

const isRemoval = (action: Action): action is Action & { readonly target: Pod } =>
  action.do === 'delete' && action.type === pods;

test('a rollout never has more unavailable than allowed, and stops at the partition', () => {
  fc.assert(
    fc.property(story(images, moves, moves, passing, fc.record({ unready: fc.nat(4) })), (each) => {
      const allowed = each.maxUnavailable === 1 ? 1 : 2;
      play(each, {
        look(world, action) {
          if (!isRemoval(action) || !servesAt(world.nowMs, each.minReadySeconds)(action.target)) return;
          const serving = world.list(pods).filter(servesAt(world.nowMs, each.minReadySeconds));
          expect(serving.length).toBeGreaterThanOrEqual(replicas - allowed);
          expect(Number(action.target.metadata.name.slice('web-'.length))).toBeGreaterThanOrEqual(each.partition);
        },
      });
    }),
    { numRuns: 15 * inject('thoroughness') },
  );
});

test('in order, pods come from the bottom, each once those below it serve, and go from the top, one at a time', () => {
  fc.assert(
    fc.property(story(sizes, moves, moves, failures), (each) => {
      const ordinal = ({ metadata }: Pick<Pod, 'metadata'>): number => Number(metadata.name.slice('web-'.length));
      play(
        { ...each, policy: 'OrderedReady', partition: 0, minReadySeconds: 0 },
        {
          look(world, action) {
            const { replicas: wanted = 1, ordinals: { start = 0 } = {} } = current(world).spec;
            const there = world.list(pods).filter((pod) => !isStopping(pod));
            if (action.do === 'create' && action.type === pods) {
              const made = ordinal(action.object as unknown as Pod);
              const below = there.filter((pod) => ordinal(pod) >= start && ordinal(pod) < made);
              expect(below.filter(servesAt(world.nowMs, 0)).length).toBe(made - start);
            }
            if (!isRemoval(action) || action.target.status.phase === 'Failed') return;
            const gone = ordinal(action.target);
            const isSurplus = (number: number): boolean => number < start || number >= start + wanted;
            expect(isSurplus(gone)).toBe(true);
            expect(there.filter((pod) => isSurplus(ordinal(pod)) && ordinal(pod) > gone)).toEqual([]);
            // Those below may be on their way since the range was another.
            expect(world.list(pods).filter((pod) => isStopping(pod) && ordinal(pod) >= gone).length).toBe(1);
          },
        },
      );
    }),
    { numRuns: 15 * inject('thoroughness') },
  );
});

/** All that a user sees in the end, without times and what chance gives. */
function outcomeOf({ world }: Played): unknown {
  const { conditions: _, ...status } = current(world).status;
  return {
    pods: world
      .list(pods)
      .map((pod) => `${pod.metadata.name} ${imageOf(pod)}`)
      .sort(),
    claims: world
      .list(persistentvolumeclaims)
      .map(({ metadata }) => metadata.name)
      .sort(),
    revisions: world
      .list(controllerrevisions)
      .map(({ metadata, revision }) => `${revision} ${metadata.name}`)
      .sort(),
    status,
  };
}

test('a controller that dies before any of its writes ends where one that lives does', () => {
  fc.assert(
    fc.property(story(images, moves, passing), (each) => {
      endsAlike(each, { play, outcomeOf });
    }),
    { numRuns: 1 * inject('thoroughness') },
  );
}, 120_000);
