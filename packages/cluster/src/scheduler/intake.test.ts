/** Who comes back into the queue when something happens: told by how often pods were tried in vain. */
import { afterEach, expect, test } from 'vitest';
import type { PodAffinityTerm } from '../api/generated/core-v1.ts';
import { nodes, poddisruptionbudgets, pods, priorityclasses } from '../api/generated/kinds.ts';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';
import { defaultPlugins } from './default-plugins.ts';
import { createScheduler } from './loop.ts';
import { abstains, type SchedulerPlugin } from './plugin.ts';
import { defaultProfile } from './profile.ts';

let plane: TestPlane;
const tries = new Map<string, number>();
afterEach(async () => {
  tries.clear();
  await plane.close();
  expect(plane.problems).toEqual([]);
});

/** Has no opinion, but counts. */
const counter: SchedulerPlugin = {
  name: 'Counter',
  wakesOn: [],
  prepare({ pod }) {
    tries.set(pod.metadata.name, (tries.get(pod.metadata.name) ?? 0) + 1);
    return abstains;
  },
};

async function start(...names: readonly string[]): Promise<void> {
  plane = await createTestPlane({});
  const { client, signal } = plane;
  const amounts = { cpu: '1', memory: '1Gi', pods: '10' };
  const status = { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] };
  for (const name of names) {
    const metadata = { name, labels: { 'kubernetes.io/hostname': name } };
    await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata, spec: {}, status }, { signal });
    // Nobody keeps the health of nodes here.
    await client.patch(nodes, { name, signal, patchType: 'merge', body: { spec: { taints: null } } });
  }
  plane.start(
    createScheduler(plane.platform, { profiles: [{ ...defaultProfile, plugins: [counter, ...defaultPlugins] }] }),
  );
  await plane.clock.settle();
}

interface Wanted {
  readonly tolerates?: string;
  readonly cpu?: string;
  readonly app?: string;
  readonly node?: string;
  readonly disk?: string;
  readonly apart?: PodAffinityTerm;
  readonly priorityClassName?: string;
}

async function create(
  name: string,
  { cpu = '0', app = name, node, disk, apart, priorityClassName, tolerates }: Wanted,
): Promise<void> {
  const affinity = apart && { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } };
  await plane.client.create(
    pods,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name, labels: { app } },
      spec: {
        containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }],
        ...(affinity && { affinity }),
        ...(node !== undefined && { nodeName: node }),
        ...(disk !== undefined && { nodeSelector: { disk } }),
        ...(priorityClassName !== undefined && { priorityClassName }),
        ...(tolerates !== undefined && { tolerations: [{ key: tolerates, operator: 'Exists' }] }),
      },
      status: {},
    },
    { signal: plane.signal },
  );
  await plane.clock.advance(12_000);
}

async function remove(name: string): Promise<void> {
  await plane.client.delete(pods, { namespace: 'default', name, gracePeriodSeconds: 0, signal: plane.signal });
  await plane.clock.advance(12_000);
}

async function placeOf(name: string): Promise<string> {
  const pod = await plane.client.get(pods, { namespace: 'default', name, signal: plane.signal });
  return pod.spec.nodeName ?? '';
}

function createHighPriority(): Promise<unknown> {
  return createPriority('high', 10);
}

function createPriority(name: string, value: number, preemptionPolicy?: 'Never'): Promise<unknown> {
  const policy = preemptionPolicy && { preemptionPolicy };
  return plane.client.create(
    priorityclasses,
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, ...policy },
    { signal: plane.signal },
  );
}

/** Where it is, the node that it is promised, and what is said of it. */
async function standingOf(name: string): Promise<readonly (string | undefined)[]> {
  const { spec, status } = await plane.client.get(pods, { namespace: 'default', name, signal: plane.signal });
  const said = status.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
  return [spec.nodeName, status.nominatedNodeName, said];
}

function patchNode(name: string, body: object): Promise<unknown> {
  return plane.client.patch(nodes, { name, signal: plane.signal, patchType: 'merge', body });
}

const hostname = 'kubernetes.io/hostname';

test('a pod that wants room waits for a node that has enough now', async () => {
  await start('a');
  await create('large', { cpu: '800m', node: 'a' });
  await create('small', { cpu: '100m', node: 'a' });
  await create('waiting', { cpu: '900m' });
  expect(tries.get('waiting')).toBe(1);
  await remove('small');
  expect(tries.get('waiting')).toBe(1);
  await remove('large');
  expect(await placeOf('waiting')).toBe('a');
});

