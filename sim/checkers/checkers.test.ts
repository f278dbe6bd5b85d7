import type { KubeObject } from '@signalbox/cluster';
import { makeMeta, makeNode, makePod } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import type { World } from '../world.ts';
import { daemonsets } from './daemonsets.ts';
import { revisions, same, watches } from './history.ts';
import { ownership } from './ownership.ts';
import { addresses, capacity, pods } from './placement.ts';
import { quiet, survived } from './quiet.ts';

/** A checker that cannot find anything proves nothing: each is shown what it is for. */
function world(parts: Partial<World>): World {
  const empty = {
    nodes: [],
    pods: [],
    daemonsets: [],
    statefulsets: [],
    deployments: [],
    replicasets: [],
    objects: [],
  };
  return { ...empty, byResource: new Map(), ...parts };
}

const found = (findings: Iterable<string>): readonly string[] => [...findings];
const early = { creationTimestamp: '2025-01-01T00:00:00Z' };
const node = (name: string): ReturnType<typeof makeNode> => {
  const made = makeNode(name, { cpu: '1' });
  return { ...made, metadata: { ...made.metadata, ...early } };
};

test('two pods that need more than their node has', () => {
  const both = ['a', 'b'].map((name) => makePod(name, { node: 'n', cpu: '600m' }));
  expect(found(capacity(world({ nodes: [node('n')], pods: both })))[0]).toContain('"cpuMilli":1200');
  expect(found(capacity(world({ nodes: [node('n')], pods: both.slice(0, 1) })))).toEqual([]);
});

test('one host port for two pods', () => {
  const both = ['a', 'b'].map((name) => makePod(name, { node: 'n', hostPort: 80 }));
  expect(found(capacity(world({ nodes: [node('n')], pods: both })))[0]).toContain('one host port to two pods');
});

test('two pods with one address', () => {
  const both = ['a', 'b'].map((name) => makePod(name, { node: 'n', status: { podIP: '10.0.0.1' } }));
  expect(found(addresses(world({ nodes: [node('n')], pods: both })))).toHaveLength(1);
  // Where there is no machine nothing runs.
  expect(found(addresses(world({ pods: both })))).toEqual([]);
});

test('a pod that waits although there is room, and one bound to nothing', () => {
  const waiting = makePod('a', {
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False' }] },
  });
  const lost = makePod('b', { node: 'gone' });
  expect(found(pods(world({ nodes: [node('n')], pods: [waiting, lost] })))).toEqual([
    'Pod default/a waits for a node and no event says why',
    'Pod default/a waits although Node n has room; it says: ',
    'Pod default/b is bound to gone, which does not exist',
  ]);
});

test('a DaemonSet that forgot a node and says otherwise', () => {
  const daemonset = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { ...makeMeta({ name: 'ds', namespace: 'default' }), generation: 1 },
    spec: { selector: {}, template: { spec: { containers: [] } } },
    status: { desiredNumberScheduled: 0, currentNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  } as unknown as World['daemonsets'][number];
  expect(found(daemonsets(world({ nodes: [node('n')], daemonsets: [daemonset] })))).toEqual([
    'DaemonSet default/ds has no pod on n',
    'DaemonSet default/ds says desiredNumberScheduled 0; it is 1',
    'DaemonSet default/ds says observedGeneration undefined; it is 1',
  ]);
});

test('a dependent whose owner is gone, in a namespace that is gone', () => {
  const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'gone' };
  const pod = makePod('a', { metadata: { ownerReferences: [reference] } });
  expect(found(ownership(world({ objects: [pod] })))).toEqual([
    'Pod default/a is in a namespace that is gone',
    'Pod default/a outlives its owner ReplicaSet rs',
  ]);
});

test('a revision that is given twice', () => {
  const change = { revision: 7, key: '/core/pods/default/a', kind: 'put', atMs: 0 } as const;
  const history = { changes: [change, change], batches: [7, 7], hash: () => '' };
  expect(found(revisions(history))).toHaveLength(2);
});

test('a watch that repeats, loses and fails', () => {
  const version = (name: string, resourceVersion: string): KubeObject => {
    const pod = makePod(name);
    return { ...pod, metadata: { ...pod.metadata, resourceVersion } };
  };
  const events = [
    { type: 'ADDED', object: version('a', '5') },
    { type: 'MODIFIED', object: version('a', '5') },
  ];
  const watched = [{ id: '/v1/pods', initial: [], events, failure: 'expired' }];
  expect(found(watches(watched, world({ byResource: new Map([['/v1/pods', [version('b', '6')]]]) })))).toEqual([
    'the watch of /v1/pods failed: expired',
    'the watch of /v1/pods tells default/a at 5 after 5',
    'the watch of /v1/pods still shows default/a',
    'the watch of /v1/pods does not show default/b',
  ]);
  expect(found(same('a cache', [version('a', '1')], [version('a', '2')]))).toEqual(['a cache shows an old default/a']);
});

test('somebody who writes at rest, and a part that ended', () => {
  const put = (key: string) => ({ revision: 1, key, kind: 'put', atMs: 0 }) as const;
  const changes = [put('/coordination.k8s.io/leases/kube-node-lease/n'), put('/core/pods/default/a')];
  expect(found(quiet(changes, { eventWritesMax: 3 }))).toEqual([
    '/core/pods/default/a was written 1 times although nothing happened',
  ]);
  const problems = [{ component: 'gc', message: 'gc ended', error: new TypeError('x') }];
  expect(found(survived(problems))).toHaveLength(1);
});
