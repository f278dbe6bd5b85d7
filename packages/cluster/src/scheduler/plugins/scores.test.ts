/** What single plugins give nodes; the weights count in the differential test. */
import { expect, test } from 'vitest';
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { makeNode, makePod, type PodParts } from '../../testing/makers.ts';
import { scoresIn } from '../../testing/scheduler/asking.ts';
import { createPlugins, defaultArgs, type PluginArgs } from '../default-plugins.ts';
import { createSnapshot, type LiveSnapshot } from '../snapshot.ts';

function world(nodes: readonly Node[], pods: readonly Pod[] = []): LiveSnapshot {
  const snapshot = createSnapshot();
  for (const node of nodes) snapshot.setNode(node);
  for (const pod of pods) snapshot.setPod(pod);
  return snapshot;
}

const withImages = (name: string, images: Node['status']['images']): Node => {
  const node = makeNode(name);
  return { ...node, status: { ...node.status, ...(images !== undefined && { images }) } };
};

const preferring = (weight: number, value: string): PodParts => ({
  spec: {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: [value] }] } },
          { weight: 2, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } },
        ],
      },
    },
  },
});

const soft = { key: 'k', effect: 'PreferNoSchedule' };
const ten = { cpu: '10', memory: '10Gi' };

test.each<[string, string, PodParts, readonly Node[], readonly Pod[], readonly number[] | undefined]>([
  ['nothing preferred', 'NodeAffinity', {}, [makeNode('a')], [], undefined],
  [
    'preferred terms add up, the best is a hundred',
    'NodeAffinity',
    preferring(4, 'ssd'),
    [makeNode('a', { labels: { disk: 'ssd' } }), makeNode('b', { labels: { disk: 'hdd' } }), makeNode('c')],
    [],
    [100, 33, 0],
  ],
  [
    'soft taints',
    'TaintToleration',
    {},
    [makeNode('a'), makeNode('b', { taints: [soft] }), makeNode('c', { taints: [soft, { ...soft, key: 'l' }] })],
    [],
    [100, 50, 0],
  ],
  ['no taints at all', 'TaintToleration', {}, [makeNode('a')], [], undefined],
  [
    'the least allocated, whole points per resource',
    'NodeResourcesFit',
    { cpu: '1', memory: '1Gi' },
    [makeNode('a', ten), makeNode('b', ten)],
    [makePod('q', { node: 'b', cpu: '2500m', memory: '5Gi' })],
    [90, 52],
  ],
  [
    'a pod without requests counts as a small one',
    'NodeResourcesFit',
    {},
    [makeNode('a', { cpu: '1', memory: '2000Mi' })],
    [],
    [90],
  ],
  [
    'so does every sidecar that names no request, and an initial container while it runs',
    'NodeResourcesFit',
    {
      spec: {
        containers: [{ name: 'c', resources: { requests: { cpu: '100m', memory: '200Mi' } } }],
        initContainers: [
          { name: 'side', restartPolicy: 'Always', resources: { requests: { memory: '400Mi' } } },
          { name: 'first', resources: { requests: { cpu: '300m' } } },
        ],
      },
    },
    [makeNode('a', { cpu: '1', memory: '2000Mi' })],
    [],
    // CPU: 300m of the first and 100m of the sidecar; memory: 600Mi of both.
    [65],
  ],
  [
    'a container counts for nothing more where its pod says what all have together',
    'NodeResourcesFit',
    { spec: { resources: { requests: { cpu: '500m' } }, containers: [{ name: 'c' }, { name: 'd' }] } },
    [makeNode('a', { cpu: '1', memory: '2000Mi' })],
    [],
    [65],
  ],
  [
    'balance',
    'NodeResourcesBalancedAllocation',
    { cpu: '1', memory: '1Gi' },
    [makeNode('a', ten), makeNode('b', ten)],
    [makePod('q', { node: 'b', cpu: '4' })],
    [100, 80],
  ],
  ['balance of a pod without requests', 'NodeResourcesBalancedAllocation', {}, [makeNode('a')], [], [0]],
  [
    // 500 MiB on one of two nodes count half: 250 - 23 of 1000 - 23.
    'images, the less the fewer have them',
    'ImageLocality',
    { spec: { containers: [{ name: 'c', image: 'example/app' }] } },
    [withImages('a', [{ names: ['example/app:latest'], sizeBytes: 500 * 2 ** 20 }]), makeNode('b')],
    [],
    [23, 0],
  ],
  [
    'images that nobody has',
    'ImageLocality',
    {},
    [withImages('a', [{ names: ['other:1'], sizeBytes: 1 }])],
    [],
    undefined,
  ],
])('%s', (_, plugin, parts, nodes, pods, expected) => {
  const scores = scoresIn(world(nodes, pods), { pod: makePod('p', parts), plugin });
  expect(scores && Object.values(scores)).toEqual(expected);
});

test.each<[string, Partial<PluginArgs>, readonly number[]]>([
  [
    'most allocated',
    {
      NodeResourcesFit: {
        ...defaultArgs.NodeResourcesFit,
        scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] },
      },
    },
    [10, 35],
  ],
  [
    'a curve',
    {
      NodeResourcesFit: {
        ...defaultArgs.NodeResourcesFit,
        scoringStrategy: {
          type: 'RequestedToCapacityRatio',
          resources: [{ name: 'cpu', weight: 1 }],
          shape: [
            { utilization: 0, score: 0 },
            { utilization: 50, score: 10 },
            { utilization: 100, score: 2 },
          ],
        },
      },
    },
    [20, 70],
  ],
  [
    // From 8 to 3 over 60 points: 20 points of the way are 16 of 50, cut off.
    'a curve that falls',
    {
      NodeResourcesFit: {
        ...defaultArgs.NodeResourcesFit,
        scoringStrategy: {
          type: 'RequestedToCapacityRatio',
          resources: [{ name: 'cpu', weight: 1 }],
          shape: [
            { utilization: 0, score: 10 },
            { utilization: 15, score: 8 },
            { utilization: 75, score: 3 },
          ],
        },
      },
    },
    [87, 64],
  ],
  [
    'a curve that begins and ends early goes on as it is there',
    {
      NodeResourcesFit: {
        ...defaultArgs.NodeResourcesFit,
        scoringStrategy: {
          type: 'RequestedToCapacityRatio',
          resources: [{ name: 'cpu', weight: 1 }],
          shape: [
            { utilization: 20, score: 3 },
            { utilization: 30, score: 9 },
          ],
        },
      },
    },
    [30, 90],
  ],
])('strategies: %s', (_, args, expected) => {
  const snapshot = world([makeNode('a', ten), makeNode('b', ten)], [makePod('q', { node: 'b', cpu: '2500m' })]);
  const plugins = createPlugins({ ...defaultArgs, ...args });
  const scores = scoresIn(snapshot, { pod: makePod('p', { cpu: '1' }), plugin: 'NodeResourcesFit', plugins });
  expect(Object.values(scores ?? {})).toEqual(expected);
});

test('images are counted as nodes come, change and go', () => {
  const snapshot = world([withImages('a', [{ names: ['app:1'], sizeBytes: 1 }]), makeNode('b')]);
  expect([...snapshot.images]).toEqual([['app:1', 1]]);
  snapshot.setNode(withImages('b', [{ names: ['app:1', 'app:2'], sizeBytes: 1 }]));
  expect([...snapshot.images]).toEqual([
    ['app:1', 2],
    ['app:2', 1],
  ]);
  snapshot.setNode(withImages('a', []));
  snapshot.removeNode('b');
  expect([...snapshot.images]).toEqual([]);
});