test.each<[string, object, object]>([
  ['is opened again', { spec: { unschedulable: true } }, { spec: { unschedulable: null } }],
  ['loses its taint', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }, { spec: { taints: null } }],
  ['is called right', { metadata: { labels: { disk: 'hdd' } } }, { metadata: { labels: { disk: 'ssd' } } }],
])('a pod for which others would go has them go when their node %s', async (_, before, after) => {
  await start('a');
  await createHighPriority();
  await patchNode('a', { metadata: { labels: { disk: 'ssd' } } });
  await create('low', { cpu: '900m', node: 'a' });
  await patchNode('a', before);
  await create('vip', { cpu: '900m', priorityClassName: 'high', disk: 'ssd' });
  await create('low-too', { cpu: '900m', disk: 'ssd' });
  expect((await standingOf('vip'))[1]).toBeUndefined();
  await patchNode('a', after);
  await plane.clock.advance(12_000);
  expect((await standingOf('vip'))[1]).toBe('a');
});

test('a pod for which others would go has them go when what they were too few for has gone', async () => {
  await start('a');
  await createHighPriority();
  await createPriority('highest', 20);
  await create('low', { cpu: '300m', node: 'a' });
  await create('highest', { cpu: '600m', node: 'a', priorityClassName: 'highest' });
  await create('vip', { cpu: '900m', priorityClassName: 'high' });
  expect((await standingOf('vip'))[1]).toBeUndefined();
  await remove('highest');
  expect((await standingOf('vip'))[1]).toBe('a');
});

test('who may not preempt, and who is promised a node, are not tried when others could go', async () => {
  await start('a', 'b');
  await createHighPriority();
  await createPriority('highest', 20);
  await createPriority('polite', 10, 'Never');
  await create('low', { cpu: '300m', node: 'a' });
  await create('highest', { cpu: '600m', node: 'a', priorityClassName: 'highest' });
  await create('low-on-b', { cpu: '900m', node: 'b' });
  await create('polite', { cpu: '900m', priorityClassName: 'polite' });
  await create('vip', { cpu: '900m', priorityClassName: 'high' });
  expect((await standingOf('vip'))[1]).toBe('b');
  const before = [tries.get('vip'), tries.get('polite')];
  await remove('highest');
  expect([tries.get('vip'), tries.get('polite')]).toEqual(before);
});

test('what is said of a pod follows when the node that it names changes, though there is no room', async () => {
  await start('a');
  await create('full', { cpu: '900m', node: 'a' });
  await patchNode('a', { spec: { unschedulable: true } });
  await create('waiting', { cpu: '900m' });
  expect((await standingOf('waiting'))[2]).toMatch(/^0\/1 nodes are available: 1 node\(s\) were unschedulable/);
  await patchNode('a', { metadata: { labels: { other: 'label' } } });
  await plane.clock.advance(12_000);
  expect(tries.get('waiting')).toBe(1);
  await patchNode('a', { spec: { unschedulable: null } });
  await plane.clock.advance(12_000);
  expect((await standingOf('waiting'))[2]).toMatch(/^0\/1 nodes are available: 1 Insufficient cpu/);
});

test('a pod that is gone is not tried again', async () => {
  await start('a');
  await create('large', { cpu: '800m', node: 'a' });
  await create('waiting', { cpu: '900m' });
  await remove('waiting');
  await remove('large');
  expect(tries.get('waiting')).toBe(1);
});

test('a budget that comes later spares those that were about to go', async () => {
  await start('a', 'b', 'c');
  await createPriority('least', -5);
  await createPriority('less', 1);
  await createHighPriority();
  await create('on-a', { cpu: '900m', node: 'a', priorityClassName: 'least' });
  await create('on-b', { cpu: '900m', node: 'b' });
  await create('on-c', { cpu: '900m', node: 'c', priorityClassName: 'less' });
  await create('first', { cpu: '900m', app: 'vip', priorityClassName: 'high' });
  expect((await standingOf('first'))[1]).toBe('a');
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'on-b' } } };
  const metadata = { namespace: 'default', name: 'kept' };
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec } as const;
  await plane.client.create(poddisruptionbudgets, budget, { signal: plane.signal });
  await plane.clock.settle();
  await create('second', { cpu: '900m', app: 'vip', priorityClassName: 'high' });
  expect((await standingOf('second'))[1]).toBe('c');
});

test('a pod that stays away from others waits for those to go, or to be something else', async () => {
  await start('a');
  const apart = { topologyKey: hostname, labelSelector: { matchLabels: { app: 'web' } } };
  await create('web', { app: 'web', node: 'a' });
  await create('other', { app: 'other', node: 'a' });
  await create('waiting', { app: 'db', apart });
  expect(tries.get('waiting')).toBe(1);
  await remove('other');
  expect(tries.get('waiting')).toBe(1);
  const body = { metadata: { labels: { app: 'was' } } };
  await plane.client.patch(pods, { namespace: 'default', name: 'web', signal: plane.signal, patchType: 'merge', body });
  await plane.clock.advance(12_000);
  expect(await placeOf('waiting')).toBe('a');
});

