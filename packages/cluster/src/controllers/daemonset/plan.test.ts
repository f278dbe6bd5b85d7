import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Pod, Taint } from '../../api/generated/core-v1.ts';
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
import { hashOf, targetNode } from './pod.ts';

let world: World;
let memories: Map<string, Memory>;
const key = 'default/ds';

beforeEach(() => {
  world = createWorld();
  memories = new Map();
});

/** Creates, deletes and events of one plan, as upstream's tests count them. */
function sync(): readonly [number, number, number] {
  const lines = reconcile(world, { controller: daemonsetController, key, memories });
  const count = (start: string): number => lines.filter((text) => text.startsWith(start)).length;
  return [count('create pods'), count('delete pods'), count('emit')];
}

function run(): void {
  runAll(world, (pod) => targetNode(pod) ?? '');
}

function current(): DaemonSet {
  const found = world.of(daemonsets).get(key);
  if (found === undefined) throw new Error('no daemonset');
  return found;
}

function change(spec: Partial<DaemonSet['spec']>): void {
  const before = current();
  const generation = (before.metadata.generation ?? 1) + 1;
  world.put(daemonsets, { ...before, metadata: { ...before.metadata, generation }, spec: { ...before.spec, ...spec } });
}

function image(name: string): void {
  const { template } = current().spec;
  change({ template: { ...template, spec: { ...template.spec, containers: [{ name: 'app', image: name }] } } });
}

let sequence = 0;
/** Pods on a node, one second apart; they belong to the DaemonSet when they carry its label. */
function place(nodeName: string, count: number, { app = 'ds', phase = 'Running' } = {}): readonly Pod[] {
  return Array.from({ length: count }, () => {
    sequence++;
    const creationTimestamp = toTimestamp(startMs + sequence * 1_000);
    const metadata = meta(`${app}-${sequence}`, {
      labels: { app },
      creationTimestamp,
      ...(app === 'ds' && { ownerReferences: [controllerReference(daemonset('ds'))] }),
    });
    return world.put(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { ...podSpec, nodeName },
      status: { phase },
    });
  });
}

const strategies: readonly DaemonSet['spec']['updateStrategy'][] = [
  { type: 'OnDelete' },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
];

