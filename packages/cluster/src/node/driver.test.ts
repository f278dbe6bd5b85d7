/** The seam itself: an agent with two drivers, and what the rest of the plane asks of their nodes. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Node, Pod } from '../api/generated/core-v1.ts';
import { events, leases, nodes, pods } from '../api/generated/kinds.ts';
import type { Operation } from '../api/operation.ts';
import { StatusError } from '../api/status.ts';
import type { Transport } from '../client/transport.ts';
import { createFakeDriver, type FakeDriver } from '../testing/fake-driver.ts';
import { makePod } from '../testing/makers.ts';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';
import { createNodeAgent } from './agent.ts';
import { createMachines, type Machines } from './machines.ts';
import { newLease, newNode } from './node-status.ts';

let plane: TestPlane;
let one: FakeDriver;
let two: FakeDriver;
let machines: Machines;

/** What a test holds back of the agents' writes: resolves when it may go on. */
let held: (operation: Operation) => Promise<void>;

beforeEach(async () => {
  held = () => Promise.resolve();
  const between = (transport: Transport): Transport => ({
    watch: (operation, waiting) => transport.watch(operation, waiting),
    async perform(operation, waiting) {
      await held(operation);
      return transport.perform(operation, waiting);
    },
  });
  plane = await createTestPlane({ between });
  one = createFakeDriver('one', () => plane.clock.nowMs());
  two = createFakeDriver('two', () => plane.clock.nowMs());
  const drivers = [one, two];
  machines = createMachines({ ...plane.platform, transport: plane.server, drivers: () => drivers });
  plane.start(createNodeAgent(plane.platform, { drivers }));
  await addNode('a');
  await addNode('b', { 'signalbox.dev/driver': 'two' });
  await addNode('c', { 'signalbox.dev/driver': 'somebody-else' });
  await plane.clock.advance(1_000);
});

afterEach(() => plane.close());

async function addNode(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
  const node = newNode(name);
  await plane.client.create(nodes, { ...node, metadata: { ...node.metadata, annotations } }, { signal: plane.signal });
}

async function annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
  const body = { metadata: { annotations } };
  await plane.client.patch(nodes, { name, patchType: 'merge', body, signal: plane.signal });
  await plane.clock.advance(1_000);
}

async function run(name: string, nodeName: string, spec: object = {}): Promise<Pod> {
  const { metadata, spec: made } = makePod(name, { node: nodeName });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: metadata.namespace ?? 'default' } };
  await plane.client.create(pods, { ...pod, spec: { ...made, ...spec } } as never, { signal: plane.signal });
  await plane.clock.advance(1_000);
  return podOf(name);
}

async function nodeOf(name: string): Promise<Node> {
  return plane.client.get(nodes, { name, signal: plane.signal });
}

async function podOf(name: string): Promise<Pod> {
  const pod = await plane.find(pods, name);
  if (pod === undefined) throw new Error(`no pod ${name}`);
  return pod;
}

