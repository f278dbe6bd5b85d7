import { expect, test } from 'vitest';
import type { Node, Pod } from '../api/generated/core-v1.ts';
import { poddisruptionbudgets } from '../api/generated/kinds.ts';
import type { PodDisruptionBudget } from '../api/generated/policy-v1.ts';
import { seededRandom } from '../base/random.ts';
import { createObjectCache } from '../client/object-cache.ts';
import { makeMeta, makeNode, makePod, type PodParts } from '../testing/makers.ts';
import { budgetsOf } from './budgets.ts';
import { defaultPlugins } from './default-plugins.ts';
import { preemptionMessage } from './message.ts';
import { podView } from './pod-view.ts';
import { type CandidateLimits, defaultLimits, preempt } from './preempt.ts';
import { schedule } from './schedule.ts';
import { createSnapshot } from './snapshot.ts';

interface Given {
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly limits?: CandidateLimits;
}

/** Who would have to go, and where: `a: low-1 low-2`, or why nobody. */
function decide(pod: Pod, nodes: readonly Node[], pods: readonly Pod[], given: Given = {}): string {
  const snapshot = createSnapshot();
  for (const node of nodes) snapshot.setNode(node);
  for (const other of pods) snapshot.setPod(other);
  const { nominatedNodeName } = pod.status;
  if (nominatedNodeName !== undefined) snapshot.nominate(podView(pod), nominatedNodeName);
  const unplaced = schedule(podView(pod), snapshot, { plugins: defaultPlugins, random: seededRandom(''), startAt: 0 });
  if (unplaced.node !== undefined) return `fits on ${unplaced.node}`;
  if (unplaced.cycle === undefined) return `rejected for all: ${unplaced.rejectedForAll}`;
  const cache = createObjectCache(poddisruptionbudgets);
  for (const budget of given.budgets ?? []) cache.put(budget);
  const { limits = defaultLimits } = given;
  const decision = preempt(unplaced.cycle, unplaced, {
    random: seededRandom(''),
    budgets: budgetsOf(cache, 1),
    limits,
  });
  if (decision.outcome !== 'makesRoom') return preemptionMessage(decision);
  return `${decision.node}: ${decision.victims.map((victim) => victim.pod.metadata.name).join(' ')}`;
}

const started = (startTime: string): Pod['status'] => ({ phase: 'Running', startTime });

const vip = makePod('vip', { cpu: '3', priority: 100 });