describe.each(strategies)('with the strategy %o', (updateStrategy) => {
  const put = (spec: Partial<DaemonSet['spec']> = {}): DaemonSet =>
    world.put(daemonsets, daemonset('ds', { updateStrategy: updateStrategy ?? {}, ...spec }));
  const withSpec = (spec: Partial<Pod['spec']>): DaemonSet =>
    put({ template: { metadata: { labels: { app: 'ds' } }, spec: { ...podSpec, ...spec } } });

  test.each([
    [0, 0],
    [1, 1],
    [5, 5],
    [300, 250],
  ])('%i nodes get %i pods in one plan', (count, created) => {
    addNodes(world, count);
    put();
    expect(sync()).toEqual([created, 0, 0]);
    expect(sync()).toEqual([count - created, 0, 0]);
    expect(sync()).toEqual([0, 0, 0]);
  });

  test('of very many nodes a sixteenth gets its pods in one plan, so that a plan does more than it looks at', () => {
    addNodes(world, 4_800);
    put();
    expect(sync()).toEqual([300, 0, 0]);
    expect(sync()).toEqual([300, 0, 0]);
  });

  test('a pod is pinned to its node by name and left to the scheduler', () => {
    addNodes(world, 1);
    withSpec({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1', 'node-2'] }] },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }],
        },
        podAntiAffinity: {},
      },
    });
    sync();
    const [pod] = world.list(pods);
    expect(pod?.spec.nodeName).toBeUndefined();
    expect(pod?.spec.affinity).toEqual({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }],
      },
      podAntiAffinity: {},
    });
    expect(pod?.metadata).toMatchObject({
      generateName: 'ds-',
      ownerReferences: [{ kind: 'DaemonSet', name: 'ds', controller: true, blockOwnerDeletion: true }],
    });
  });

  test('surplus pods go, foreign ones stay, the oldest of a node is kept', () => {
    addNodes(world, 5);
    put({ updateStrategy: { type: 'OnDelete' } });
    place('node-1', 1);
    const [, ...younger] = place('node-2', 2);
    place('node-3', 5);
    place('node-4', 2, { app: 'other' });
    expect(sync()).toEqual([2, 5, 0]);
    expect(world.of(pods).get(`default/${younger[0]?.metadata.name}`)).toBeUndefined();
  });

  test('a node selector adds and removes pods', () => {
    for (let number = 1; number <= 7; number++)
      world.put(nodes, node(`node-${number}`, { labels: number <= 3 ? { color: 'blue' } : {} }));
    withSpec({ nodeSelector: { color: 'blue' } });
    expect(sync()).toEqual([3, 0, 0]);
    world.put(nodes, node('node-1'));
    expect(sync()).toEqual([0, 1, 0]);
  });

  test('a selector that no node has runs nothing', () => {
    addNodes(world, 4);
    withSpec({ nodeSelector: { color: 'blue' } });
    expect(sync()).toEqual([0, 0, 0]);
  });

  test.each([
    ['node-1', {}, 1],
    ['node-9', {}, 0],
    ['node-1', { color: 'blue' }, 1],
    ['node-2', { color: 'blue' }, 0],
  ])('a template that names %s and selects %o runs on %i nodes', (nodeName, nodeSelector, count) => {
    world.put(nodes, node('node-1', { labels: { color: 'blue' } }));
    world.put(nodes, node('node-2'));
    withSpec({ nodeName, nodeSelector });
    expect(sync()).toEqual([count, 0, 0]);
  });

  test.each([
    [1, 0, [0, 1, 1]],
    [1, 3, [0, 3, 1]],
    [0, 0, [1, 0, 0]],
    [0, 1, [0, 0, 0]],
  ])('%i failed and %i normal pods on a node', (failed, normal, expected) => {
    addNodes(world, 1);
    put({ updateStrategy: { type: 'OnDelete' } });
    place('node-1', failed, { phase: 'Failed' });
    place('node-1', normal);
    expect(sync()).toEqual(expected);
  });

  test.each<[string, Taint, boolean, readonly number[]]>([
    ['NoSchedule keeps a running pod', { key: 'a', effect: 'NoSchedule' }, true, [0, 0, 0]],
    ['NoExecute removes a running pod', { key: 'a', effect: 'NoExecute' }, true, [0, 1, 0]],
    ['NoSchedule keeps new pods away', { key: 'a', effect: 'NoSchedule' }, false, [0, 0, 0]],
    ['PreferNoSchedule does not matter', { key: 'a', effect: 'PreferNoSchedule' }, false, [1, 0, 0]],
    ['not-ready does not matter', { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }, false, [1, 0, 0]],
    ['unreachable does not matter', { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }, false, [1, 0, 0]],
    ['pressure does not matter', { key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }, false, [1, 0, 0]],
    ['a cordon does not matter', { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }, false, [1, 0, 0]],
    [
      'no network matters without the host network',
      { key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' },
      false,
      [0, 0, 0],
    ],
  ])('%s', (_, taint, isThere, expected) => {
    put({ updateStrategy: { type: 'OnDelete' } });
    world.put(nodes, node('node-1', { taints: [taint] }));
    if (isThere) place('node-1', 1);
    expect(sync()).toEqual(expected);
  });

  test('a terminating pod keeps its place until it is gone', () => {
    addNodes(world, 1);
    put();
    const [pod] = place('node-1', 1);
    if (pod) world.put(pods, terminating(pod));
    expect(sync()).toEqual([0, 0, 0]);
    if (pod) world.remove(pods, pod);
    expect(sync()).toEqual([1, 0, 0]);
  });

  test('a pod that is over and waits for its finalizers does not keep its place', () => {
    addNodes(world, 1);
    put();
    const [pod] = place('node-1', 1, { phase: 'Failed' });
    if (pod) world.put(pods, terminating(pod));
    expect(sync()).toEqual([1, 0, 0]);
  });

  test('a succeeded pod is replaced without delay', () => {
    addNodes(world, 1);
    put();
    for (let time = 0; time < 3; time++) {
      for (const pod of world.list(pods)) world.remove(pods, pod);
      place('node-1', 1, { phase: 'Succeeded' });
      expect(sync()).toEqual([0, 1, 1]);
      expect(sync()).toEqual([1, 0, 0]);
    }
  });

  test.each([
    [
      'Failed',
      {
        type: 'Warning',
        reason: 'FailedDaemonPod',
        note: /^Found failed daemon pod default\/(.*) on node node-1, will try to kill it$/,
      },
    ],
    [
      'Succeeded',
      {
        type: 'Normal',
        reason: 'SucceededDaemonPod',
        note: /^Found succeeded daemon pod default\/(.*) on node node-1, will try to delete it$/,
      },
    ],
  ])('a pod that has %s is told of with the set', (phase, { note, ...expected }) => {
    addNodes(world, 1);
    const set = put();
    const [pod] = place('node-1', 1, { phase });
    const observed = daemonsetController.observe(key, world, undefined);
    const { actions = [] } = observed ? daemonsetController.plan(observed, world.nowMs) : {};
    const [told, ...others] = actions.filter((action) => action.do === 'emit');
    expect(others).toEqual([]);
    expect(told).toMatchObject({ ...expected, regarding: { metadata: { uid: set.metadata.uid } } });
    expect(note.exec(told?.note ?? '')?.[1]).toBe(pod?.metadata.name);
  });

  test('the status has the pods that a plan made as soon as it looks again, whatever the pods come to', () => {
    addNodes(world, 5);
    put();
    expect(sync()).toEqual([5, 0, 0]);
    sync();
    expect(current().status).toMatchObject({ desiredNumberScheduled: 5, currentNumberScheduled: 5, numberReady: 0 });
  });

  test('an unscheduled pod whose node is gone is deleted, a bound one is left to others', () => {
    addNodes(world, 2);
    put();
    sync();
    const [first, second] = world.list(pods);
    if (first) world.put(pods, ready(first, { nodeName: 'node-1' }));
    for (const object of world.list(nodes)) world.remove(nodes, object);
    expect(sync()).toEqual([0, 1, 0]);
    expect(world.list(pods).map(({ metadata }) => metadata.name)).not.toContain(second?.metadata.name);
  });

  test('an empty selector is refused with an event', () => {
    addNodes(world, 3);
    put({ selector: {} });
    expect(sync()).toEqual([0, 0, 1]);
    const observed = daemonsetController.observe(key, world, undefined);
    expect(observed && daemonsetController.plan(observed, world.nowMs).actions).toEqual([
      {
        do: 'emit',
        regarding: current(),
        type: 'Warning',
        reason: 'SelectingAll',
        note: 'This daemon set is selecting all pods. A non-empty selector is required.',
      },
    ]);
    expect(current().status.desiredNumberScheduled).toBe(0);
  });

  test('nothing happens while the DaemonSet is being deleted, not even to an orphan that matches', () => {
    addNodes(world, 2);
    world.put(daemonsets, terminating(daemonset('ds')));
    place('node-1', 2);
    const [orphan] = place('node-2', 1);
    if (orphan) world.put(pods, { ...orphan, metadata: { ...orphan.metadata, ownerReferences: [] } });
    expect(reconcile(world, { controller: daemonsetController, key })).toEqual([]);
  });
});

