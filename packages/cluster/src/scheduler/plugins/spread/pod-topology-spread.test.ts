import { expect, test } from 'vitest';
import type { Node, Pod, Service, TopologySpreadConstraint } from '../../../api/generated/core-v1.ts';
import { services } from '../../../api/generated/kinds.ts';
import { createObjectCache } from '../../../client/object-cache.ts';
import { makeMeta, makeNode, makePod, type PodParts } from '../../../testing/makers.ts';
import { preemptionOf, scoresIn, verdictIn } from '../../../testing/scheduler/asking.ts';
import { createPlugins, defaultArgs } from '../../default-plugins.ts';
import { podView } from '../../pod-view.ts';
import { createSnapshot, type LiveSnapshot } from '../../snapshot.ts';

const uneven = "node(s) didn't match pod topology spread constraints";
const keyless = `${uneven} (missing required label)`;
const plugin = 'PodTopologySpread';
const labels = { app: 'web' };

const demand = (parts: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  topologyKey: 'zone',
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: labels },
  ...parts,
});
const wish = (parts: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint =>
  demand({ whenUnsatisfiable: 'ScheduleAnyway', ...parts });

const spreading = (...topologySpreadConstraints: readonly TopologySpreadConstraint[]): PodParts => ({
  labels,
  spec: { topologySpreadConstraints },
});

const zoned: readonly Node[] = [
  makeNode('a1', { labels: { zone: 'a', disk: 'ssd' } }),
  makeNode('a2', { labels: { zone: 'a' } }),
  makeNode('b1', { labels: { zone: 'b', disk: 'ssd' } }),
  makeNode('c1', { labels: { zone: 'c' }, taints: [{ key: 'k', effect: 'NoSchedule' }] }),
];

const web = (name: string, node: string, parts: PodParts = {}): Pod => makePod(name, { labels, node, ...parts });

function world(pods: readonly Pod[], nodes: readonly Node[] = zoned, service?: Service): LiveSnapshot {
  const cache = createObjectCache(services);
  if (service !== undefined) cache.put(service);
  const snapshot = createSnapshot({
    of: (type) => (type === (services as object) ? (cache as never) : createObjectCache(type)),
  });
  for (const node of nodes) snapshot.setNode(node);
  for (const pod of pods) snapshot.setPod(pod);
  return snapshot;
}

test.each<[string, PodParts, readonly Pod[], Readonly<Record<string, string>>]>([
  ['an empty cluster takes it anywhere', spreading(demand()), [], { a1: '', a2: '', b1: '', c1: '' }],
  [
    'not where there are more than elsewhere',
    spreading(demand()),
    [web('1', 'a1'), web('2', 'b1')],
    { a1: uneven, a2: uneven, b1: uneven, c1: '' },
  ],
  [
    'a larger skew allows more',
    spreading(demand({ maxSkew: 2 })),
    [web('1', 'a1'), web('2', 'a2'), web('3', 'b1')],
    { a1: uneven, a2: uneven, b1: '', c1: '' },
  ],
  [
    'taints that keep it away are honoured on demand',
    spreading(demand({ nodeTaintsPolicy: 'Honor' })),
    [web('1', 'a1'), web('2', 'b1')],
    { a1: '', a2: '', b1: '', c1: '' },
  ],
  [
    'domains that its node selector leaves out do not count',
    {
      labels,
      spec: { topologySpreadConstraints: [demand()], nodeSelector: { disk: 'ssd' } },
    },
    [web('1', 'a1'), web('2', 'b1')],
    { a1: '', a2: '', b1: '', c1: '' },
  ],
  [
    'unless the policy says so',
    {
      labels,
      spec: {
        topologySpreadConstraints: [demand({ nodeAffinityPolicy: 'Ignore' })],
        nodeSelector: { disk: 'ssd' },
      },
    },
    [web('1', 'a1'), web('2', 'b1')],
    { a1: uneven, a2: uneven, b1: uneven, c1: '' },
  ],
  [
    'with fewer domains than wanted the least is nothing',
    spreading(demand({ minDomains: 4 })),
    [web('1', 'a1'), web('2', 'b1'), web('3', 'c1')],
    { a1: uneven, a2: uneven, b1: uneven, c1: uneven },
  ],
  [
    'with enough domains it is what it is',
    spreading(demand({ minDomains: 3 })),
    [web('1', 'a1'), web('2', 'b1'), web('3', 'c1')],
    { a1: '', a2: '', b1: '', c1: '' },
  ],
  [
    'a node without the label is no place',
    spreading(demand({ topologyKey: 'disk' })),
    [],
    { a1: '', a2: keyless, b1: '', c1: keyless },
  ],
  [
    'nodes that lack one of the labels count for none',
    spreading(demand(), demand({ topologyKey: 'disk' })),
    [web('1', 'a2'), web('2', 'a2')],
    { a1: '', a2: keyless, b1: '', c1: keyless },
  ],
  [
    'pods that are going, of other namespaces and of other versions do not count',
    {
      labels: { ...labels, hash: '2' },
      spec: { topologySpreadConstraints: [demand({ matchLabelKeys: ['hash', 'absent'] })] },
    },
    [
      web('1', 'a1', { labels: { ...labels, hash: '1' } }),
      web('2', 'b1', { labels: { ...labels, hash: '2' }, namespace: 'other' }),
      web('3', 'c1', { labels: { ...labels, hash: '2' }, metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      web('4', 'a1', { labels: { ...labels, hash: '2' } }),
    ],
    { a1: uneven, a2: uneven, b1: '', c1: '' },
  ],
  [
    'who does not count itself adds nothing',
    { spec: { topologySpreadConstraints: [demand()] } },
    [web('1', 'a1')],
    { a1: '', a2: '', b1: '', c1: '' },
  ],
])('%s', (_, parts, pods, expected) => {
  expect(verdictIn(world(pods), { pod: makePod('p', parts), plugin })).toEqual(expected);
});

test('counts follow pods and nodes, and what is least with them', () => {
  const snapshot = world([web('1', 'a1'), web('2', 'b1'), web('3', 'c1')]);
  const pod = makePod('p', spreading(demand()));
  const bad = (): string =>
    Object.entries(verdictIn(snapshot, { pod, plugin }))
      .filter(([, verdict]) => verdict !== '')
      .map(([node]) => node)
      .join(' ');
  expect(bad()).toBe('');
  snapshot.removePod('uid-default-3');
  expect(bad()).toBe('a1 a2 b1');
  snapshot.removeNode('c1');
  expect(bad()).toBe('');
  snapshot.setNode(makeNode('d1', { labels: { zone: 'd' } }));
  expect(bad()).toBe('a1 a2 b1');
  snapshot.setNode(makeNode('d1', { labels: { zone: 'b' } }));
  expect(bad()).toBe('');
  snapshot.assume(podView(makePod('4', { labels })), 'd1');
  expect(bad()).toBe('b1 d1');
  snapshot.forget('uid-default-4');
  expect(bad()).toBe('');
});

test.each<[string, PodParts, readonly Pod[], Readonly<Record<string, number>> | undefined]>([
  ['without wishes', {}, [web('1', 'a1')], undefined],
  [
    'the fewer the better',
    spreading(wish()),
    [web('1', 'a1'), web('2', 'a2'), web('3', 'b1')],
    { a1: 0, a2: 0, b1: 33, c1: 100 },
  ],
  [
    'a node without the label is worth nothing',
    spreading(wish({ topologyKey: 'disk' })),
    [],
    { a1: 100, a2: 0, b1: 100, c1: 0 },
  ],
  [
    'by node',
    spreading(wish({ topologyKey: 'kubernetes.io/hostname' })),
    [web('1', 'a1'), web('2', 'a1'), web('3', 'b1')],
    { a1: 0, a2: 100, b1: 50, c1: 100 },
  ],
])('scores: %s', (_, parts, pods, expected) => {
  expect(scoresIn(world(pods), { pod: makePod('p', parts), plugin })).toEqual(expected);
});

const service = (selector: Readonly<Record<string, string>>): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: makeMeta({ name: 's', namespace: 'default' }),
  spec: { selector },
  status: {},
});

// By node: 2 · ln 6 + 2 is 6 on a1 and 2 elsewhere.
test('a pod of a Service spreads by the defaults of the cluster', () => {
  const pods = [web('1', 'a1'), web('2', 'a1')];
  const pod = makePod('p', { labels });
  expect(scoresIn(world(pods, zoned, service({ app: 'db' })), { pod, plugin })).toBeUndefined();
  expect(scoresIn(world(pods, zoned, service(labels)), { pod, plugin })).toEqual({ a1: 33, a2: 100, b1: 100, c1: 100 });
});

test('defaults of a configuration can be demands', () => {
  const args = {
    defaultingType: 'List',
    defaultConstraints: [{ topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }],
  } as const;
  const plugins = createPlugins({ ...defaultArgs, PodTopologySpread: args });
  const snapshot = world([web('1', 'a1')], zoned, service(labels));
  expect(verdictIn(snapshot, { pod: makePod('p', { labels }), plugin, plugins })).toEqual({
    a1: uneven,
    a2: uneven,
    b1: '',
    c1: '',
  });
});

test('preemption plays it through', () => {
  const nodes = zoned.slice(0, 3);
  const vip = makePod('vip', { priority: 9, cpu: '3', ...spreading(demand()) });
  const full = [
    web('1', 'a1', { cpu: '3' }),
    web('2', 'a2', { cpu: '3' }),
    makePod('x', { node: 'b1', cpu: '3', priority: 9 }),
  ];
  // Both have to go before zone a is as empty as zone b; one node can give up only its own.
  expect(preemptionOf(vip, world(full, nodes))).toBe(
    "0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 node(s) didn't match pod topology spread constraints.",
  );
  expect(
    preemptionOf(
      vip,
      world([...full.slice(0, 1), ...full.slice(2), makePod('y', { node: 'a2', cpu: '3', priority: 9 })], nodes),
    ),
  ).toBe('a1: 1');
});

test('a change of another pod helps where one of the rules is about it, as it is or as it was', () => {
  const [rule] = createPlugins(defaultArgs).filter(({ name }) => name === plugin);
  const snapshot = world([]);
  const other = demand({ topologyKey: 'rack', labelSelector: { matchLabels: { app: 'db' } } });
  const waiting = podView(makePod('p', spreading(demand(), other)));
  const helps = (parts: PodParts, before?: PodParts): boolean | undefined =>
    rule?.helps?.(waiting, {
      event: 'pod/added',
      node: undefined,
      snapshot,
      pod: podView(makePod('other', parts)),
      before: before && podView(makePod('other', before)),
    });
  expect(helps({ labels: { app: 'db' } })).toBe(true);
  expect(helps({ labels })).toBe(true);
  expect(helps({ labels: { app: 'x' } })).toBe(false);
  expect(helps({ labels: { app: 'x' } }, { labels })).toBe(true);
  expect(helps({ labels, namespace: 'elsewhere' })).toBe(false);
});
