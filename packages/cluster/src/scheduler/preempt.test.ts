import { expect, test } from 'vitest';
import type { Node, Pod } from '../api/generated/core-v1.ts';
import { seededRandom } from '../base/random.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { defaultPlugins } from './default-plugins.ts';
import { preemptionMessage } from './message.ts';
import { podView } from './pod-view.ts';
import { preempt } from './preempt.ts';
import { schedule } from './schedule.ts';
import { createSnapshot } from './snapshot.ts';

/** Who would have to go, and where: `a: low-1 low-2`, or why nobody. */
function decide(pod: Pod, nodes: readonly Node[], pods: readonly Pod[]): string {
  const snapshot = createSnapshot();
  for (const node of nodes) snapshot.setNode(node);
  for (const other of pods) snapshot.setPod(other);
  const unplaced = schedule(podView(pod), snapshot, { plugins: defaultPlugins, random: seededRandom(''), startAt: 0 });
  if (unplaced.node !== undefined) return `fits on ${unplaced.node}`;
  if (unplaced.cycle === undefined) return `rejected for all: ${unplaced.rejectedForAll}`;
  const decision = preempt(unplaced.cycle, unplaced);
  if (decision.outcome !== 'makesRoom') return preemptionMessage(decision);
  return `${decision.node}: ${decision.victims.map((victim) => victim.pod.metadata.name).join(' ')}`;
}

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