describe('failed pods', () => {
  test('the delay starts at one second, doubles, and a change of the spec forgives', () => {
    addNodes(world, 1);
    world.put(daemonsets, daemonset('ds', { updateStrategy: { type: 'OnDelete' } }));
    const fails = (): readonly number[] => {
      place('node-1', 1, { phase: 'Failed' });
      return sync();
    };
    expect(fails()).toEqual([0, 1, 1]);
    expect(fails()).toEqual([0, 0, 0]);
    world.nowMs += 999;
    expect(sync()).toEqual([0, 0, 0]);
    world.nowMs += 1;
    expect(sync()).toEqual([0, 1, 1]);
    expect(fails()).toEqual([0, 0, 0]);
    world.nowMs += 1_999;
    expect(sync()).toEqual([0, 0, 0]);
    change({ minReadySeconds: 1 });
    expect(sync()).toEqual([0, 1, 1]);
  });

  test('the controller looks again when the delay is over', () => {
    addNodes(world, 1);
    world.put(daemonsets, daemonset('ds', { updateStrategy: { type: 'OnDelete' } }));
    place('node-1', 2, { phase: 'Failed' });
    sync();
    world.nowMs += 400;
    const observed = daemonsetController.observe(key, world, memories.get(key));
    expect(observed && daemonsetController.plan(observed, world.nowMs).againInMs).toBe(600);
  });
});

