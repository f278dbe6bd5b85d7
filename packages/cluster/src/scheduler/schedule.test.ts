import { expect, test } from 'vitest';
import type { Affinity, Node, Pod } from '../api/generated/core-v1.ts';
import { seededRandom } from '../base/random.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { defaultPlugins } from './default-plugins.ts';
import { unplacedMessage } from './message.ts';
import type { SchedulerPlugin } from './plugin.ts';
import { podView } from './pod-view.ts';
import { feasibleWanted, type Placement, schedule } from './schedule.ts';
import { createSnapshot, type LiveSnapshot, type Snapshot } from './snapshot.ts';

function world(nodes: readonly Node[], pods: readonly Pod[] = []): LiveSnapshot {
  const snapshot = createSnapshot();
  for (const node of nodes) snapshot.setNode(node);
  for (const pod of pods) snapshot.setPod(pod);
  return snapshot;
}

function place(pod: Pod, snapshot: Snapshot): Placement {
  return schedule(podView(pod), snapshot, { plugins: defaultPlugins, random: seededRandom('ties'), startAt: 0 });
}

/** The chosen node, or the sentence about why there is none. */
function said(pod: Pod, snapshot: Snapshot): string {
  const placement = place(pod, snapshot);
  if (placement.node !== undefined) return placement.node;
  return unplacedMessage(placement, { nodeCount: snapshot.nodes.length, preemption: undefined });
}

const pinned = (name: string): Affinity => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
    },
  },
});

const gpuTaint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' };

test.each<[string, Pod, readonly Node[], readonly Pod[], string]>([
  ['no node at all', makePod('p'), [], [], 'no nodes available to schedule pods'],
  ['one node that fits', makePod('p', { cpu: '1' }), [makeNode('a')], [], 'a'],
  ['too little cpu', makePod('p', { cpu: '5' }), [makeNode('a')], [], '0/1 nodes are available: 1 Insufficient cpu.'],
  [
    'a node counts once per reason, reasons sorted as text',
    makePod('p', { cpu: '5', memory: '32Gi' }),
    [makeNode('a'), makeNode('b', { cpu: '8' })],
    [],
    '0/2 nodes are available: 1 Insufficient cpu, 2 Insufficient memory.',
  ],
  [
    'what runs already counts',
    makePod('p', { cpu: '2' }),
    [makeNode('a')],
    [makePod('q', { node: 'a', cpu: '3' })],
    '0/1 nodes are available: 1 Insufficient cpu.',
  ],
  [
    'what has ended does not count',
    makePod('p', { cpu: '2' }),
    [makeNode('a')],
    [makePod('q', { node: 'a', cpu: '3', status: { phase: 'Succeeded' } })],
    'a',
  ],
  [
    'too many pods',
    makePod('p'),
    [makeNode('a', { pods: '1' })],
    [makePod('q', { node: 'a' })],
    '0/1 nodes are available: 1 Too many pods.',
  ],
  [
    'an extended resource',
    makePod('p', { spec: { containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '1' } } }] } }),
    [makeNode('a'), makeNode('b', { allocatable: { 'example.com/gpu': '2' } })],
    [],
    'b',
  ],
  [
    'a cordoned node',
    makePod('p'),
    [makeNode('a', { unschedulable: true })],
    [],
    '0/1 nodes are available: 1 node(s) were unschedulable.',
  ],
  [
    'a cordoned node takes who tolerates it',
    makePod('p', {
      spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }] },
    }),
    [makeNode('a', { unschedulable: true })],
    [],
    'a',
  ],
  [
    'an untolerated taint',
    makePod('p'),
    [makeNode('a', { taints: [gpuTaint] })],
    [],
    '0/1 nodes are available: 1 node(s) had untolerated taint {gpu: yes}.',
  ],
  [
    'a tolerated taint',
    makePod('p', { spec: { tolerations: [{ key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }] } }),
    [makeNode('a', { taints: [gpuTaint] })],
    [],
    'a',
  ],
  [
    'a soft taint only counts against the node',
    makePod('p'),
    [makeNode('a', { taints: [{ key: 'old', effect: 'PreferNoSchedule' }] }), makeNode('b')],
    [],
    'b',
  ],
  [
    'a node selector',
    makePod('p', { spec: { nodeSelector: { disk: 'ssd' } } }),
    [makeNode('a'), makeNode('b', { labels: { disk: 'ssd' } })],
    [],
    'b',
  ],
  [
    'a node selector that nobody matches',
    makePod('p', { spec: { nodeSelector: { disk: 'ssd' } } }),
    [makeNode('a'), makeNode('b')],
    [],
    "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
  ],
  [
    'a pinned pod goes to its node',
    makePod('p', { spec: { affinity: pinned('b') } }),
    [makeNode('a'), makeNode('b')],
    [],
    'b',
  ],
  [
    'a pinned pod whose node is full names only that one',
    makePod('p', { cpu: '5', spec: { affinity: pinned('b') } }),
    [makeNode('a'), makeNode('b'), makeNode('c')],
    [],
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
  ],
  [
    'a taken host port',
    makePod('p', { hostPort: 80 }),
    [makeNode('a')],
    [makePod('q', { node: 'a', hostPort: 80 })],
    "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
  ],
  [
    'a host port that a sidecar has taken',
    makePod('p', { hostPort: 80 }),
    [makeNode('a')],
    [
      makePod('q', {
        node: 'a',
        spec: {
          initContainers: [
            { name: 's', restartPolicy: 'Always', ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] },
          ],
        },
      }),
    ],
    "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
  ],
  [
    'the same host port on another address',
    makePod('p', {
      spec: {
        containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80, hostIP: '10.0.0.1', protocol: 'TCP' }] }],
      },
    }),
    [makeNode('a')],
    [
      makePod('q', {
        node: 'a',
        spec: {
          containers: [
            { name: 'c', ports: [{ containerPort: 80, hostPort: 80, hostIP: '10.0.0.2', protocol: 'TCP' }] },
          ],
          nodeName: 'a',
        },
      }),
    ],
    'a',
  ],
  [
    'the emptier node',
    makePod('p', { cpu: '1', memory: '1Gi' }),
    [makeNode('a'), makeNode('b')],
    [makePod('q', { node: 'a', cpu: '2', memory: '8Gi' })],
    'b',
  ],
  [
    'a claim that does not exist',
    makePod('p', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] } }),
    [makeNode('a')],
    [],
    '0/1 nodes are available: persistentvolumeclaim "data" not found.',
  ],
  [
    'a demand that is not supported is named',
    makePod('p', { spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] } }),
    [makeNode('a')],
    [],
    '0/1 nodes are available: dynamic resource allocation is not supported by this scheduler; remove it or set spec.schedulerName to one that does.',
  ],
])('%s', (_, pod, nodes, pods, expected) => {
  expect(said(pod, world(nodes, pods))).toBe(expected);
});

