import { beforeEach, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { nodes, poddisruptionbudgets, pods } from '../api/generated/kinds.ts';
import type { ObjectMeta } from '../api/meta.ts';
import { asked, causesOf, rowsOf } from '../testing/asked.ts';
import { makeNode, makePod, type PodParts } from '../testing/makers.ts';
import { createWorld, meta, type World } from '../testing/plan-world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});

const ofNode = (): ReturnType<typeof asked> => asked(world, { type: nodes, name: 'a' });
const running: Pod['status'] = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const owner = (kind: string, apiVersion = 'apps/v1'): ObjectMeta => ({
  ownerReferences: [{ apiVersion, kind, name: 'x', uid: 'x', controller: true }],
});
const on = (name: string, parts: PodParts = {}): Pod =>
  world.put(pods, makePod(name, { node: 'a', status: running, metadata: owner('ReplicaSet'), ...parts }));

test('a ready node is as it should be, and says what a drain would do', () => {
  world.put(nodes, makeNode('a'));
  on('web');
  on('agent', { metadata: owner('DaemonSet') });
  on('alone', { metadata: {} });
  on('scratch', { spec: { volumes: [{ name: 'v', emptyDir: {} }] } });
  on('static', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } });
  world.put(pods, makePod('elsewhere', { node: 'b' }));
  expect(ofNode()).toMatchObject({ outcome: 'settled', summary: 'is ready, and has 5 pods', causes: [] });
  expect(rowsOf(ofNode()).toSorted()).toEqual([
    'agent: stays after a drain: its DaemonSet would make it again (--ignore-daemonsets)',
    'alone: stays after a drain: nobody would make it again',
    'scratch: may be evicted: its emptyDir is lost then (--delete-emptydir-data)',
    'static: stays after a drain: it mirrors a static pod, which the node runs by itself',
    'web: may be evicted',
  ]);
});

test('a budget that keeps pods on a cordoned node is the cause, in the words of the eviction door', () => {
  world.put(nodes, makeNode('a', { unschedulable: true }));
  on('web', { labels: { app: 'web' } });
  world.put(poddisruptionbudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta('two'),
    spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    status: { observedGeneration: 1, disruptionsAllowed: 0, desiredHealthy: 2, currentHealthy: 1, expectedPods: 2 },
  });
  expect(ofNode().summary).toBe('is ready, takes no new pods, and has 1 pod');
  expect(causesOf(ofNode())).toEqual([
    'it is cordoned → kubectl uncordon a',
    '1 pod may not be evicted: The disruption budget two needs 2 healthy pods and has 1 currently → run more replicas, or allow more disruptions: kubectl edit poddisruptionbudget two',
  ]);
});

test('a silent node says since when, whom it drives out and who has to wait', () => {
  const node = makeNode('a', {
    taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: '2023-12-31T23:59:00Z' }],
  });
  const conditions = [
    { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime: '2023-12-31T23:59:00Z' },
  ];
  world.put(nodes, { ...node, status: { ...node.status, conditions } });
  const tolerations = [
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
  ];
  on('web', { spec: { tolerations } });
  on('old', { metadata: { ...owner('ReplicaSet'), deletionTimestamp: '2023-12-31T23:59:30Z' } });
  expect(causesOf(ofNode()).slice(0, 2)).toEqual([
    'Ready is Unknown for 1m (NodeStatusUnknown) → bring it back; or, if it is gone for good: kubectl delete node a',
    'the taint node.kubernetes.io/unreachable:NoExecute keeps pods away and drives them out',
  ]);
  expect(rowsOf(ofNode())).toEqual([
    'old: is going: its node is not ready (NodeStatusUnknown), so nobody says that its containers have ended',
    'web: will be driven out: at 2024-01-01T00:04:00Z, when its tolerationSeconds are over',
  ]);
  expect(ofNode().groups[0]?.mend).toBe(
    'bring the node back, or mark it out of service: kubectl taint nodes a node.kubernetes.io/out-of-service=nodeshutdown:NoExecute',
  );
});

test('a node whose taint somebody set says how to take it off', () => {
  world.put(nodes, makeNode('a', { taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }] }));
  expect(causesOf(ofNode())).toEqual([
    'the taint dedicated=db:NoSchedule keeps pods away → kubectl taint nodes a dedicated:NoSchedule-',
  ]);
});

test('what pods request of a node is told beside what is free, by the sums of the scheduler', () => {
  world.put(nodes, makeNode('a', { allocatable: { 'example.com/gpu': '2', 'hugepages-2Mi': '0' } }));
  on('web', { cpu: '1500m', memory: '1Gi' });
  on('done', { cpu: '1', status: { phase: 'Succeeded' } });
  expect(ofNode()).toMatchObject({ outcome: 'settled', summary: 'is ready, and has 2 pods' });
  expect(ofNode().facts).toEqual({
    ...{ pods: 1, podsMax: 110, endedPods: 1, taints: 0 },
    cpu: '1500m of 4 requested, 2500m free',
    memory: '1Gi of 16Gi requested, 15Gi free',
    'ephemeral-storage': '0 of 100Gi requested, 100Gi free',
    'example.com/gpu': '0 of 2 requested, 2 free',
  });
});

test('a node with as many pods as it may have says so, and is as it should be', () => {
  world.put(nodes, makeNode('a', { pods: '1' }));
  on('web');
  expect(ofNode()).toMatchObject({
    ...{ outcome: 'settled', summary: 'is ready, takes no more pods, and has 1 pod', causes: [] },
  });
});