async function log(pod: Pod): Promise<string> {
  const query = { container: 'main', follow: false, previous: false, timestamps: false };
  try {
    let text = '';
    for await (const line of await machines.logs(pod, query, { signal: plane.signal })) text += line;
    return text;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.status.code} ${error.message}`;
  }
}

test('a node registers as its driver says, one that names no driver with the first', async () => {
  expect((await plane.find(nodes, 'a'))?.status).toMatchObject({
    capacity: { cpu: '2', memory: '4Gi' },
    nodeInfo: { containerRuntimeVersion: 'one://1', kubeletVersion: 'v1.34.2' },
  });
  expect((await plane.find(nodes, 'b'))?.status.nodeInfo?.containerRuntimeVersion).toBe('two://1');
  expect(one.orders).toEqual(['join a']);
  expect(two.orders).toEqual(['join b']);
});

test('a node whose driver is not here is left to whoever runs it', async () => {
  expect((await plane.find(nodes, 'c'))?.status.nodeInfo).toBeUndefined();
  expect((await run('p', 'c')).status.phase).toBe('Pending');
  expect([...one.orders, ...two.orders]).toEqual(['join a', 'join b']);
});

test('the driver gets its orders, and what it shows is told', async () => {
  const pod = await run('p', 'b', {
    containers: [
      { name: 'main', image: 'x' },
      { name: 'side', image: 'y' },
    ],
  });
  expect(two.orders).toEqual(['join b', 'adopt p', 'start main/0 of p', 'start side/0 of p']);
  expect(pod.status).toMatchObject({ phase: 'Running', podIP: '10.9.0.1', hostIP: '192.168.0.7' });
  two.ends('p', 'side', { exitCode: 3, atMs: plane.clock.nowMs() });
  // Any news of the pod makes the agent look again.
  await plane.client.patch(pods, {
    name: 'p',
    namespace: 'default',
    patchType: 'merge',
    body: { metadata: { labels: { seen: 'again' } } },
    signal: plane.signal,
  });
  await plane.clock.advance(1_000);
  expect(two.orders.at(-1)).toBe('start side/1 of p');
  two.ends('p', 'side', { exitCode: 3, atMs: plane.clock.nowMs() });
  await plane.client.patch(pods, {
    name: 'p',
    namespace: 'default',
    patchType: 'merge',
    body: { metadata: { labels: { seen: 'thrice' } } },
    signal: plane.signal,
  });
  await plane.clock.advance(1_000);
  const states = (await podOf('p')).status.containerStatuses ?? [];
  expect(states.map(({ name, ready, state }) => [name, ready, Object.keys(state ?? {})[0]])).toEqual([
    ['main', true, 'running'],
    ['side', false, 'waiting'],
  ]);
  await plane.clock.advance(10_000);
  expect(two.orders.at(-1)).toBe('start side/2 of p');
  expect((await podOf('p')).status.containerStatuses?.[1]).toMatchObject({ ready: true, restartCount: 2 });
  await plane.client.delete(pods, { name: 'p', namespace: 'default', signal: plane.signal });
  await plane.clock.advance(1_000);
  expect(two.orders.slice(-2)).toEqual(['stop p', 'forget p']);
  expect(await plane.find(pods, 'p')).toBeUndefined();
});

test("logs and usage come from the driver of the pod's node, never from a guess", async () => {
  const [mine, theirs, nobodys] = [await run('p', 'a'), await run('q', 'b'), await run('r', 'c')];
  expect(await log(mine)).toBe('one says p/main\n');
  expect(await log(theirs)).toBe('two says q/main\n');
  expect(await log(nobodys)).toBe('500 no preferred addresses found; known addresses: []');
  expect(await log(makePod('s', { node: 'ghost' }))).toBe('404 nodes "ghost" not found');
  const used = { cpuMilli: 7, memoryBytes: 8 };
  const now = { takenMs: plane.clock.nowMs(), windowMs: 15_000 };
  expect(machines.measures.ofPod(mine)).toEqual({ ...now, containers: new Map([['main', used]]) });
  expect(machines.measures.ofPod(nobodys)).toBeUndefined();
  expect(machines.measures.ofPod(makePod('s', { node: 'ghost' }))).toBeUndefined();
  expect(machines.measures.ofNode(await nodeOf('a'))).toEqual({ ...now, usage: used });
  await annotate('a', { 'signalbox.dev/stopped': 'true' });
  expect(await log(mine)).toMatch(/containerLogs\/default\/p\/main": dial tcp 192\.168\.0\.7:10250: i\/o timeout$/);
  expect(machines.measures.ofPod(mine)).toBeUndefined();
  expect(machines.measures.ofNode(await nodeOf('a'))).toBeUndefined();
});

test('a node that changes hands leaves one driver and joins the other', async () => {
  await run('p', 'a');
  await annotate('a', { 'signalbox.dev/driver': 'two' });
  expect(one.orders).toEqual(['join a', 'adopt p', 'start main/0 of p', 'leave a', 'forget p']);
  expect(two.orders.slice(1)).toEqual(['join a', 'adopt p', 'start main/0 of p']);
  expect(await log(await podOf('p'))).toBe('two says p/main\n');
});

test('a driver that shows nothing of what it was told is asked again later, not for ever at once', async () => {
  two.start = (pod) => two.adopt(pod);
  await run('p', 'b');
  expect(two.orders.length).toBeLessThan(100);
  expect((await podOf('p')).status.phase).toBe('Pending');
});

test('a driver tells what happens by itself, and the agent looks at once', async () => {
  const pod = await run('p', 'b');
  two.ends('p', 'main', { exitCode: 3, atMs: plane.clock.nowMs() });
  two.ears?.happened(pod, { type: 'Warning', reason: 'Unhealthy', note: 'Liveness probe failed' });
  two.ears?.changed(pod);
  await plane.clock.advance(100);
  expect(two.orders.at(-1)).toBe('start main/1 of p');
  const told = await plane.client.list(events, { namespace: 'default', signal: plane.signal });
  expect(told.items.map(({ reason }) => reason)).toContain('Unhealthy');
});

test('an agent registers the nodes that are its own, and does so again when somebody deletes them', async () => {
  const three = createFakeDriver('three', () => plane.clock.nowMs());
  const node = newNode('mine');
  const annotations = { 'signalbox.dev/driver': 'three' };
  const own = { ...node, metadata: { ...node.metadata, annotations } };
  plane.start(createNodeAgent(plane.platform, { drivers: [three], registers: [own] }));
  await plane.clock.advance(1_000);
  const registered = await plane.find(nodes, 'mine');
  expect(registered?.status.nodeInfo?.containerRuntimeVersion).toBe('three://1');
  await plane.client.delete(nodes, { name: 'mine', signal: plane.signal });
  await plane.clock.advance(1_000);
  const again = await plane.find(nodes, 'mine');
  expect(again?.metadata.uid).not.toBe(registered?.metadata.uid);
  expect(again?.status.nodeInfo?.containerRuntimeVersion).toBe('three://1');
});

test('an agent that begins anew adopts what runs, and lets go of nothing', async () => {
  await run('p', 'b');
  const later = createFakeDriver('two', () => plane.clock.nowMs());
  plane.start(createNodeAgent(plane.platform, { drivers: [later] }));
  await plane.clock.advance(1_000);
  expect(later.orders).not.toContain('forget p');
  expect(later.orders).toContain('adopt p');
});

test('a sign of life of an agent that begins anew is new, and comes when its pods were looked at', async () => {
  const running = {
    ...{ name: 'main', image: 'x', imageID: 'x', ready: true, restartCount: 0 },
    state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
  };
  const { metadata } = await run('p', 'c');
  const { client, signal } = plane;
  const status = { phase: 'Running', containerStatuses: [running] };
  const body = { metadata: { uid: metadata.uid }, status };
  await client.patch(pods, {
    name: 'p',
    namespace: 'default',
    patchType: 'merge',
    subresource: 'status',
    body,
    signal,
  });
  // Of the agent before: so young that one which goes on would not renew it yet.
  const lease = await client.create(
    leases,
    newLease(await nodeOf('c'), { nowMs: plane.clock.nowMs(), durationSeconds: 40 }),
    { signal },
  );
  const renewed = async (): Promise<boolean> =>
    (await plane.find(leases, 'c', 'kube-node-lease'))?.spec?.renewTime !== lease.spec?.renewTime;
  let goOn = (): void => undefined;
  const stored = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  held = (operation) =>
    operation.verb === 'update' && operation.resource.resource === 'pods' ? stored : Promise.resolve();
  plane.start(createNodeAgent(plane.platform, { drivers: [createFakeDriver('somebody-else', plane.clock.nowMs)] }));
  await plane.clock.advance(1_000);
  expect(await renewed()).toBe(false);
  goOn();
  await plane.clock.advance(1_000);
  expect((await podOf('p')).status.podIP).toBe('10.9.0.1');
  expect(await renewed()).toBe(true);
});