test('a pinned pod looks at one node of a thousand', () => {
  const snapshot = world(Array.from({ length: 1000 }, (_, index) => makeNode(`n${index}`)));
  expect(place(makePod('p', { spec: { affinity: pinned('n500') } }), snapshot)).toMatchObject({
    node: 'n500',
    examined: 1,
  });
});

test('an assumed pod takes its room until it is forgotten', () => {
  const snapshot = world([makeNode('a')]);
  const first = podView(makePod('first', { cpu: '3' }));
  snapshot.assume(first, 'a');
  const second = makePod('second', { cpu: '2' });
  expect(said(second, snapshot)).toBe('0/1 nodes are available: 1 Insufficient cpu.');
  snapshot.forget(first.uid);
  expect(said(second, snapshot)).toBe('a');
});

test('room promised to a nominated pod is not free for lesser ones, but for greater ones', () => {
  const snapshot = world([makeNode('a')]);
  snapshot.nominate(podView(makePod('vip', { cpu: '3', priority: 10 })), 'a');
  expect(said(makePod('small', { cpu: '2', priority: 1 }), snapshot)).toBe(
    '0/1 nodes are available: 1 Insufficient cpu.',
  );
  expect(said(makePod('boss', { cpu: '2', priority: 20 }), snapshot)).toBe('a');
});

test('who is only promised a node is no company yet', () => {
  const labels = { app: 'web' };
  const snapshot = world([makeNode('a')]);
  snapshot.nominate(podView(makePod('vip', { labels, priority: 10 })), 'a');
  const topologyKey = 'kubernetes.io/hostname';
  const terms = [{ topologyKey, labelSelector: { matchLabels: labels } }];
  const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: terms };
  expect(said(makePod('near', { spec: { affinity: { podAffinity } } }), snapshot)).toBe(
    "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
  );
  snapshot.setPod(makePod('there', { labels, node: 'a' }));
  expect(said(makePod('near', { spec: { affinity: { podAffinity } } }), snapshot)).toBe('a');
});

