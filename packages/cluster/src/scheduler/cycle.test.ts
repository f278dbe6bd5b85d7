/** The seam of plugins with state: a rule about all nodes' pods, played through by nominations and preemption. */
import { expect, test } from 'vitest';
import { configmaps } from '../api/generated/kinds.ts';
import { seededRandom } from '../base/random.ts';
import { makeNode, makePod, type PodParts } from '../testing/makers.ts';
import { preemptionMessage, unplacedMessage } from './message.ts';
import { fits, type PluginState, rejects, type SchedulerPlugin } from './plugin.ts';
import { type PodView, podView } from './pod-view.ts';
import { preempt } from './preempt.ts';
import { cachesOf, readsOf, wakesOf } from './reads.ts';
import { schedule } from './schedule.ts';
import { createSnapshot, type LiveSnapshot } from './snapshot.ts';

interface Colours extends PluginState {
  readonly count: number;
}

const colourOf = ({ pod }: PodView): string => pod.metadata.labels?.['colour'] ?? '';

/** No more than two pods of a colour in the whole cluster. */
const twoOfAColour: SchedulerPlugin<Colours> = {
  name: 'TwoOfAColour',
  wakesOn: ['pod/removed'],
  wakesFrom: 'anywhere',
  prepare(pod, { nodes }) {
    const same = (other: PodView): number => (colourOf(other) === colourOf(pod) ? 1 : 0);
    const stateOf = (count: number): Colours => ({
      count,
      with: (other) => stateOf(count + same(other)),
      without: (other) => stateOf(count - same(other)),
    });
    const all = nodes.flatMap(({ pods }) => [...pods.values()]);
    return { state: stateOf(all.reduce((count, other) => count + same(other), 0)) };
  },
  filter: (_, __, { count }) => (count < 2 ? fits : rejects('two of the colour are there')),
};

const plugins = [twoOfAColour];

function coloured(name: string, colour: string, parts: PodParts = {}): ReturnType<typeof makePod> {
  return makePod(name, { ...parts, labels: { colour } });
}

function world(...pods: readonly ReturnType<typeof makePod>[]): LiveSnapshot {
  const snapshot = createSnapshot();
  for (const name of ['a', 'b']) snapshot.setNode(makeNode(name));
  for (const pod of pods) snapshot.setPod(pod);
  return snapshot;
}

/** The node, or who would have to go and where, or why nobody. */
function decide(pod: ReturnType<typeof makePod>, snapshot: LiveSnapshot): string {
  const placement = schedule(podView(pod), snapshot, { plugins, random: seededRandom(''), startAt: 0 });
  if (placement.node !== undefined) return placement.node;
  if (placement.cycle === undefined) return placement.rejectedForAll ?? '';
  const preemption = preempt(placement.cycle, placement, { random: seededRandom('') });
  if (preemption.outcome !== 'makesRoom') return preemptionMessage(preemption);
  return `${preemption.node} without ${preemption.victims.map(({ pod: { metadata } }) => metadata.name).join(' ')}`;
}

test('preemption steps the state: removing a pod of another colour does not help', () => {
  const blue = coloured('blue', 'blue', { node: 'a', priority: 1 });
  const red = [
    coloured('red-1', 'red', { node: 'a', priority: 50 }),
    coloured('red-2', 'red', { node: 'b', priority: 2 }),
  ];
  const vip = coloured('vip', 'red', { priority: 10 });
  expect(decide(vip, world(blue))).not.toContain('without');
  expect(decide(vip, world(blue, ...red))).toBe('b without red-2');
  expect(decide(coloured('low', 'red'), world(blue, ...red))).toBe(
    '0/2 nodes are available: 2 No preemption victims found for incoming pod.',
  );
});

test('preemption puts back whom the state can spare', () => {
  const reds = ['red-1', 'red-2', 'red-3'].map((name, index) => coloured(name, 'red', { node: 'a', priority: index }));
  expect(decide(coloured('vip', 'red', { priority: 10 }), world(...reds))).toBe('a without red-2 red-1');
});

test('nominated pods step the state, on the node that they are promised', () => {
  const snapshot = world(coloured('red', 'red', { node: 'b' }));
  snapshot.nominate(podView(coloured('promised', 'red', { priority: 9 })), 'a');
  expect(decide(coloured('small', 'red'), snapshot)).toBe('b');
});

test('the words stand in the message, the state in the verdict', () => {
  const snapshot = world(coloured('red-1', 'red', { node: 'a' }), coloured('red-2', 'red', { node: 'b' }));
  const pod = podView(coloured('low', 'red'));
  const placement = schedule(pod, snapshot, { plugins, random: seededRandom(''), startAt: 0 });
  if (placement.node !== undefined) throw new Error('it was placed');
  expect(unplacedMessage(placement, { nodeCount: 2, preemption: { outcome: 'never' } })).toBe(
    '0/2 nodes are available: 2 two of the colour are there. preemption: not eligible due to preemptionPolicy=Never.',
  );
  expect(placement.wakes).toMatchObject({ on: new Map([['pod/removed', [twoOfAColour]]]), from: 'anywhere' });
});

test('what a plugin reads wakes whom it rejected, and nothing else can be read', () => {
  const reader: SchedulerPlugin = { name: 'Reader', reads: [configmaps], wakesOn: ['node/added'] };
  expect(readsOf([reader, reader, twoOfAColour])).toEqual([configmaps]);
  const wakes = wakesOf(podView(makePod('p')), { by: [reader], filters: [] });
  expect([...wakes.on.keys()]).toEqual(['node/added', 'configmaps/changed']);
  expect(wakes.from).toBe('pinnedNodes');
  const { of } = createSnapshot();
  expect(() => cachesOf([twoOfAColour], { of }).of(configmaps)).toThrow('a plugin names what it reads');
});
