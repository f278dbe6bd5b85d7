/** The rows of pods on nodes for which {@link plan} has no story of its own: what is there, and what one look changes. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Node, Pod, PodSpec, Taint, Toleration } from '../../api/generated/core-v1.ts';
import { controllerrevisions, daemonsets, nodes, pods } from '../../api/generated/kinds.ts';
import { toTimestamp } from '../../base/clock.ts';
import {
  addNodes,
  createWorld,
  daemonset,
  meta,
  node,
  podSpec,
  ready,
  reconcile,
  runAll,
  startMs,
  terminating,
  unready,
  type World,
} from '../../testing/plan-world.ts';
import { controllerReference } from '../../workloads/owner.ts';
import { daemonsetController } from './controller.ts';
import type { Memory } from './observe.ts';
import { hashLabel, hashOf, targetNode } from './pod.ts';

type Strategy = DaemonSet['spec']['updateStrategy'];

let world: World;
let memories: Map<string, Memory>;
let placed: number;
const key = 'default/ds';

beforeEach(() => {
  world = createWorld();
  memories = new Map();
  placed = 0;
});

function sync(): readonly [number, number] {
  const lines = reconcile(world, { controller: daemonsetController, key, memories });
  const count = (start: string): number => lines.filter((text) => text.startsWith(start)).length;
  return [count('create pods'), count('delete pods')];
}

function run(): void {
  runAll(world, (pod) => targetNode(pod) ?? '');
}

function put({
  updateStrategy,
  spec = {},
}: {
  readonly updateStrategy?: Strategy;
  readonly spec?: Partial<PodSpec>;
}): void {
  const template = { metadata: { labels: { app: 'ds' } }, spec: { ...podSpec, ...spec } };
  world.put(daemonsets, daemonset('ds', { template, ...(updateStrategy !== undefined && { updateStrategy }) }));
}

function current(): DaemonSet {
  const found = world.of(daemonsets).get(key);
  if (found === undefined) throw new Error('no daemonset');
  return found;
}

/** The hash of the current template, once there has been one look at it. */
function currentHash(): string {
  const [last] = [...world.list(controllerrevisions)].sort((a, b) => b.revision - a.revision);
  return last?.metadata.labels?.[hashLabel] ?? '';
}

/** A serving pod, one second younger than the one before; of the set's when it carries its label. */
function place(nodeName: string, { app = 'ds', hash = 'old' } = {}): Pod {
  placed++;
  const metadata = meta(`${app}-${placed}`, {
    labels: { app, [hashLabel]: hash },
    creationTimestamp: toTimestamp(startMs + placed * 1_000),
    ...(app === 'ds' && { ownerReferences: [controllerReference(daemonset('ds'))] }),
  });
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec, status: {} };
  return world.put(pods, ready(pod, { nodeName, sinceMs: world.nowMs }));
}

function image(name: string): void {
  const { metadata, spec } = current();
  const template = { ...spec.template, spec: { ...spec.template.spec, containers: [{ name: 'app', image: name }] } };
  const generation = (metadata.generation ?? 1) + 1;
  world.put(daemonsets, { ...current(), metadata: { ...metadata, generation }, spec: { ...spec, template } });
}

const surging = (maxSurge: number | string): Strategy => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable: 0 },
});
const replacing = (maxUnavailable: number | string): Strategy => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxUnavailable },
});