test('pods of a node that left and came back still count', () => {
  const snapshot = world([makeNode('a')], [makePod('q', { node: 'a', cpu: '3' })]);
  snapshot.removeNode('a');
  expect(said(makePod('p'), snapshot)).toBe('no nodes available to schedule pods');
  snapshot.setNode(makeNode('a'));
  expect(said(makePod('p', { cpu: '2' }), snapshot)).toBe('0/1 nodes are available: 1 Insufficient cpu.');
});

test.each([
  [50, 50],
  [100, 100],
  [1000, 420],
  [5000, 500],
  [15000, 750],
])('of %i nodes the search wants %i that fit', (nodes, wanted) => {
  expect(feasibleWanted(nodes)).toBe(wanted);
});

test('of many nodes no more are looked at than are wanted, from where the last turn ended', () => {
  const nodes = Array.from({ length: 150 }, (_, index) => makeNode(`n${index}`, { unschedulable: index % 5 === 0 }));
  const snapshot = world(nodes);
  const asked: string[] = [];
  const listening: SchedulerPlugin = {
    name: 'Listening',
    wakesOn: [],
    filter(_, { name }) {
      asked.push(name);
      return { fits: true };
    },
  };
  const options = { plugins: [...defaultPlugins, listening], random: seededRandom(''), startAt: 140 };
  const placement = schedule(podView(makePod('p')), snapshot, { ...options, percentageOfNodesToScore: 10 });
  // A hundred is the fewest, of which four out of five fit: from the 140th on, round the end, one in five for nothing.
  expect(asked).toHaveLength(100);
  expect([asked[0], asked.at(-1)]).toEqual(['n141', 'n114']);
  expect(placement.examined).toBe(125);
});

test('where nobody says which node is better the next one that fits is taken', () => {
  const snapshot = world(['a', 'b', 'c', 'd'].map((name) => makeNode(name, { unschedulable: name === 'b' })));
  const plugins = defaultPlugins.map((plugin): SchedulerPlugin => {
    const { score: _score, rank: _rank, ...mute } = plugin;
    return mute;
  });
  const at = (startAt: number): Placement =>
    schedule(podView(makePod('p')), snapshot, { plugins, random: seededRandom(''), startAt });
  expect([0, 1, 2, 3].map((startAt) => at(startAt).node)).toEqual(['a', 'c', 'c', 'd']);
});

test('of many nodes in zones some of each zone are looked at, so that a wish for one is heard', () => {
  const inZone = (zone: string): readonly Node[] =>
    Array.from({ length: 100 }, (_, index) =>
      makeNode(`${zone}${index}`, { labels: { 'topology.kubernetes.io/zone': zone } }),
    );
  const live = world([...inZone('a'), ...inZone('b'), ...inZone('c')]);
  const matchExpressions = [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['c'] }];
  const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 100, preference: { matchExpressions } }];
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } };
  expect(said(makePod('p', { spec: { affinity } }), live)).toMatch(/^c/);
});

test('room promised to a nominated pod is not free in what would be either', () => {
  const other = makePod('other', { node: 'a', cpu: '1' });
  const live = world([makeNode('a')], [other]);
  live.nominate(podView(makePod('vip', { cpu: '3', priority: 10 })), 'a');
  const without = live.fork().without(podView(other), 'a');
  const small = makePod('small', { cpu: '2', priority: 1 });
  expect(said(small, without)).toBe('0/1 nodes are available: 1 Insufficient cpu.');
  expect(said(makePod('tiny', { cpu: '1', priority: 1 }), without)).toBe('a');
  expect(said(makePod('tiny', { cpu: '1', priority: 1 }), live)).toBe('0/1 nodes are available: 1 Insufficient cpu.');
});

test('a nominated pod whose binding is under way counts once', () => {
  const live = world([makeNode('a')]);
  const vip = podView(makePod('vip', { cpu: '2', priority: 10 }));
  live.nominate(vip, 'a');
  live.assume(vip, 'a');
  expect(said(makePod('small', { cpu: '2', priority: 1 }), live)).toBe('a');
});

test('a pod that finds no node at all waits for the first', () => {
  const placed = schedule(podView(makePod('p')), world([]), {
    plugins: defaultPlugins,
    random: seededRandom('p'),
    startAt: 0,
  });
  expect(placed).toMatchObject({ node: undefined, wakes: { on: new Map([['node/added', []]]), from: 'anywhere' } });
});