test.each<[string, Pod, readonly Node[], readonly Pod[], string]>([
  ['a pod of lower priority makes room', vip, [makeNode('a')], [makePod('low', { node: 'a', cpu: '2' })], 'a: low'],
  [
    'a pod of equal priority stays',
    vip,
    [makeNode('a')],
    [makePod('same', { node: 'a', cpu: '2', priority: 100 })],
    '0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  ],
  [
    'no more go than need to, and the less important first',
    vip,
    [makeNode('a')],
    [makePod('low', { node: 'a', cpu: '2', priority: 1 }), makePod('mid', { node: 'a', cpu: '1', priority: 5 })],
    'a: low',
  ],
  [
    'of equal ones who has not started goes first, however long ago it was made',
    makePod('vip', { cpu: '2', priority: 100 }),
    [makeNode('a')],
    [
      makePod('old', { node: 'a', cpu: '2', status: started('2026-01-02T00:00:00Z') }),
      makePod('new', { node: 'a', cpu: '2', createdAt: '2025-01-01T00:00:00Z' }),
    ],
    'a: new',
  ],
  [
    'of equal heads, the node where the others matter less, though it has started earlier',
    makePod('vip', { cpu: '4', priority: 100 }),
    [makeNode('a'), makeNode('b')],
    [
      makePod('a1', { node: 'a', cpu: '2', priority: 5, status: started('2026-01-03T00:00:00Z') }),
      makePod('a2', { node: 'a', cpu: '2', priority: 4, status: started('2026-01-03T00:00:00Z') }),
      makePod('b1', { node: 'b', cpu: '2', priority: 5, status: started('2026-01-02T00:00:00Z') }),
      makePod('b2', { node: 'b', cpu: '2', priority: 3, status: started('2026-01-02T00:00:00Z') }),
    ],
    'b: b1 b2',
  ],
  [
    'the node where those who go have started last',
    vip,
    [makeNode('a'), makeNode('b'), makeNode('c')],
    [
      makePod('older', { node: 'a', cpu: '2', status: started('2026-01-02T00:00:00Z') }),
      makePod('newer', { node: 'b', cpu: '2', status: started('2026-01-03T00:00:00Z') }),
      makePod('oldest', { node: 'c', cpu: '2', status: started('2026-01-01T00:00:00Z') }),
    ],
    'b: newer',
  ],
  [
    'rather a node whose pod has not started than one where it has',
    vip,
    [makeNode('a'), makeNode('b')],
    [
      makePod('running', { node: 'a', cpu: '2', status: started('2026-01-03T00:00:00Z') }),
      makePod('made', { node: 'b', cpu: '2', createdAt: '2025-01-01T00:00:00Z' }),
    ],
    'b: made',
  ],
  [
    'the node whose most important victim matters least',
    vip,
    [makeNode('a'), makeNode('b')],
    [makePod('mid', { node: 'a', cpu: '2', priority: 5 }), makePod('low', { node: 'b', cpu: '2', priority: 1 })],
    'b: low',
  ],
  [
    'of equal victims, the node with fewer',
    vip,
    [makeNode('a'), makeNode('b')],
    [
      makePod('a1', { node: 'a', cpu: '2' }),
      makePod('a2', { node: 'a', cpu: '2' }),
      makePod('b1', { node: 'b', cpu: '4' }),
    ],
    'b: b1',
  ],
  [
    'a node that is too small even when empty does not help',
    makePod('huge', { cpu: '8', priority: 100 }),
    [makeNode('a')],
    [makePod('low', { node: 'a', cpu: '2' })],
    '0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  ],
  [
    'of a node that takes no pods at all upstream says the same as of one that is full',
    vip,
    [makeNode('a', { pods: '0' })],
    [],
    '0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  ],
  [
    'a taint is not mended by preemption',
    vip,
    [makeNode('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] })],
    [makePod('low', { node: 'a', cpu: '2' })],
    '0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  ],
  [
    'a pod that may not preempt',
    makePod('polite', { cpu: '3', priority: 100, spec: { preemptionPolicy: 'Never' } }),
    [makeNode('a')],
    [makePod('low', { node: 'a', cpu: '2' })],
    'not eligible due to preemptionPolicy=Never.',
  ],
  [
    'a pod whose victims are going already waits for them',
    makePod('vip', { cpu: '3', priority: 100, status: { phase: 'Pending', nominatedNodeName: 'a' } }),
    [makeNode('a')],
    [
      makePod('low', {
        node: 'a',
        cpu: '2',
        metadata: { deletionTimestamp: '2026-01-01T00:00:30Z' },
        status: {
          phase: 'Running',
          conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }],
        },
      }),
    ],
    'not eligible due to a terminating pod on the nominated node.',
  ],
  [
    'a host port is freed',
    makePod('web', { hostPort: 80, priority: 1 }),
    [makeNode('a')],
    [makePod('old', { node: 'a', hostPort: 80 })],
    'a: old',
  ],
])('%s', (_, pod, nodes, pods, expected) => {
  expect(decide(pod, nodes, pods)).toBe(expected);
});

const budget = (name: string, disruptionsAllowed: number, disrupted: readonly string[] = []): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: makeMeta({ name, namespace: 'default' }),
  spec: { selector: { matchLabels: { app: name } } },
  status: {
    disruptionsAllowed,
    currentHealthy: 1,
    desiredHealthy: 1,
    expectedPods: 1,
    disruptedPods: Object.fromEntries(disrupted.map((pod) => [pod, '2026-01-01T00:00:00Z'])),
  },
});
const of = (app: string, node: string, parts: PodParts = {}): PodParts => ({
  labels: { app },
  node,
  cpu: '2',
  ...parts,
});

test('budgets are spared where they can be, before priorities are compared', () => {
  const nodes = [makeNode('a'), makeNode('b')];
  const pods = [makePod('kept', of('web', 'a')), makePod('dear', of('db', 'b', { priority: 50 }))];
  expect(decide(vip, nodes, pods)).toBe('a: kept');
  expect(decide(vip, nodes, pods, { budgets: [budget('web', 0)] })).toBe('b: dear');
  expect(decide(vip, nodes, pods, { budgets: [budget('web', 1)] })).toBe('a: kept');
  expect(decide(vip, nodes, pods, { budgets: [budget('web', 0), budget('db', 0)] })).toBe('a: kept');
  expect(decide(vip, nodes, pods, { budgets: [budget('web', 0, ['kept'])] })).toBe('a: kept');
});

test('a budget about everybody is about nobody here, and none is about a pod without labels', () => {
  const nodes = [makeNode('a'), makeNode('b')];
  const pods = [
    makePod('low', of('web', 'a')),
    makePod('dear', { ...of('db', 'b', { priority: 50 }), namespace: 'x' }),
  ];
  const everybody = { ...budget('web', 0), spec: { selector: {} } };
  expect(decide(vip, nodes, pods, { budgets: [everybody] })).toBe('a: low');
  const lacking = { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] };
  const bare = makePod('bare', { node: 'a', cpu: '2' });
  const others = pods.slice(1);
  expect(decide(vip, nodes, [bare, ...others], { budgets: [{ ...everybody, spec: { selector: lacking } }] })).toBe(
    'a: bare',
  );
});

test('on one node those whom a budget keeps are put back first', () => {
  const pods = [makePod('kept', of('web', 'a', { priority: 1 })), makePod('free', of('db', 'a', { priority: 2 }))];
  const small = makePod('small', { cpu: '2', priority: 100 });
  expect(decide(small, [makeNode('a')], pods)).toBe('a: kept');
  expect(decide(small, [makeNode('a')], pods, { budgets: [budget('web', 0)] })).toBe('a: free');
});

test('an allowance is used up by the first who would go', () => {
  const pods = ['1', '2'].map((name) => makePod(name, of('web', 'a')));
  const other = makePod('other', of('db', 'b', { priority: 90, cpu: '4' }));
  const whole = makePod('whole', { cpu: '4', priority: 100 });
  const nodes = [makeNode('a'), makeNode('b')];
  expect(decide(whole, nodes, [...pods, other], { budgets: [budget('web', 2)] })).toBe('a: 1 2');
  expect(decide(whole, nodes, [...pods, other], { budgets: [budget('web', 1)] })).toBe('b: other');
});

test('of a large cluster a share is tried, but on until one hurts no budget', () => {
  const nodes = Array.from({ length: 20 }, (_, index) => makeNode(`n${index}`));
  const pods = nodes.map(({ metadata: { name } }, index) =>
    makePod(`p-${name}`, of(name === 'n7' ? 'free' : 'web', name, { priority: index })),
  );
  const limits = { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 1 };
  expect(decide(vip, nodes, pods, { limits, budgets: [budget('web', 0)] })).toBe('n7: p-n7');
  // Nobody looks at all of them: the least important one is p-n0.
  expect(decide(vip, nodes, pods, { limits })).not.toBe('n0: p-n0');
  expect(decide(vip, nodes, pods)).toBe('n0: p-n0');
});

test('a host port of a sidecar is freed, also when its pod has been told of again', () => {
  const main = { name: 'main', image: 'app:1' };
  const ports = [{ containerPort: 80, hostPort: 80 }];
  const spec = { containers: [main], initContainers: [{ ...main, name: 'beside', restartPolicy: 'Always', ports }] };
  const before = makePod('low', { node: 'a', spec });
  const after = { ...before, status: { ...before.status, message: 'another version of it' } };
  expect(decide(makePod('vip', { priority: 1, spec }), [makeNode('a')], [before, after])).toBe('a: low');
});

test('a nominated node that can never do is not waited for', () => {
  const waiting = makePod('vip', { cpu: '3', priority: 100, status: { phase: 'Pending', nominatedNodeName: 'a' } });
  const going = makePod('going', {
    node: 'a',
    cpu: '2',
    metadata: { deletionTimestamp: '2026-01-01T00:00:30Z' },
    status: {
      phase: 'Running',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }],
    },
  });
  const nodes = [makeNode('a', { unschedulable: true }), makeNode('b')];
  expect(decide(waiting, nodes, [going, makePod('low', { node: 'b', cpu: '2' })])).toBe('b: low');
});
