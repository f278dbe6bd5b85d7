/**
 * In clusters that are too large for all nodes to be looked at: who remembers how nodes stand to pods that are alike decides as who
 * looks at them anew each time, with the same draws, whatever happens in between.
 */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { poddisruptionbudgets } from '../../api/generated/kinds.ts';
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import { type Random, seededRandom } from '../../base/random.ts';
import { createObjectCache } from '../../client/object-cache.ts';
import { budgetsOf } from '../../scheduler/budgets.ts';
import { defaultPlugins } from '../../scheduler/default-plugins.ts';
import { createMemory, type Memory } from '../../scheduler/memory.ts';
import { unplacedMessage } from '../../scheduler/message.ts';
import { type PodView, podView } from '../../scheduler/pod-view.ts';
import { type Preemption, preempt } from '../../scheduler/preempt.ts';
import { schedule } from '../../scheduler/schedule.ts';
import { createSnapshot, type LiveSnapshot } from '../../scheduler/snapshot.ts';
import { makeMeta, makeNode, makePod, type PodParts } from '../makers.ts';

const nodeCount = 130;
const nodeNames = Array.from({ length: nodeCount }, (_, index) => `n${index}`);
const kinds: readonly PodParts[] = [
  { cpu: '1', labels: { app: 'x' } },
  { cpu: '2', memory: '1Gi' },
  { cpu: '3', priority: 5 },
  { cpu: '4', priority: 9, labels: { app: 'x' } },
  { cpu: '1', spec: { nodeSelector: { disk: 'ssd' } } },
  { cpu: '1', priority: 5, spec: { affinity: apart() } },
  { cpu: '9' },
];

function apart(): NonNullable<NonNullable<PodParts['spec']>['affinity']> {
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } };
  return { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
}

type Step =
  | { readonly does: 'ask'; readonly kind: number; readonly startAt: number }
  | { readonly does: 'remove' | 'tell' | 'start' | 'stop'; readonly pod: number }
  | { readonly does: 'change' | 'leave'; readonly node: number }
  | { readonly does: 'spare'; readonly allowed: number };

const nth = fc.nat(nodeCount - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ does: fc.constant('ask' as const), kind: fc.nat(kinds.length - 1), startAt: nth }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('remove' as const), pod: fc.nat(200) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom('tell' as const, 'start' as const, 'stop' as const),
      pod: fc.nat(200),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('change' as const), node: nth }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('leave' as const), node: nth }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('spare' as const), allowed: fc.nat(2) }) },
);

interface World {
  readonly snapshot: LiveSnapshot;
  readonly memory: Memory;
  readonly there: PodView[];
  budgets: { readonly version: number; readonly allowed: number };
}

function crowded(): World {
  const snapshot = createSnapshot();
  for (const [index, name] of nodeNames.entries())
    snapshot.setNode(makeNode(name, { labels: index % 3 === 0 ? { disk: 'ssd' } : {} }));
  const there: PodView[] = [];
  for (const [index, node] of nodeNames.entries())
    for (let each = 0; each < 1 + ((index * 7) % 4); each++) {
      const labels = index % 2 === 0 ? { app: 'x' } : {};
      const createdAt = `2026-01-01T00:00:${String((index * 11) % 60).padStart(2, '0')}Z`;
      const pod = makePod(`${node}-${each}`, { node, cpu: '1', priority: (index + each) % 3, labels, createdAt });
      snapshot.setPod(pod);
      there.push(podView(pod));
    }
  return { snapshot, memory: createMemory(), there, budgets: { version: 1, allowed: 1 } };
}

/** Counts how often chance was asked. */
function counting(seed: string): Random & { readonly draws: number[] } {
  const inner = seededRandom(seed);
  const draws: number[] = [];
  return {
    ...inner,
    draws,
    below(below) {
      draws.push(below);
      return inner.below(below);
    },
  };
}

interface Decision {
  readonly node: string | undefined;
  readonly examined: number;
  readonly message: string;
  readonly wakes: readonly string[];
  readonly preemption: Preemption | undefined;
  readonly draws: readonly number[];
}