describe.each<[string, Strategy]>([
  ['OnDelete', { type: 'OnDelete' }],
  ['RollingUpdate', replacing(1)],
])('with %s', (_, updateStrategy) => {
  const mixes: readonly [string, Partial<PodSpec>, readonly [number, number]][] = [
    ['a selector', { nodeSelector: { color: 'blue' } }, [3, 0]],
    [
      'required affinity',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'color', operator: 'In', values: ['blue'] }] }],
            },
          },
        },
      },
      [3, 0],
    ],
  ];
  test.each(mixes)('%s picks three of seven nodes', (_name, spec, expected) => {
    for (let number = 1; number <= 7; number++)
      world.put(nodes, node(`node-${number}`, { labels: number <= 3 ? { color: 'blue' } : {} }));
    put({ updateStrategy, spec });
    expect(sync()).toEqual(expected);
  });

  test('pods on nodes that are not picked go, surplus ones on those that are go, and foreign ones stay', () => {
    for (let number = 1; number <= 7; number++)
      world.put(nodes, node(`node-${number}`, { labels: number <= 3 ? { color: 'blue' } : {} }));
    put({ updateStrategy, spec: { nodeSelector: { color: 'blue' } } });
    sync();
    for (const pod of world.list(pods)) world.remove(pods, pod);
    const hash = currentHash();
    for (const name of ['node-1', 'node-1', 'node-1', 'node-4', 'node-5', 'node-5']) place(name, { hash });
    place('node-6', { app: 'other' });
    expect(sync()).toEqual([2, 5]);
  });

  test.each<[string, readonly (readonly [string, number])[], readonly [number, number]]>([
    [
      'a few',
      [
        ['node-1', 2],
        ['node-2', 1],
        ['node-3', 1],
      ],
      [5, 4],
    ],
    [
      'many',
      [
        ['node-1', 1],
        ['node-2', 3],
        ['node-3', 2],
        ['node-6', 13],
        ['node-7', 3],
      ],
      [3, 20],
    ],
  ])('of ten nodes of which five are picked, %s have to go', (_name, placedPods, expected) => {
    for (let number = 1; number <= 10; number++)
      world.put(nodes, node(`node-${number}`, { labels: number > 5 ? { color: 'blue' } : {} }));
    put({ updateStrategy, spec: { nodeSelector: { color: 'blue' } } });
    sync();
    for (const pod of world.list(pods)) world.remove(pods, pod);
    const hash = currentHash();
    for (const [name, count] of placedPods) for (let pod = 0; pod < count; pod++) place(name, { hash });
    place('node-2', { app: 'other' });
    expect(sync()).toEqual(expected);
  });

  const whatIsLeftToTheScheduler: readonly [string, Node, Partial<PodSpec>][] = [
    [
      'a node that is not ready',
      { ...node('node-1'), status: { conditions: [{ type: 'Ready', status: 'False' }] } },
      {},
    ],
    [
      'the condition of a missing network, without its taint',
      { ...node('node-1'), status: { conditions: [{ type: 'NetworkUnavailable', status: 'True' }] } },
      {},
    ],
    [
      'a node that is too small',
      { ...node('node-1'), status: { allocatable: { cpu: '100m' } } },
      { containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '64' } } }] },
    ],
    ['the field of a cordon, without its taint', { ...node('node-1'), spec: { unschedulable: true } }, {}],
  ];
  test.each(whatIsLeftToTheScheduler)('%s does not matter', (_name, object, spec) => {
    world.put(nodes, object);
    put({ updateStrategy, spec });
    expect(sync()).toEqual([1, 0]);
  });

  const port: Partial<PodSpec> = {
    containers: [{ name: 'app', image: 'app:1', ports: [{ containerPort: 80, hostPort: 80 }] }],
  };
  const most: Partial<PodSpec> = {
    containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '75m', memory: '75M' } } }],
  };
  test.each<[string, Partial<PodSpec>, string, string | undefined, readonly [number, number]]>([
    ['a host port that a foreign pod holds', port, 'other', undefined, [1, 0]],
    ['the same where the template names the node', port, 'other', 'node-1', [1, 0]],
    ['the same where the template names another node', port, 'other', 'node-9', [0, 0]],
    ['a host port that its own pod holds', port, 'ds', undefined, [0, 0]],
    ['the same where the template names the node of its own pod', port, 'ds', 'node-1', [0, 0]],
    ['what a foreign pod has taken of a node', most, 'other', undefined, [1, 0]],
    ['what a foreign pod has taken of the node that the template names', most, 'other', 'node-1', [1, 0]],
    ['what a foreign pod has taken while the template names another node', most, 'other', 'node-9', [0, 0]],
  ])('%s is left to the scheduler', (_name, spec, app, nodeName, expected) => {
    world.put(nodes, { ...node('node-1'), status: { allocatable: { cpu: '100m', memory: '100M' } } });
    put({ updateStrategy: { type: 'OnDelete' }, spec: { ...spec, ...(nodeName !== undefined && { nodeName }) } });
    const there = place('node-1', { app });
    world.put(pods, { ...there, spec: { ...there.spec, ...spec } });
    expect(sync()).toEqual(expected);
  });

  const a: Taint = { key: 'a', effect: 'NoSchedule' };
  const memory: Taint = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' };
  const processes: Taint = { key: 'node.kubernetes.io/pid-pressure', effect: 'NoSchedule' };
  test.each<[string, readonly Taint[], readonly Toleration[], number]>([
    ['a taint that nobody tolerates', [a], [], 0],
    ['a taint that is tolerated', [a], [{ key: 'a', operator: 'Exists' }], 1],
    ['a toleration without its taint', [], [{ key: 'a', operator: 'Exists' }], 1],
    ['all pressures at once', [memory, processes], [], 1],
  ])('%s', (_name, taints, tolerations, count) => {
    world.put(nodes, node('node-1', { taints: [...taints] }));
    put({ updateStrategy, spec: { tolerations } });
    expect(sync()).toEqual([count, 0]);
  });

  test('another set of the same name begins anew', () => {
    addNodes(world, 1);
    put({ updateStrategy });
    sync();
    for (const pod of world.list(pods)) world.remove(pods, pod);
    const again = current();
    world.put(daemonsets, { ...again, metadata: { ...again.metadata, uid: 'another' } });
    for (const revision of world.list(controllerrevisions)) world.remove(controllerrevisions, revision);
    expect(sync()).toEqual([1, 0]);
  });

  test('the status follows the pods and the generation', () => {
    addNodes(world, 2);
    put({ updateStrategy });
    sync();
    expect(current().status).toMatchObject({ numberReady: 0, observedGeneration: 1 });
    run();
    sync();
    expect(current().status.numberReady).toBe(2);
    image('app:2');
    sync();
    expect(current().status.observedGeneration).toBe(2);
  });
});