test('a pod for which others make room is tried again when the last of them is gone', async () => {
  await start('a');
  await createHighPriority();
  for (const name of ['low-1', 'low-2']) await create(name, { cpu: '400m', node: 'a' });
  await create('waiting', { cpu: '900m', priorityClassName: 'high' });
  const { status } = await plane.client.get(pods, { namespace: 'default', name: 'waiting', signal: plane.signal });
  expect(status.nominatedNodeName).toBe('a');
  await remove('low-1');
  expect(tries.get('waiting')).toBe(1);
  await remove('low-2');
  expect([await placeOf('waiting'), tries.get('waiting')]).toEqual(['a', 2]);
});

test('a pod that stays away from its victim is not tried again while that one goes', async () => {
  await start('a');
  await createHighPriority();
  const apart = { topologyKey: hostname, labelSelector: { matchLabels: { app: 'low' } } };
  await create('low', { node: 'a' });
  await create('waiting', { apart, priorityClassName: 'high' });
  expect(await standingOf('waiting')).toEqual([
    ...[undefined, 'a'],
    "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.",
  ]);
  await remove('low');
  expect([await placeOf('waiting'), tries.get('waiting')]).toEqual(['a', 2]);
});

test('a pod whose node a more important one was promised since has none any more', async () => {
  await start('a');
  await createHighPriority();
  await createPriority('middle', 5);
  await create('low', { cpu: '900m', node: 'a' });
  await create('outdone', { cpu: '900m', priorityClassName: 'middle' });
  await create('first', { cpu: '900m', priorityClassName: 'high' });
  const because = '0/1 nodes are available: 1 Insufficient cpu.';
  expect(await standingOf('first')).toEqual([undefined, 'a', because]);
  expect(await standingOf('outdone')).toEqual([undefined, undefined, `${because} preemption: ${because}`]);
});

test('a promise that somebody takes away is none', async () => {
  await promised();
  // It would have the node cleared for itself.
  await remove('second');
  await plane.client.patch(pods, {
    ...{ namespace: 'default', name: 'first', signal: plane.signal, patchType: 'merge', subresource: 'status' },
    body: { status: { nominatedNodeName: null } },
  });
  await plane.clock.settle();
  await create('small', { cpu: '100m', priorityClassName: 'high' });
  // Beside the one that goes there is room for it, and none beside another one that comes.
  expect(await placeOf('small')).toBe('a');
});

test('who has lost a promise hears of nodes that could be cleared for it', async () => {
  await start('a', 'b');
  await createHighPriority();
  await createPriority('highest', 20);
  await create('low', { cpu: '900m', node: 'a' });
  await create('low-on-b', { cpu: '300m', node: 'b' });
  await create('highest', { cpu: '600m', node: 'b', priorityClassName: 'highest' });
  await create('vip', { cpu: '900m', priorityClassName: 'high' });
  expect((await standingOf('vip'))[1]).toBe('a');
  await plane.client.patch(pods, {
    ...{ namespace: 'default', name: 'vip', signal: plane.signal, patchType: 'merge', subresource: 'status' },
    body: { status: { nominatedNodeName: null } },
  });
  await plane.clock.advance(12_000);
  // As upstream: what is said of a pod is no reason to try it.
  expect(tries.get('vip')).toBe(1);
  await remove('highest');
  expect(tries.get('vip')).toBe(2);
});

/** `first` is promised the node `a`, which `low` is leaving; `second` waits without a promise. */
async function promised(): Promise<void> {
  await start('a');
  await createHighPriority();
  await create('low', { cpu: '900m', node: 'a' });
  await create('first', { cpu: '900m', priorityClassName: 'high' });
  await create('second', { cpu: '900m', priorityClassName: 'high', tolerates: 'kept' });
  const waiting = await plane.all(pods);
  const promises = waiting.map(({ metadata, status }) => [metadata.name, status.nominatedNodeName]);
  expect(Object.fromEntries(promises)).toEqual({ low: undefined, first: 'a', second: undefined });
}

test('a promise that a change of the node has made void ends, and the node is for the others', async () => {
  await promised();
  await patchNode('a', { spec: { taints: [{ key: 'kept', effect: 'NoSchedule' }] } });
  await plane.clock.advance(12_000);
  await remove('low');
  expect(await placeOf('second')).toBe('a');
});

test('whoever waits hears when a promise ends after the room has become free', async () => {
  await promised();
  // Tried in vain twice in a row, so that it is in back-off when the room becomes free, which is for nobody else meanwhile.
  await patchNode('a', { metadata: { labels: { changed: 'once' } } });
  await plane.clock.settle();
  await patchNode('a', { spec: { taints: [{ key: 'kept', effect: 'NoSchedule' }] } });
  await plane.clock.settle();
  await remove('low');
  expect(tries.get('first')).toBe(3);
  expect(await placeOf('second')).toBe('a');
});
