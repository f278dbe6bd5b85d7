import { beforeEach, expect, test } from 'vitest';
import type { DaemonSet, DaemonSetCondition } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { daemonsets, nodes, pods } from '../../api/generated/kinds.ts';
import {
  addNodes,
  createWorld,
  daemonset,
  node,
  reconcile,
  runAll,
  unready,
  type World,
} from '../../testing/plan-world.ts';
import { daemonsetController } from './controller.ts';
import { targetNode } from './pod.ts';

let world: World;
const key = 'default/ds';

beforeEach(() => {
  world = createWorld();
  addNodes(world, 4);
});

function current(): DaemonSet {
  const found = world.of(daemonsets).get(key);
  if (found === undefined) throw new Error('no daemonset');
  return found;
}

/** Until nothing more is planned. */
function settle({ running = true } = {}): void {
  for (let round = 0; round < 20; round++) {
    const lines = reconcile(world, { controller: daemonsetController, key });
    if (running) runAll(world, (pod) => targetNode(pod) ?? '');
    if (lines.length === 0) return;
  }
  throw new Error('it goes on planning');
}

function begin(rollingUpdate: object = { maxUnavailable: 1 }): void {
  world.put(daemonsets, daemonset('ds', { updateStrategy: { type: 'RollingUpdate', rollingUpdate } }));
  settle();
}

function image(name: string): void {
  const before = current();
  const { template } = before.spec;
  const changed = { ...template, spec: { ...template.spec, containers: [{ name: 'app', image: name }] } };
  const metadata = { ...before.metadata, generation: (before.metadata.generation ?? 1) + 1 };
  world.put(daemonsets, { ...before, metadata, spec: { ...before.spec, template: changed } });
}

const on = (name: string): Pod[] => world.list(pods).filter((pod) => targetNode(pod) === name);

function readiness(name: string, status: 'True' | 'Unknown'): void {
  world.put(nodes, { ...node(name), status: { conditions: [{ type: 'Ready', status }] } });
  if (status !== 'True') for (const pod of on(name)) world.put(pods, unready(pod));
}

const blocked = (): DaemonSetCondition | undefined =>
  current().status?.conditions?.find(({ type }) => type === 'RolloutBlocked');

test('a set that rolls has no condition, before and after', () => {
  begin();
  expect(current().status).not.toHaveProperty('conditions');
  image('app:2');
  settle();
  expect(current().status?.updatedNumberScheduled).toBe(4);
  expect(current().status).not.toHaveProperty('conditions');
});

test('a dead node that takes up the budget is named, and forgotten once it is back', () => {
  begin();
  readiness('node-2', 'Unknown');
  image('app:2');
  settle({ running: false });
  expect(blocked()).toMatchObject({
    status: 'True',
    reason: 'NodeNotReady',
    message: '1 node in the way: node-2 (the node is not ready); 3 nodes waiting',
  });
  readiness('node-2', 'True');
  for (const pod of on('node-2')) world.put(pods, { ...pod, status: { phase: 'Pending' } });
  settle();
  expect(current().status?.updatedNumberScheduled).toBe(4);
  expect(current().status).not.toHaveProperty('conditions');
});

test('a pod that fits nowhere and one that cannot start are told, with how many nodes wait', () => {
  begin({ maxUnavailable: 2 });
  image('app:2');
  settle({ running: false });
  const [first, second] = world.list(pods).filter(({ status }) => status.phase === 'Pending');
  if (first === undefined || second === undefined) throw new Error('nothing was replaced');
  expect(blocked()).toBeUndefined();
  const unschedulable = { type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' };
  world.put(pods, { ...first, status: { phase: 'Pending', conditions: [unschedulable] } });
  settle({ running: false });
  expect(blocked()).toBeUndefined();
  const state = { waiting: { reason: 'ImagePullBackOff' } };
  const failing = { name: 'app', image: 'app:2', imageID: '', ready: false, restartCount: 0, state };
  world.put(pods, { ...second, status: { phase: 'Pending', containerStatuses: [failing] } });
  settle({ running: false });
  const { reason, message } = blocked() ?? {};
  expect(reason).toMatch(/^(PodUnschedulable|PodFailing)$/);
  expect(message).toMatch(/^2 nodes in the way: .*; 2 nodes waiting$/);
  expect(message).toContain(`pod ${first.metadata.name} does not fit`);
  expect(message).toContain(`container app of pod ${second.metadata.name} does not get ready`);
});

test('with a surge, the pods beside the old ones are what is in the way', () => {
  begin({ maxSurge: 1, maxUnavailable: 0 });
  image('app:2');
  settle({ running: false });
  const fresh = world.list(pods).find(({ status }) => status.phase === 'Pending');
  if (fresh === undefined) throw new Error('nothing surged');
  const unschedulable = { type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' };
  world.put(pods, { ...fresh, status: { phase: 'Pending', conditions: [unschedulable] } });
  settle({ running: false });
  expect(blocked()).toMatchObject({ reason: 'PodUnschedulable', message: expect.stringContaining('3 nodes waiting') });
});

test('what others wrote into the conditions stays', () => {
  begin();
  const mine = { type: 'Mine', status: 'True' };
  world.put(daemonsets, { ...current(), status: { ...current().status, conditions: [mine] } } as DaemonSet);
  image('app:2');
  settle();
  expect(current().status?.conditions).toEqual([mine]);
});
