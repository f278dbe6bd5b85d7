import { expect, test } from 'vitest';
import type { Node, Pod, PodAffinityTerm } from '../../api/generated/core-v1.ts';
import { namespaces } from '../../api/generated/kinds.ts';
import { createObjectCache } from '../../client/object-cache.ts';
import { makeMeta, makeNode, makePod, type PodParts } from '../../testing/makers.ts';
import { preemptionOf, scoresIn, verdictIn } from '../../testing/scheduler/asking.ts';
import { createSnapshot, type LiveSnapshot } from '../snapshot.ts';

const near = (...terms: readonly PodAffinityTerm[]): PodParts => ({
  spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } },
});
const apart = (...terms: readonly PodAffinityTerm[]): PodParts => ({
  spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } },
});
const likes = (weight: number, podAffinityTerm: PodAffinityTerm): PodParts => ({
  spec: {
    affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] } },
  },
});
const avoids = (weight: number, podAffinityTerm: PodAffinityTerm): PodParts => ({
  spec: {
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] } },
  },
});
const app = (name: string, topologyKey = 'zone'): PodAffinityTerm => ({
  topologyKey,
  labelSelector: { matchLabels: { app: name } },
});

/** Two zones of two nodes, and one node without a zone. */
const zoned: readonly Node[] = [
  makeNode('a1', { labels: { zone: 'a', rack: '1' } }),
  makeNode('a2', { labels: { zone: 'a', rack: '2' } }),
  makeNode('b1', { labels: { zone: 'b', rack: '1' } }),
  makeNode('b2', { labels: { zone: 'b', rack: '2' } }),
  makeNode('none'),
];

function world(pods: readonly Pod[], nodes: readonly Node[] = zoned): LiveSnapshot {
  const cache = createObjectCache(namespaces);
  for (const [name, team] of [
    ['blue-1', 'blue'],
    ['red-1', 'red'],
  ] as const)
    cache.put({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: makeMeta({ name, labels: { team } }),
      spec: {},
      status: { phase: 'Active' },
    });
  const snapshot = createSnapshot({
    of: (type) => (type === (namespaces as object) ? (cache as never) : createObjectCache(type)),
  });
  for (const node of nodes) snapshot.setNode(node);
  for (const pod of pods) snapshot.setPod(pod);
  return snapshot;
}

const web = (name: string, node: string, parts: PodParts = {}): Pod =>
  makePod(name, { labels: { app: 'web' }, node, ...parts });

const away = "node(s) didn't match pod affinity rules";
const close = "node(s) didn't match pod anti-affinity rules";
const kept = "node(s) didn't satisfy existing pods anti-affinity rules";

test.each<[string, PodParts, readonly Pod[], Readonly<Record<string, string>>]>([
  [
    'near others of its zone; a node without the label never',
    near(app('web')),
    [web('w', 'a1')],
    { a1: '', a2: '', b1: away, b2: away, none: away },
  ],
  [
    'nobody is there and the pod is none of them',
    near(app('web')),
    [],
    { a1: away, a2: away, b1: away, b2: away, none: away },
  ],
  [
    'the first of its kind goes anywhere where the label is',
    { ...near(app('web')), labels: { app: 'web' } },
    [],
    { a1: '', a2: '', b1: '', b2: '', none: away },
  ],
  [
    'not the first any more',
    { ...near(app('web')), labels: { app: 'web' } },
    [web('w', 'b2')],
    { a1: away, a2: away, b1: '', b2: '', none: away },
  ],
  [
    'one pod has to meet all terms',
    near(app('web'), { topologyKey: 'rack', labelSelector: { matchLabels: { tier: 'front' } } }),
    [web('w', 'a1'), makePod('t', { node: 'a1', labels: { tier: 'front' } })],
    { a1: away, a2: away, b1: away, b2: away, none: away },
  ],
  [
    'and counts for each key by itself',
    near(app('web'), { topologyKey: 'rack', labelSelector: { matchLabels: { tier: 'front' } } }),
    [web('w', 'a1', { labels: { app: 'web', tier: 'front' } })],
    { a1: '', a2: away, b1: away, b2: away, none: away },
  ],
  [
    'away from others; a node without the label is no place',
    apart(app('web')),
    [web('w', 'a1')],
    { a1: close, a2: close, b1: '', b2: '', none: '' },
  ],
  [
    'any of several terms keeps it away',
    apart(app('web', 'kubernetes.io/hostname'), app('db')),
    [web('w', 'a1'), makePod('d', { node: 'b1', labels: { app: 'db' } })],
    { a1: close, a2: '', b1: close, b2: close, none: '' },
  ],
  [
    'who is there keeps others away as well',
    { labels: { app: 'db' } },
    [web('w', 'a1', { labels: { app: 'web' }, ...apart(app('db')) })],
    { a1: kept, a2: kept, b1: '', b2: '', none: '' },
  ],
  [
    'other namespaces do not count',
    apart(app('web')),
    [web('w', 'a1', { namespace: 'blue-1' })],
    { a1: '', a2: '', b1: '', b2: '', none: '' },
  ],
  [
    'namespaces by name',
    apart({ ...app('web'), namespaces: ['blue-1'] }),
    [web('w', 'a1', { namespace: 'blue-1' }), web('own', 'b1')],
    { a1: close, a2: close, b1: '', b2: '', none: '' },
  ],
  [
    'namespaces by label, and by name besides',
    apart({ ...app('web'), namespaces: ['default'], namespaceSelector: { matchLabels: { team: 'blue' } } }),
    [web('w', 'a1', { namespace: 'blue-1' }), web('r', 'b1', { namespace: 'red-1' })],
    { a1: close, a2: close, b1: '', b2: '', none: '' },
  ],
  [
    'every namespace',
    apart({ ...app('web'), namespaceSelector: {} }),
    [web('w', 'a1', { namespace: 'red-1' })],
    { a1: close, a2: close, b1: '', b2: '', none: '' },
  ],
  [
    'the terms of others look at the namespace of the pod',
    { labels: { app: 'db' }, namespace: 'blue-1' },
    [web('w', 'a1', apart({ ...app('db'), namespaceSelector: { matchLabels: { team: 'blue' } } }))],
    { a1: kept, a2: kept, b1: '', b2: '', none: '' },
  ],
])('%s', (_, parts, pods, expected) => {
  expect(verdictIn(world(pods), { pod: makePod('p', parts), plugin: 'InterPodAffinity' })).toEqual(expected);
});

