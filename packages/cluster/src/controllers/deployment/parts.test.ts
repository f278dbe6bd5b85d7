import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { meta, podSpec, startMs } from '../../testing/plan-world.ts';
import { revisionAnnotations } from './annotations.ts';
import { type Budget, budgetOf } from './budget.ts';
import { planCleanup } from './cleanup.ts';
import { byAge, generationsOf } from './generations.ts';
import { deadlineInMs, progressed } from './progress.ts';
import { rollingSizes } from './rolling-update.ts';
import { isScaled, scaledSizes } from './scale.ts';
import { withAvailability } from './status.ts';

function deployment(spec: Partial<Deployment['spec']> = {}, status: DeploymentStatus = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta('web'),
    spec: {
      replicas: 10,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: podSpec },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
      ...spec,
    },
    status,
  };
}

interface Facts {
  readonly available?: number;
  readonly there?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly observed?: number;
}

function replicaset(
  name: string,
  replicas: number,
  { available = replicas, there = replicas, annotations = {}, observed = 1 }: Facts = {},
): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: meta(name, { annotations }),
    spec: { replicas, selector: { matchLabels: { app: 'web' } } },
    status: { replicas: there, availableReplicas: available, observedGeneration: observed },
  };
}

const prefix = 'deployment.kubernetes.io';
const budget: Budget = { replicas: 10, maxSurge: 3, maxUnavailable: 2 };
const byName = (sizes: ReadonlyMap<ReplicaSet, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...sizes].map(([{ metadata }, size]) => [metadata.name, size]));

describe('a Deployment is available', () => {
  test.each([
    [3, 0, 3, 'True'],
    [3, 0, 2, 'False'],
    [3, 1, 2, 'True'],
    [3, 1, 1, 'False'],
    [3, 3, 0, 'True'],
    [0, 0, 0, 'True'],
  ])('of %i with %i to miss while %i serve: %s', (replicas, maxUnavailable, availableReplicas, status) => {
    const found = withAvailability([], {
      counts: { availableReplicas },
      budget: { replicas, maxSurge: 1, maxUnavailable },
      nowMs: startMs,
    });
    const reason = status === 'True' ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable';
    expect(found).toMatchObject([{ type: 'Available', status, reason }]);
  });
});

test('of two ReplicaSets the older comes first, of two as old the one whose name does', () => {
  const made = (name: string, at: string): ReplicaSet => {
    const { metadata, ...rest } = replicaset(name, 1);
    return { ...rest, metadata: { ...metadata, creationTimestamp: at } };
  };
  const [late, early] = ['2024-01-02T00:00:00Z', '2024-01-01T00:00:00Z'];
  for (const sets of [
    [made('b', early), made('a', early), made('c', late)],
    [made('c', late), made('a', early), made('b', early)],
  ])
    expect(sets.sort(byAge).map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
});

describe('the budget', () => {
  test.each([
    [10, 3, 2, [3, 2]],
    [10, '25%', '25%', [3, 2]],
    [3, '0%', '10%', [0, 1]],
    [3, 0, 5, [0, 3]],
    [0, '25%', '25%', [0, 0]],
  ])('of %i replicas with maxSurge %s and maxUnavailable %s', (replicas, maxSurge, maxUnavailable, expected) => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
    const found = budgetOf(deployment({ replicas, strategy }));
    expect([found.maxSurge, found.maxUnavailable]).toEqual(expected);
  });

  test('Recreate has none, and a quarter is the default', () => {
    expect(budgetOf(deployment({ strategy: { type: 'Recreate' } }))).toEqual({
      ...budget,
      maxSurge: 0,
      maxUnavailable: 0,
    });
    expect(budgetOf(deployment({ strategy: {} }))).toEqual({ ...budget, maxSurge: 3, maxUnavailable: 2 });
  });
});