test('a node that has promised more than it has is not as it should be', () => {
  world.put(nodes, makeNode('a', { pods: '1', cpu: '1' }));
  for (const name of ['one', 'two']) on(name, { cpu: '600m' });
  expect(ofNode()).toMatchObject({ outcome: 'waits', summary: 'is ready, takes no more pods, and has 2 pods' });
  expect(causesOf(ofNode())).toEqual([
    'it has 2 pods of at most 1 → move pods to other nodes, or raise maxPods of the node',
    'its pods request 1200m cpu, and it has 1 → move pods to other nodes, or request less cpu',
  ]);
  expect(ofNode().facts).toMatchObject({ cpu: '1200m of 1 requested, 0 free' });
});

test('pods that preemption clears a node for are told of it', () => {
  world.put(nodes, makeNode('a', { cpu: '1' }));
  const nominated = (name: string): Pod =>
    world.put(pods, makePod(name, { cpu: '1', priority: 10, status: { nominatedNodeName: 'a' } }));
  nominated('urgent');
  expect(rowsOf(ofNode())).toEqual(['urgent: is nominated: its room is kept for it, and it is not bound yet']);
  expect(ofNode().groups[0]?.mend).toBe('signalbox explain pod urgent');
  const preempted = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' };
  on('web', {
    cpu: '1',
    status: { ...running, conditions: [...(running.conditions ?? []), preempted] },
    metadata: { ...owner('ReplicaSet'), deletionTimestamp: '2024-01-01T00:00:20Z', deletionGracePeriodSeconds: 30 },
  });
  expect(rowsOf(ofNode())[1]).toBe(
    'urgent: is nominated: it waits here until preempted pods have left (pod default/web)',
  );
  expect(ofNode().facts).toMatchObject({ pods: 1, nominated: 1 });
  expect(ofNode().outcome).toBe('settled');
});

test('a mark of cordoned nodes that outlives its field is told, and both together once', () => {
  const taints = [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }];
  world.put(nodes, makeNode('a', { taints, unschedulable: true }));
  expect(causesOf(ofNode())).toEqual(['it is cordoned → kubectl uncordon a']);
  world.put(pods, makePod('web'));
  const [row] = asked(world, { type: pods, name: 'web' }).groups;
  expect(row).toMatchObject({ why: 'NodeUnschedulable: the node is cordoned', mend: 'kubectl uncordon a' });
  world.put(nodes, makeNode('a', { taints }));
  expect(causesOf(ofNode())).toEqual(['the taint node.kubernetes.io/unschedulable:NoSchedule keeps pods away']);
});

test('of pods that are going several are said to be', () => {
  world.put(nodes, makeNode('a', { unschedulable: true }));
  const deletionTimestamp = '2024-01-01T00:00:20Z';
  for (const name of ['one', 'two'])
    on(name, { metadata: { ...owner('ReplicaSet'), deletionTimestamp, deletionGracePeriodSeconds: 30 } });
  expect(causesOf(ofNode())[1]).toBe('2 pods are going: within its grace period of 30s');
});

test('the taints of one condition are one cause, so that what hangs on the node is not left out', () => {
  const taints = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: 'node.kubernetes.io/unreachable', effect }));
  world.put(nodes, makeNode('a', { taints }));
  expect(causesOf(ofNode())).toEqual([
    'the taints node.kubernetes.io/unreachable:NoSchedule, node.kubernetes.io/unreachable:NoExecute keep pods away and drive them out',
  ]);
});

test.each([
  [2, 'kubectl uncordon a b'],
  [4, 'kubectl uncordon NODE'],
])('of %i cordoned nodes it is said which, if they are few', (count, mend) => {
  for (const name of ['a', 'b', 'c', 'd'].slice(0, count)) world.put(nodes, makeNode(name, { unschedulable: true }));
  world.put(pods, makePod('web'));
  expect(asked(world, { type: pods, name: 'web' }).causes[0]?.mend).toBe(mend);
});

test('of a node that nobody has registered it is said what is missing, not that it is full', () => {
  const node = makeNode('a');
  world.put(nodes, { ...node, status: {} });
  expect(ofNode().summary).toBe('is not ready, and has 0 pods');
  expect(causesOf(ofNode())).toEqual([
    'it has never said that it is ready → see that its kubelet runs and reaches the API',
  ]);
});

test('the command that sends away a pod that nobody would make again names the node', () => {
  world.put(nodes, makeNode('a'));
  on('alone', { metadata: {} });
  expect(ofNode().groups[0]?.mend).toBe('kubectl drain a --force deletes it for good');
});

test.each([
  [{ maxUnavailable: 0 }, 3, 'allow more disruptions: kubectl edit poddisruptionbudget none'],
  [{ minAvailable: '100%' }, 3, 'allow more disruptions: kubectl edit poddisruptionbudget none'],
  [
    { maxUnavailable: 1 },
    2,
    'see that all of its pods are ready, or allow more disruptions: kubectl edit poddisruptionbudget none',
  ],
])('against a budget of %j with %i healthy pods of 3 more replicas do not help', (spec, currentHealthy, mend) => {
  world.put(nodes, makeNode('a'));
  on('web', { labels: { app: 'web' } });
  world.put(poddisruptionbudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta('none'),
    spec: { ...spec, selector: { matchLabels: { app: 'web' } } },
    status: { observedGeneration: 1, disruptionsAllowed: 0, desiredHealthy: 3, currentHealthy, expectedPods: 3 },
  });
  expect(ofNode().groups[0]?.mend).toBe(mend);
});