describe('status', () => {
  test('counts what should run, what does, and what should not', () => {
    addNodes(world, 3);
    world.put(daemonsets, daemonset('ds'));
    sync();
    run();
    world.put(nodes, node('node-3', { taints: [{ key: 'a', effect: 'NoSchedule' }] }));
    world.put(nodes, node('node-4'));
    sync();
    sync();
    expect(current().status).toEqual({
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberMisscheduled: 1,
      numberReady: 2,
      numberAvailable: 2,
      numberUnavailable: 1,
      updatedNumberScheduled: 3,
      observedGeneration: 1,
    });
  });

  test('a ready pod is available only after minReadySeconds, and the controller looks again then', () => {
    addNodes(world, 1);
    world.put(daemonsets, daemonset('ds', { minReadySeconds: 10 }));
    sync();
    run();
    const observed = daemonsetController.observe(key, world, undefined);
    expect(observed && daemonsetController.plan(observed, world.nowMs + 4_000).againInMs).toBe(6_000);
    sync();
    expect(current().status.numberAvailable).toBeUndefined();
    world.nowMs += 10_000;
    sync();
    expect(current().status.numberAvailable).toBe(1);
  });
});

describe('rolling update', () => {
  const start = (rollingUpdate: { maxUnavailable?: number | string; maxSurge?: number | string }): void => {
    addNodes(world, 5);
    world.put(daemonsets, daemonset('ds', { updateStrategy: { type: 'RollingUpdate', rollingUpdate } }));
    sync();
    run();
    sync();
  };
  const images = (): readonly string[] =>
    world
      .list(pods)
      .map(({ spec }) => spec.containers[0]?.image ?? '')
      .sort();

  test.each([2, '40%', '25%'])('maxUnavailable %s of five: two, two, one', (maxUnavailable) => {
    start({ maxUnavailable });
    image('app:2');
    for (const expected of [2, 2, 1]) {
      expect(sync()).toEqual([0, expected, 0]);
      expect(sync()).toEqual([expected, 0, 0]);
      expect(sync()).toEqual([0, 0, 0]);
      run();
    }
    expect(sync()).toEqual([0, 0, 0]);
    expect(images()).toEqual(Array.from({ length: 5 }, () => 'app:2'));
  });

  test('no room at all counts as one', () => {
    start({ maxUnavailable: 0, maxSurge: 0 });
    image('app:2');
    expect(sync()).toEqual([0, 1, 0]);
  });

  test('pods that never get ready stop the rollout', () => {
    start({ maxUnavailable: 3 });
    image('app:2');
    expect(sync()).toEqual([0, 3, 0]);
    expect(sync()).toEqual([3, 0, 0]);
    for (const pod of world.list(pods)) if (pod.status.phase === 'Pending') world.put(pods, unready(pod));
    expect(sync()).toEqual([0, 0, 0]);
  });

  test('old pods that serve nobody are replaced at once', () => {
    start({ maxUnavailable: 3 });
    for (const pod of world.list(pods)) world.put(pods, unready(pod));
    image('app:2');
    expect(sync()).toEqual([0, 5, 0]);
    expect(sync()).toEqual([5, 0, 0]);
  });

  test('maxSurge 2: new pods first, old ones when the new ones serve', () => {
    start({ maxSurge: 2, maxUnavailable: 0 });
    image('app:2');
    expect(sync()).toEqual([2, 0, 0]);
    expect(sync()).toEqual([0, 0, 0]);
    run();
    expect(sync()).toEqual([2, 2, 0]);
    run();
    expect(sync()).toEqual([1, 2, 0]);
    run();
    expect(sync()).toEqual([0, 1, 0]);
    expect(sync()).toEqual([0, 0, 0]);
    expect(images()).toEqual(Array.from({ length: 5 }, () => 'app:2'));
  });

  test('maxSurge 1 and a lost toleration: the tainted node loses its pod as soon as nobody misses it', () => {
    addNodes(world, 4);
    world.put(nodes, node('node-5', { taints: [{ key: 'a', effect: 'NoSchedule' }] }));
    const tolerations = [{ key: 'a', operator: 'Exists' }];
    const template = { metadata: { labels: { app: 'ds' } }, spec: { ...podSpec, tolerations } };
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    world.put(daemonsets, daemonset('ds', { template, updateStrategy }));
    expect(sync()).toEqual([5, 0, 0]);
    run();
    change({ template: { ...template, spec: podSpec } });
    const placesOf = (): readonly (string | undefined)[] => world.list(pods).map((pod) => targetNode(pod));
    // Upstream's TestDaemonSetUpdatesPodsNotMatchTainstWithMaxSurge.
    expect(sync()).toEqual([1, 1, 0]);
    expect(placesOf()).not.toContain('node-5');
    for (let step = 0; step < 3; step++) {
      run();
      expect(sync()).toEqual([1, 1, 0]);
    }
    run();
    expect(sync()).toEqual([0, 1, 0]);
    expect(sync()).toEqual([0, 0, 0]);
    expect(placesOf()).toHaveLength(4);
  });

  test('with surge it keeps its pod while another node needs one that serves', () => {
    addNodes(world, 4);
    world.put(nodes, node('node-5', { taints: [{ key: 'a', effect: 'NoSchedule' }] }));
    const tolerations = [{ key: 'a', operator: 'Exists' }];
    const template = { metadata: { labels: { app: 'ds' } }, spec: { ...podSpec, tolerations } };
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    world.put(daemonsets, daemonset('ds', { template, updateStrategy }));
    sync();
    run();
    const [broken] = world.list(pods).filter((pod) => targetNode(pod) === 'node-1');
    if (broken) world.put(pods, unready(broken));
    change({ template: { ...template, spec: podSpec } });
    // One for the node whose pod serves nobody, which costs nothing, and one by the budget.
    expect(sync()).toEqual([2, 0, 0]);
    expect(world.list(pods).map((pod) => targetNode(pod))).toContain('node-5');
  });

  test('with surge the old pod stays until the new one has been ready for long enough', () => {
    start({ maxSurge: 1, maxUnavailable: 0 });
    image('app:2');
    change({ minReadySeconds: 15 });
    world.nowMs += 60_000;
    expect(sync()).toEqual([1, 0, 0]);
    run();
    world.nowMs += 10_000;
    expect(sync()).toEqual([0, 0, 0]);
    world.nowMs += 5_000;
    expect(sync()).toEqual([1, 1, 0]);
  });

  test('with surge an unready old pod goes as soon as there is a new one', () => {
    start({ maxSurge: 1, maxUnavailable: 0 });
    image('app:2');
    sync();
    const surged = world.list(pods).find(({ status }) => status.phase === 'Pending');
    const old = world.list(pods).find((pod) => pod !== surged && surged && targetNode(pod) === targetNode(surged));
    if (old) world.put(pods, unready(old));
    // The new pod was charged to the surge; now that it stands alone, the next node's turn comes.
    expect(sync()).toEqual([1, 1, 0]);
  });

  test('with surge a node whose only pod is terminating gets its new one beyond the budget', () => {
    start({ maxSurge: 1, maxUnavailable: 0 });
    image('app:2');
    sync();
    const old = world.list(pods).filter((pod) => pod.status.phase === 'Running');
    const alone = old.find(
      (pod) => world.list(pods).filter((other) => targetNode(other) === targetNode(pod)).length === 1,
    );
    if (alone) world.put(pods, terminating(alone));
    expect(sync()).toEqual([1, 0, 0]);
  });

  test('with surge a terminating pod beside one that stays needs no replacement', () => {
    start({ maxSurge: 1, maxUnavailable: 0 });
    const [extra] = place('node-1', 1);
    if (extra) world.put(pods, terminating(extra));
    expect(sync()).toEqual([0, 0, 0]);
  });

  test('OnDelete changes nothing by itself, and new pods have the new template', () => {
    start({ maxUnavailable: 1 });
    change({ updateStrategy: { type: 'OnDelete' } });
    image('app:2');
    expect(sync()).toEqual([0, 0, 0]);
    expect(world.list(controllerrevisions).map(({ revision }) => revision)).toEqual([1, 2]);
    const [pod] = world.list(pods);
    if (pod) world.remove(pods, pod);
    expect(sync()).toEqual([1, 0, 0]);
    expect(images()).toEqual(['app:1', 'app:1', 'app:1', 'app:1', 'app:2']);
  });

  test('a rollback in the middle restarts only what had changed', () => {
    start({ maxUnavailable: 1 });
    image('app:2');
    sync();
    sync();
    const untouched = world.list(pods).filter(({ status }) => status.phase === 'Running');
    image('app:1');
    expect(sync()).toEqual([0, 1, 0]);
    expect(sync()).toEqual([1, 0, 0]);
    run();
    expect(sync()).toEqual([0, 0, 0]);
    expect(world.list(pods)).toEqual(expect.arrayContaining([...untouched]));
    expect(
      world
        .list(controllerrevisions)
        .map(({ revision }) => revision)
        .sort((a, b) => a - b),
    ).toEqual([2, 3]);
  });
});