function decide(pod: PodView, world: World, given: { readonly memory?: Memory; readonly startAt: number }): Decision {
  const { snapshot, budgets } = world;
  const random = counting(pod.uid);
  const percentageOfNodesToScore = 10;
  const placement = schedule(pod, snapshot, { plugins: defaultPlugins, random, percentageOfNodesToScore, ...given });
  const { node, examined } = placement;
  if (placement.node !== undefined)
    return { node, examined, message: '', wakes: [], preemption: undefined, draws: random.draws };
  const cache = createObjectCache(poddisruptionbudgets);
  cache.put(budgetFor(budgets.allowed));
  const preemption =
    placement.cycle &&
    preempt(placement.cycle, placement, {
      random,
      budgets: budgetsOf(cache, budgets.version),
      memory: placement.alike,
      limits: { minCandidateNodesPercentage: 5, minCandidateNodesAbsolute: 3 },
    });
  const message = unplacedMessage(placement, { nodeCount: snapshot.nodes.length, preemption });
  const wakes = [...placement.wakes.on.keys()].sort();
  return { node, examined, message, wakes, preemption, draws: random.draws };
}

function budgetFor(disruptionsAllowed: number): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: makeMeta({ name: 'x', namespace: 'default' }),
    spec: { selector: { matchLabels: { app: 'x' } } },
    status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  };
}

function versionOf(pod: Pod, { how, count }: { readonly how: 'tell' | 'start' | 'stop'; readonly count: number }): Pod {
  const moment = `2026-01-01T00:10:${String(count % 60).padStart(2, '0')}Z`;
  if (how === 'stop') return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: moment } };
  if (how === 'start') return { ...pod, status: { ...pod.status, startTime: moment } };
  return { ...pod, status: { ...pod.status, conditions: [{ type: 'Told', status: moment }] } };
}

function play(world: World, event: Step, count: number): 'bound' | 'preempts' | 'waits' | undefined {
  const { snapshot, there } = world;
  switch (event.does) {
    case 'ask': {
      const pod = podView(makePod(`p${count}`, kinds[event.kind]));
      const anew = decide(pod, world, { startAt: event.startAt });
      expect(decide(pod, world, { startAt: event.startAt, memory: world.memory })).toEqual(anew);
      if (anew.node !== undefined) {
        snapshot.assume(pod, anew.node);
        there.push(pod);
        return 'bound';
      }
      if (anew.preemption?.outcome !== 'makesRoom') return 'waits';
      snapshot.nominate(pod, anew.preemption.node);
      for (const { uid } of anew.preemption.victims) snapshot.removePod(uid);
      return 'preempts';
    }
    case 'remove': {
      const [gone] = there.splice(event.pod % Math.max(1, there.length), 1);
      if (gone !== undefined) snapshot.removePod(gone.uid);
      return undefined;
    }
    case 'tell':
    case 'start':
    case 'stop': {
      const at = event.pod % Math.max(1, there.length);
      const { pod } = there[at] ?? {};
      // Those that are only assumed have no version that says where they are.
      if (pod === undefined || pod.spec.nodeName === undefined) return undefined;
      const next = versionOf(pod, { how: event.does, count });
      snapshot.setPod(next);
      there[at] = podView(next);
      return undefined;
    }
    case 'change':
      snapshot.setNode(
        makeNode(`n${event.node}`, { cpu: event.node % 2 === 0 ? '6' : '1', unschedulable: event.node % 5 === 0 }),
      );
      return undefined;
    case 'leave':
      snapshot.removeNode(`n${event.node}`);
      return undefined;
    case 'spare':
      world.budgets = { version: world.budgets.version + 1, allowed: event.allowed };
      return undefined;
    default:
      return event satisfies never;
  }
}

test('what is remembered of a large cluster changes no decision, no words and no draw', () => {
  const outcomes = { bound: 0, preempts: 0, waits: 0 };
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), (happening) => {
      const world = crowded();
      for (const [count, event] of happening.entries()) {
        const outcome = play(world, event, count);
        if (outcome !== undefined) outcomes[outcome]++;
      }
    }),
    { numRuns: 12 * inject('thoroughness') },
  );
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(0);
});