describe('a step of the rollout', () => {
  test.each<[string, ReplicaSet, readonly ReplicaSet[], Readonly<Record<string, number>>]>([
    ['grows first', replicaset('new', 0), [replicaset('old', 10)], { new: 3 }],
    ['then shrinks', replicaset('new', 3, { available: 0 }), [replicaset('old', 10)], { old: 8 }],
    ['waits while what is new does not serve', replicaset('new', 5, { available: 0 }), [replicaset('old', 8)], {}],
    ['goes on as far as it serves', replicaset('new', 5, { available: 2 }), [replicaset('old', 8)], { old: 6 }],
    [
      'takes broken pods of all generations first',
      replicaset('new', 3, { available: 0 }),
      [replicaset('a', 5), replicaset('b', 5, { available: 2 })],
      { b: 3 },
    ],
    ['takes the oldest first', replicaset('new', 5), [replicaset('a', 4), replicaset('b', 4)], { a: 0, b: 3 }],
    [
      'does not trust a status that is behind',
      replicaset('new', 5, { available: 2 }),
      [replicaset('old', 8, { available: 10 })],
      { old: 6 },
    ],
    [
      'trusts sizes more than availability, when only one of two has been told',
      replicaset('new', 5, { available: 2 }),
      [replicaset('a', 7), replicaset('b', 1, { available: 0 })],
      { b: 0, a: 6 },
    ],
    ['shrinks what is too large', replicaset('new', 12), [], { new: 10 }],
    ['ends', replicaset('new', 10), [replicaset('old', 0)], {}],
  ])('%s', (_, current, old, expected) => {
    expect(byName(rollingSizes({ current, old, revision: 2n }, budget))).toEqual(expected);
  });
});