test.each<[string, PodParts, readonly Pod[], Readonly<Record<string, number>> | undefined]>([
  ['nobody says anything', {}, [web('w', 'a1')], undefined],
  ['near whom it likes', likes(5, app('web')), [web('w', 'a1')], { a1: 100, a2: 100, b1: 0, b2: 0, none: 0 }],
  [
    'away from whom it avoids, the more the worse',
    avoids(5, app('web')),
    [web('w1', 'a1'), web('w2', 'a2'), web('w3', 'b1')],
    { a1: 0, a2: 0, b1: 50, b2: 50, none: 100 },
  ],
  [
    'those who like it count as well, and those who avoid it',
    { labels: { app: 'db' } },
    [web('l', 'a1', likes(3, app('db'))), web('h', 'b1', avoids(3, app('db')))],
    { a1: 100, a2: 100, b1: 0, b2: 0, none: 50 },
  ],
  [
    'who needs it counts a little',
    { labels: { app: 'db' } },
    [web('n', 'a1', near(app('db'))), web('l', 'b1', likes(2, app('db')))],
    { a1: 50, a2: 50, b1: 100, b2: 100, none: 0 },
  ],
])('scores: %s', (_, parts, pods, expected) => {
  expect(scoresIn(world(pods), { pod: makePod('p', parts), plugin: 'InterPodAffinity' })).toEqual(expected);
});

test('counts follow pods and nodes that come, change and go', () => {
  const snapshot = world([web('w', 'a1')]);
  const pod = makePod('p', apart(app('web')));
  const bad = (): readonly string[] =>
    Object.entries(verdictIn(snapshot, { pod, plugin: 'InterPodAffinity' }))
      .filter(([, verdict]) => verdict !== '')
      .map(([node]) => node);
  expect(bad()).toEqual(['a1', 'a2']);
  snapshot.setPod(web('w', 'a1', { labels: { app: 'other' } }));
  expect(bad()).toEqual([]);
  snapshot.setPod(web('v', 'b1'));
  expect(bad()).toEqual(['b1', 'b2']);
  snapshot.setNode(makeNode('b1', { labels: { zone: 'a' } }));
  expect(bad()).toEqual(['a1', 'a2', 'b1']);
  snapshot.removeNode('b1');
  expect(bad()).toEqual([]);
  snapshot.setNode(makeNode('b1', { labels: { zone: 'b' } }));
  expect(bad()).toEqual(['b2', 'b1']);
  snapshot.setPod(web('v', 'b1', { status: { phase: 'Succeeded' } }));
  expect(bad()).toEqual([]);
  snapshot.setPod(web('v', 'b2'));
  snapshot.removePod('uid-default-v');
  expect(bad()).toEqual([]);
});

test('a term that names one namespace and selects others looks into all of them, also once it is counted', () => {
  const both: PodAffinityTerm = {
    ...app('web'),
    namespaces: ['default'],
    namespaceSelector: { matchLabels: { team: 'blue' } },
  };
  const snapshot = world([]);
  const bad = (): readonly string[] =>
    Object.entries(verdictIn(snapshot, { pod: makePod('p', apart(both)), plugin: 'InterPodAffinity' }))
      .filter(([, reason]) => reason !== '')
      .map(([node]) => node);
  expect(bad()).toEqual([]);
  snapshot.setPod(web('blue', 'a1', { namespace: 'blue-1' }));
  snapshot.setPod(web('red', 'b1', { namespace: 'red-1' }));
  expect(bad()).toEqual(['a1', 'a2']);
  snapshot.setPod(web('own', 'b2'));
  expect(bad()).toEqual(['a1', 'a2', 'b1', 'b2']);
});

test('preemption plays it through, for what the pod demands and for what others do', () => {
  const one = [makeNode('a1', { labels: { zone: 'a' } })];
  const vip = (parts: PodParts): Pod => makePod('vip', { priority: 9, ...parts });
  expect(preemptionOf(vip(apart(app('web'))), world([web('w', 'a1')], one))).toBe('a1: w');
  const keeper = web('k', 'a1', apart(app('db')));
  expect(preemptionOf(vip({ labels: { app: 'db' } }), world([keeper, web('w', 'a1')], one))).toBe('a1: k');
  const company = makePod('company', { node: 'a1', labels: { app: 'web' }, cpu: '3' });
  expect(preemptionOf(vip({ ...near(app('web')), cpu: '3' }), world([company], one))).toBe(
    "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
  );
});
