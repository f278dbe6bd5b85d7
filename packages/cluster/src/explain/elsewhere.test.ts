/** `explain pod NAME --node N` where the pod is not on N. */
import { beforeEach, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { nodes, persistentvolumeclaims, pods } from '../api/generated/kinds.ts';
import { asked, causesOf, rowsOf } from '../testing/asked.ts';
import { makeNode, makePod, type PodParts } from '../testing/makers.ts';
import { createWorld, meta, type World } from '../testing/plan-world.ts';
import type { Explanation } from './explanation.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
  world.put(nodes, makeNode('a'));
  world.put(nodes, makeNode('b'));
  world.put(nodes, makeNode('c', { unschedulable: true }));
});

function toldOn(node: string, parts: PodParts, ...others: readonly Pod[]): Explanation {
  for (const each of [makePod('p', { status: ready, ...parts }), ...others]) world.put(pods, each);
  return asked(world, { type: pods, name: 'p', node });
}

const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

test('of its own node nothing is added', () => {
  expect(toldOn('a', { node: 'a' })).toMatchObject({ summary: 'is ready on node a', groups: [] });
});

test('that another node would take it is said beside where it runs', () => {
  const explanation = toldOn('b', { node: 'a', cpu: '3' });
  expect(explanation).toMatchObject({
    outcome: 'settled',
    summary: 'is ready on node a; node b would take it, too',
    causes: [],
  });
  expect(rowsOf(explanation)).toEqual(['b: fits']);
});

test('why another node would not, with every rule and what would have to change', () => {
  const explanation = toldOn('c', { node: 'a', cpu: '3' }, makePod('x', { node: 'c', cpu: '2' }));
  const why = 'NodeUnschedulable: the node is cordoned; NodeResourcesFit: 3 cpu is not free (2 is free)';
  expect(explanation).toMatchObject({
    outcome: 'settled',
    summary: `is ready on node a; node c would not take it: ${why}`,
  });
  expect(rowsOf(explanation)).toEqual([`c: does not fit: ${why}`]);
  expect(explanation.groups[0]?.mend).toBe('kubectl uncordon c; free cpu, or request less');
});

test('the pod itself is in nobody’s way', () => {
  const topologyKey = 'kubernetes.io/hostname';
  const labelSelector = { matchLabels: { app: 'web' } };
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  world.put(persistentvolumeclaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta('data'),
    spec: { accessModes: ['ReadWriteOncePod'], volumeName: 'pv' },
    status: { phase: 'Bound' },
  });
  const labels = { app: 'web' };
  const spec = {
    nodeName: 'a',
    volumes,
    topologySpreadConstraints: [{ topologyKey, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector }],
  };
  const explanation = toldOn('b', { labels, spec });
  expect(explanation.summary).toBe('is ready on node a; node b would take it, too');
});

test('one that is not ready says first what it waits for where it is', () => {
  const explanation = toldOn('c', { node: 'a', status: { phase: 'Pending' } });
  expect(explanation.outcome).toBe('waits');
  expect(causesOf(explanation)).toEqual(['its node has not started it yet']);
  expect(explanation.summary).toBe(
    'is not ready on node a; node c would not take it: NodeUnschedulable: the node is cordoned',
  );
});

test.each<[string, PodParts, string]>([
  ['one that has ended', { node: 'a', status: { phase: 'Succeeded' } }, 'has succeeded on node a, not on node b'],
  [
    'one that goes',
    { node: 'a', metadata: { deletionTimestamp: '2024-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 } },
    'is going on node a, not on node b',
  ],
  [
    'one of a scheduler that nobody knows',
    { spec: { nodeName: 'a', schedulerName: 'mine' } },
    'is ready on node a, not on node b: the scheduler mine decides about it, and its rules are not known here',
  ],
  [
    'one whose claim is not there',
    { spec: { nodeName: 'a', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'gone' } }] } },
    'is ready on node a; node b would not take it: VolumeBinding: persistentvolumeclaim "gone" not found',
  ],
])('%s is no candidate', (_, parts, summary) => {
  expect(toldOn('b', parts).summary).toBe(summary);
});

test('a node that is not there takes nobody', () => {
  expect(toldOn('x', { node: 'a' }).summary).toBe('is ready on node a, not on node x, which is not there');
  const waiting = toldOn('x', { status: { phase: 'Pending' } });
  expect(causesOf(waiting)).toEqual(['there is no node x']);
  expect(waiting.groups).toEqual([]);
});