describe('pods of two revisions, with surge', () => {
  const start = (): string => {
    addNodes(world, 5);
    put({ updateStrategy: surging(3) });
    sync();
    for (const pod of world.list(pods)) world.remove(pods, pod);
    return currentHash();
  };

  test('surplus up-to-date pods go, missing ones come', () => {
    const hash = start();
    for (const name of ['node-1', 'node-2', 'node-2', 'node-3', 'node-3', 'node-3', 'node-3', 'node-3'])
      place(name, { hash });
    place('node-4', { app: 'other' });
    place('node-4', { app: 'other' });
    expect(sync()).toEqual([2, 5]);
  });

  test('an old pod that serves nobody goes as soon as there is a new one, beside a surplus one', () => {
    const hash = start();
    place('node-1', { hash });
    place('node-1', { hash });
    world.put(pods, unready(place('node-2')));
    world.put(pods, unready(place('node-2', { hash })));
    expect(sync()).toEqual([3, 2]);
  });

  test.each([
    [10, [3, 1]],
    [15, [3, 2]],
  ])(
    'an old pod goes once the new one has served for 15 s, beside a surplus one: after %i s %j',
    (seconds, expected) => {
      const hash = start();
      const { metadata, spec } = current();
      world.put(daemonsets, { ...current(), metadata, spec: { ...spec, minReadySeconds: 15 } });
      world.nowMs -= 60_000;
      place('node-1', { hash });
      place('node-1', { hash });
      place('node-2');
      world.nowMs += 60_000 - seconds * 1_000;
      place('node-2', { hash });
      world.nowMs += seconds * 1_000;
      expect(sync()).toEqual(expected);
    },
  );

  test('of two old pods that serve the older one stays until a new one serves', () => {
    const hash = start();
    place('node-1', { hash });
    const older = place('node-2');
    const younger = place('node-2');
    // Three for nodes without a pod; the fourth is the one beside the old pod, for which upstream takes another look.
    expect(sync()).toEqual([4, 1]);
    const left = world.list(pods).map(({ metadata }) => metadata.name);
    expect(left).toContain(older.metadata.name);
    expect(left).not.toContain(younger.metadata.name);
  });
});