test('a revision stays as long as a pod carries its hash, also one that is over and waits for its finalizers', () => {
  addNodes(world, 1);
  world.put(daemonsets, daemonset('ds', { revisionHistoryLimit: 0 }));
  sync();
  run();
  const [old] = world.list(pods);
  if (old) world.put(pods, terminating({ ...old, status: { phase: 'Failed' } }));
  image('app:2');
  for (let round = 0; round < 3; round++) sync();
  const revisions = (): readonly number[] => world.list(controllerrevisions).map(({ revision }) => revision);
  expect(revisions()).toEqual([1, 2]);
  if (old) world.remove(pods, old);
  sync();
  expect(revisions()).toEqual([2]);
});

describe('adoption', () => {
  test('orphans of an orphaning deletion are adopted with their history, and nothing restarts', () => {
    addNodes(world, 3);
    world.put(daemonsets, daemonset('ds'));
    sync();
    run();
    const before = world.list(pods).map(({ metadata }) => metadata.uid);
    for (const pod of world.list(pods)) world.put(pods, { ...pod, metadata: { ...pod.metadata, ownerReferences: [] } });
    for (const revision of world.list(controllerrevisions))
      world.put(controllerrevisions, { ...revision, metadata: { ...revision.metadata, ownerReferences: [] } });
    const again = daemonset('ds');
    world.put(daemonsets, { ...again, metadata: { ...again.metadata, uid: 'another' } });
    expect(sync()).toEqual([0, 0, 0]);
    expect(sync()).toEqual([0, 0, 0]);
    expect(world.list(pods).map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(world.of(pods).ownedBy('another')).toHaveLength(3);
    expect(world.of(controllerrevisions).ownedBy('another')).toHaveLength(1);
  });

  test('a pod that no longer matches is released and replaced', () => {
    addNodes(world, 1);
    world.put(daemonsets, daemonset('ds'));
    sync();
    const [pod] = world.list(pods);
    if (pod) world.put(pods, { ...pod, metadata: { ...pod.metadata, labels: { app: 'mine' } } });
    expect(sync()).toEqual([1, 0, 0]);
    expect(world.of(pods).get(`default/${pod?.metadata.name}`)?.metadata.ownerReferences).toEqual([]);
  });
});

describe('laws', () => {
  const taints: readonly Taint[] = [
    { key: 'a', effect: 'NoSchedule' },
    { key: 'a', effect: 'NoExecute' },
  ];
  const changes = fc.array(
    fc.oneof(
      fc.record({ node: fc.nat(7), taint: fc.constantFrom(undefined, ...taints) }),
      fc.record({ image: fc.constantFrom('app:1', 'app:2', 'app:3') }),
      fc.record({ lose: fc.nat(9) }),
      fc.record({ fail: fc.nat(9) }),
    ),
    { maxLength: 12, size: 'max' },
  );
  const rollouts = fc.constantFrom<DaemonSet['spec']['updateStrategy']>(
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 2 } },
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '30%' } },
  );

  test('settles: after any changes there is one up-to-date pod per eligible node, and nothing left to plan', () => {
    fc.assert(
      fc.property(changes, rollouts, (steps, updateStrategy) => {
        world = createWorld();
        memories = new Map();
        world.put(daemonsets, daemonset('ds', { updateStrategy: updateStrategy ?? {} }));
        for (const step of steps) {
          disturb(step);
          sync();
        }
        for (let round = 0; round < 40; round++) {
          sync();
          run();
          world.nowMs += 2_000_000;
        }
        expect(reconcile(world, { controller: daemonsetController, key, memories })).toEqual([]);
        const revisions = new Set(world.list(pods).map(hashOf));
        expect(revisions.size).toBeLessThanOrEqual(1);
        const targets = world.list(pods).map(targetNode);
        expect(new Set(targets).size).toBe(targets.length);
        const free = world.list(nodes).filter(({ spec }) => spec.taints?.length === 0);
        for (const { metadata } of free) expect(targets).toContain(metadata.name);
      }),
      { numRuns: 60 },
    );
  });

  function disturb(step: {
    node?: number;
    taint?: Taint | undefined;
    image?: string;
    lose?: number;
    fail?: number;
  }): void {
    if (step.node !== undefined)
      world.put(nodes, node(`node-${step.node}`, { taints: step.taint === undefined ? [] : [step.taint] }));
    if (step.image !== undefined) image(step.image);
    const lost = world.list(pods)[step.lose ?? -1];
    if (lost !== undefined) world.remove(pods, lost);
    const failed = world.list(pods)[step.fail ?? -1];
    if (failed !== undefined) world.put(pods, { ...failed, status: { phase: 'Failed' } });
  }

  test('a rollout never has more pods unavailable than allowed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (count, maxUnavailable) => {
        world = createWorld();
        addNodes(world, count);
        const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } };
        world.put(daemonsets, daemonset('ds', { updateStrategy }));
        sync();
        run();
        image('app:2');
        for (let round = 0; round < 30; round++) {
          sync();
          const serving = world.list(pods).filter(({ status }) => status.phase === 'Running').length;
          expect(serving).toBeGreaterThanOrEqual(count - maxUnavailable);
          if (round % 3 === 0) run();
        }
        expect(world.list(pods).every(({ spec }) => spec.containers[0]?.image === 'app:2')).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