describe('scaling in the middle of a rollout', () => {
  const sized = (max: number): Facts => ({
    annotations: { [`${prefix}/max-replicas`]: String(max), [`${prefix}/desired-replicas`]: String(max) },
  });

  test('gives out exactly what there is, whatever rounding does', () => {
    const counts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 60 }), fc.nat(10), (numbers, replicas, maxSurge) => {
        const total = numbers.reduce((sum, number) => sum + number, 0);
        const all = numbers.map((number, index) =>
          replicaset(`rs-${index}`, number, { ...sized(total), available: 0 }),
        );
        const [current, ...old] = all;
        const generations = { current, old, revision: 9n };
        const sizes = [
          ...scaledSizes(deployment(), { generations, budget: { replicas, maxSurge, maxUnavailable: 0 } }).values(),
        ];
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(replicas + maxSurge);
        expect(Math.min(...sizes)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test.each<[string, number, DeploymentStatus, Facts, Readonly<Record<string, number>>]>([
    ['up, in proportion to what they may have been', 30, {}, sized(13), { old: 20, current: 13 }],
    ['down, likewise', 5, {}, sized(13), { old: 5, current: 3 }],
    ['to nothing', 0, {}, sized(13), { old: 0, current: 0 }],
    [
      'up, by what there is where nobody noted it: the first takes too much',
      30,
      { replicas: 10 },
      {},
      { old: 26, current: 7 },
    ],
    ['up, where there is nothing: the largest takes all', 30, {}, {}, { old: 28, current: 5 }],
  ])('%s', (_, replicas, status, facts, expected) => {
    const old = replicaset('old', 8, { available: 8, ...facts });
    const current = replicaset('current', 5, { available: 0, ...facts });
    const scaled = { ...budget, replicas };
    const generations = { current, old: [old], revision: 2n };
    expect(byName(scaledSizes(deployment({ replicas }, status), { generations, budget: scaled }))).toEqual(expected);
  });

  test('a generation that serves all takes all', () => {
    const annotations = { [`${prefix}/desired-replicas`]: '10' };
    const generations = { current: replicaset('new', 10, { annotations }), old: [replicaset('old', 2)], revision: 2n };
    expect(byName(scaledSizes(deployment(), { generations, budget }))).toEqual({ old: 0 });
  });

  test('is noticed by the size that ReplicaSets remember', () => {
    const annotations = { [`${prefix}/desired-replicas`]: '9' };
    expect(isScaled({ current: replicaset('a', 9, { annotations }), old: [], revision: 1n }, budget)).toBe(true);
    expect(isScaled({ current: replicaset('a', 0, { annotations }), old: [], revision: 1n }, budget)).toBe(false);
    expect(isScaled({ current: replicaset('a', 10), old: [], revision: 1n }, budget)).toBe(false);
  });
});

describe('progress', () => {
  const since = toTimestamp(startMs);
  const condition = {
    type: 'Progressing',
    status: 'True',
    reason: 'NewReplicaSetCreated',
    message: '',
    lastUpdateTime: since,
    lastTransitionTime: since,
  };
  const nowMs = startMs + 60_000;
  const before = { replicas: 10, updatedReplicas: 3, readyReplicas: 8, availableReplicas: 8 };

  test.each<[string, DeploymentStatus, string, string]>([
    ['more updated', { updatedReplicas: 4, replicas: 11 }, 'ReplicaSetUpdated', toTimestamp(nowMs)],
    ['fewer old', { replicas: 9 }, 'ReplicaSetUpdated', toTimestamp(nowMs)],
    ['more ready', { readyReplicas: 9 }, 'ReplicaSetUpdated', toTimestamp(nowMs)],
    ['more available', { availableReplicas: 9 }, 'ReplicaSetUpdated', toTimestamp(nowMs)],
    ['nothing new', {}, 'NewReplicaSetCreated', since],
    ['a step back', { readyReplicas: 7 }, 'NewReplicaSetCreated', since],
    [
      'all there',
      { updatedReplicas: 10, availableReplicas: 10, observedGeneration: 1 },
      'NewReplicaSetAvailable',
      toTimestamp(nowMs),
    ],
    [
      'all there by an older spec',
      { updatedReplicas: 10, observedGeneration: 0 },
      'ReplicaSetUpdated',
      toTimestamp(nowMs),
    ],
  ])('%s', (_, news, reason, updated) => {
    const counts = { ...before, ...news };
    const facts = { counts, current: replicaset('new', 3), created: undefined, refusal: undefined, nowMs };
    const [found] = progressed(deployment({}, before), [condition], facts);
    expect([found?.reason, found?.lastUpdateTime, found?.lastTransitionTime]).toEqual([reason, updated, since]);
  });

  test('the deadline runs from the last news and stands still while paused', () => {
    expect(deadlineInMs(deployment(), [condition], nowMs)).toBe(541_000);
    expect(deadlineInMs(deployment({ paused: true }), [condition], nowMs)).toBeUndefined();
    expect(deadlineInMs(deployment(), [{ ...condition, reason: 'NewReplicaSetAvailable' }], nowMs)).toBeUndefined();
    expect(deadlineInMs(deployment(), [], nowMs)).toBeUndefined();
  });
});

describe('cleanup', () => {
  const numbered = (revision: string): Facts => ({ annotations: { [`${prefix}/revision`]: revision } });

  test.each<[string, readonly ReplicaSet[], readonly string[]]>([
    [
      'the lowest numbers go',
      [replicaset('b', 0, numbered('2')), replicaset('a', 0, numbered('1')), replicaset('c', 0, numbered('10'))],
      ['a', 'b'],
    ],
    [
      'what still has pods stays',
      [
        replicaset('a', 0, { ...numbered('1'), there: 1 }),
        replicaset('b', 0, numbered('2')),
        replicaset('c', 0, numbered('3')),
      ],
      ['b'],
    ],
    ['what should have pods stays', [replicaset('a', 2, numbered('1')), replicaset('b', 0, numbered('2'))], []],
    [
      'what its controller has not seen stays',
      [replicaset('a', 0, { ...numbered('1'), observed: 0 }), replicaset('b', 0, numbered('2'))],
      [],
    ],
    ['within the limit all stay', [replicaset('a', 0, numbered('1'))], []],
  ])('%s', (_, old, names) => {
    const removed = planCleanup(deployment({ revisionHistoryLimit: 1 }), old);
    expect(removed.map(({ target }) => target.metadata.name)).toEqual(names);
  });
});

test('a ReplicaSet that is current again remembers where it has been', () => {
  const facts = (annotations: Readonly<Record<string, string>>): ReplicaSet => replicaset('a', 1, { annotations });
  const number = `${prefix}/revision`;
  const history = `${prefix}/revision-history`;
  expect(revisionAnnotations(facts({}), 1n)).toEqual({ [number]: '1' });
  expect(revisionAnnotations(facts({ [number]: '2' }), 2n)).toEqual({});
  expect(revisionAnnotations(facts({ [number]: '1' }), 3n)).toEqual({ [number]: '3', [history]: '1' });
  expect(revisionAnnotations(facts({ [number]: '3', [history]: '1' }), 5n)).toEqual({
    [number]: '5',
    [history]: '1,3',
  });
  expect(revisionAnnotations(facts({ [number]: '3546343826724305832' }), 3546343826724305833n)).toEqual({
    [number]: '3546343826724305833',
    [history]: '3546343826724305832',
  });
});

test('a revision counts on beyond what a number can hold', () => {
  const old = replicaset('old', 1, { annotations: { [`${prefix}/revision`]: '3546343826724305832' } });
  expect(generationsOf(deployment(), [old]).revision).toBe(3546343826724305833n);
});