describe('a rollout', () => {
  const start = (updateStrategy: Strategy, count = 5): void => {
    addNodes(world, count);
    put({ updateStrategy });
    sync();
    run();
    sync();
  };

  test('does not begin without a change', () => {
    start(replacing(2));
    expect(sync()).toEqual([0, 0]);
    start(surging(2));
    expect(sync()).toEqual([0, 0]);
  });

  test('with surge passes by the budget where the old pods serve nobody', () => {
    start(surging(3));
    for (const pod of world.list(pods)) world.put(pods, unready(pod));
    image('app:2');
    expect(sync()).toEqual([5, 0]);
    expect(sync()).toEqual([0, 5]);
    expect(sync()).toEqual([0, 0]);
    expect(new Set(world.list(pods).map(hashOf))).toEqual(new Set([currentHash()]));
  });

  test.each<[Strategy, number, readonly [number, number]]>([
    [replacing(1), 2, [0, 1]],
    [replacing(0), 2, [0, 1]],
    [replacing('50%'), 2, [0, 1]],
    [replacing('50%'), 3, [0, 2]],
    [surging('50%'), 2, [1, 0]],
    [surging('100%'), 2, [2, 0]],
    [replacing(1), 0, [0, 0]],
  ])('%o on %i nodes begins with %o', (updateStrategy, count, expected) => {
    start(updateStrategy, count);
    image('app:2');
    expect(sync()).toEqual(expected);
  });

  test('with surge and a time to wait, an old pod that stops serving lets one more through', () => {
    start(surging(3));
    world.nowMs += 60_000;
    const { metadata, spec } = current();
    world.put(daemonsets, { ...current(), metadata, spec: { ...spec, minReadySeconds: 15 } });
    image('app:2');
    expect(sync()).toEqual([3, 0]);
    // Two of the three begin to serve, and on a node without a new pod the old one stops.
    const fresh = world.list(pods).filter((pod) => hashOf(pod) === currentHash());
    for (const pod of fresh.slice(0, 2))
      world.put(pods, ready(pod, { sinceMs: world.nowMs, nodeName: targetNode(pod) ?? '' }));
    const taken = new Set(fresh.map(targetNode));
    const alone = world.list(pods).find((pod) => !taken.has(targetNode(pod)));
    if (alone === undefined) throw new Error('all nodes have been reached');
    world.put(pods, unready(alone));
    expect(sync()).toEqual([1, 0]);
    world.nowMs += 14_999;
    expect(sync()).toEqual([0, 1]);
    world.nowMs += 1;
    expect(sync()).toEqual([1, 2]);
    run();
    world.nowMs += 15_000;
    expect(sync()).toEqual([0, 2]);
    expect(sync()).toEqual([0, 0]);
  });

  test('leaves a revision of another namespace alone and takes an orphan of its own', () => {
    start(replacing(1));
    const [revision] = world.list(controllerrevisions);
    if (revision === undefined) throw new Error('no revision');
    const orphan = { ...revision.metadata, ownerReferences: [] };
    world.put(controllerrevisions, { ...revision, metadata: orphan });
    world.put(controllerrevisions, { ...revision, metadata: { ...orphan, namespace: 'elsewhere', uid: 'elsewhere' } });
    sync();
    const owned = world.of(controllerrevisions).ownedBy(current().metadata.uid ?? '');
    expect(owned.map(({ metadata }) => metadata.namespace)).toEqual(['default']);
  });

  test('gives a node whose only pod is stopping its new one beyond the surge', () => {
    start(surging(1), 1);
    image('app:2');
    for (const pod of world.list(pods)) world.put(pods, terminating(pod));
    expect(sync()).toEqual([1, 0]);
  });
});
