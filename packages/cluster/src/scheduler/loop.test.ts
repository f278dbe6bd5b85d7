import { afterEach, expect, test } from 'vitest';
import { configmaps, events, nodes, pods } from '../api/generated/kinds.ts';
import { failure, StatusError } from '../api/status.ts';
import type { Clock } from '../base/clock.ts';
import type { Informers } from '../client/informers.ts';
import type { Transport } from '../client/transport.ts';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';
import { defaultPlugins } from './default-plugins.ts';
import { createScheduler } from './loop.ts';
import { fits, type SchedulerPlugin } from './plugin.ts';
import { defaultProfile, type Profile } from './profile.ts';

let plane: TestPlane;
afterEach(async () => {
  await plane.close();
  expect(plane.problems).toEqual([]);
});

const lost = new StatusError(failure(504, 'Timeout', 'the answer was lost'));
const refused = new StatusError(failure(500, 'InternalError', 'nothing was done'));

interface Trouble {
  /** What becomes of the first binding. */
  readonly binding: 'takes effect, then the answer is lost' | 'fails';
  /** How many questions fail before one is answered. */
  readonly gets: number;
}

/** A first binding that goes wrong; from then on nothing is heard of pods until `heard` is called. */
function trouble({ binding, gets }: Trouble): { between(inner: Transport): Transport; heard(): void } {
  let isDeaf = false;
  let questions = gets;
  let heard = (): void => undefined;
  const hearing = new Promise<void>((resolve) => {
    heard = resolve;
  });
  return {
    heard: () => heard(),
    between: (inner) => ({
      async perform(operation, waiting) {
        const isBinding = operation.verb === 'create' && operation.subresource === 'binding';
        if (operation.verb === 'get' && operation.resource.resource === 'pods' && questions-- > 0) throw refused;
        if (!isBinding || isDeaf) return inner.perform(operation, waiting);
        isDeaf = true;
        if (binding === 'fails') throw refused;
        await inner.perform(operation, waiting);
        throw lost;
      },
      async *watch(operation, waiting) {
        for await (const event of inner.watch(operation, waiting)) {
          if (isDeaf && operation.resource.resource === 'pods') await hearing;
          yield event;
        }
      },
    }),
  };
}

async function createNode(name: string): Promise<void> {
  const { client, signal } = plane;
  const amounts = { cpu: '1', memory: '1Gi', pods: '10' };
  const status = { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] };
  await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {}, status }, { signal });
  // Nobody keeps the health of nodes here.
  await client.patch(nodes, { name, signal, patchType: 'merge', body: { spec: { taints: null } } });
}

async function createPod(
  name: string,
  { cpu = '1', ...chosen }: { readonly cpu?: string; readonly schedulerName?: string } = {},
): Promise<void> {
  const metadata = { namespace: 'default', name };
  const spec = { containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }], ...chosen };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec, status: {} } as const;
  await plane.client.create(pods, pod, { signal: plane.signal });
}

/** One node with room for one of two pods. */
async function start(between: (transport: Transport) => Transport, profile: Partial<Profile> = {}): Promise<void> {
  plane = await createTestPlane({ between });
  const { client, signal, clock } = plane;
  const amounts = { cpu: '1', memory: '1Gi', pods: '10' };
  const status = { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] };
  await client.create(
    nodes,
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node' }, spec: {}, status },
    { signal },
  );
  // Nobody keeps the health of nodes here.
  await client.patch(nodes, { name: 'node', signal, patchType: 'merge', body: { spec: { taints: null } } });
  for (const name of ['first', 'second'])
    await client.create(
      pods,
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'default', name },
        spec: { containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '1' } } }] },
        status: {},
      },
      { signal },
    );
  plane.start(createScheduler(plane.platform, { profiles: [{ ...defaultProfile, ...profile }] }));
  await clock.settle();
}

async function bound(): Promise<readonly string[]> {
  const all = await plane.all(pods);
  return all.filter(({ spec }) => (spec.nodeName ?? '') !== '').map(({ metadata }) => metadata.name);
}

/** Gives a waiting pod a reason to look at the node again, while the other one is in back-off. */
async function stirNode(): Promise<void> {
  const { client, signal, clock } = plane;
  await clock.advance(1_500);
  const body = { status: { allocatable: { memory: '2Gi' } } };
  await client.patch(nodes, { name: 'node', signal, subresource: 'status', patchType: 'merge', body });
  await clock.advance(20_000);
}

test.each([0, 3])('a binding whose answer is lost keeps its room, even when %i questions fail', async (gets) => {
  const { between, heard } = trouble({ binding: 'takes effect, then the answer is lost', gets });
  await start(between);
  await stirNode();
  expect(await bound()).toEqual(['first']);
  heard();
  await plane.clock.advance(600_000);
  expect(await bound()).toEqual(['first']);
});

test('a binding that failed gives its room back and is tried again', async () => {
  const { between, heard } = trouble({ binding: 'fails', gets: 0 });
  await start(between);
  expect(await bound()).toEqual([]);
  await stirNode();
  expect(await bound()).toHaveLength(1);
  heard();
  await plane.clock.advance(600_000);
  expect(await bound()).toHaveLength(1);
});

test('a pod that is deleted while its binding is in doubt leaves its room to the next', async () => {
  const { between, heard } = trouble({ binding: 'takes effect, then the answer is lost', gets: 3 });
  await start(between);
  const { client, signal, clock } = plane;
  await client.delete(pods, { namespace: 'default', name: 'first', gracePeriodSeconds: 0, signal });
  heard();
  await clock.advance(600_000);
  expect(await bound()).toEqual(['second']);
});

test('what a plugin reads is there when it decides, and its changes wake whom it rejected', async () => {
  const gate: SchedulerPlugin = {
    name: 'Gate',
    reads: [configmaps],
    wakesOn: [],
    prepare: (_, snapshot) =>
      snapshot.of(configmaps).get('default/gate')?.data?.['is'] === 'open'
        ? { state: undefined }
        : { rejected: 'the gate is shut' },
  };
  await start((inner) => inner, { plugins: [gate, ...defaultPlugins] });
  const { client, signal, clock } = plane;
  const configmap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'gate' } } as const;
  expect(await bound()).toEqual([]);
  const [first] = await plane.all(pods);
  expect(first?.status.conditions?.[0]?.message).toBe(
    '0/1 nodes are available: the gate is shut. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  );
  await client.create(configmaps, { ...configmap, data: { is: 'open' } }, { signal });
  await clock.advance(10_000);
  expect(await bound()).toHaveLength(1);
});

const full = '0/1 nodes are available: 1 Insufficient cpu.';

test.each([
  [
    'preempts looks',
    {},
    `${full} preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.`,
  ],
  ['does not preempt does not look', { preemption: undefined }, full],
])('a profile that %s for pods that would have to go', async (_, profile, message) => {
  await start((inner) => inner, profile);
  const waiting = await plane.find(pods, 'second', 'default');
  expect(waiting?.status.conditions?.[0]?.message).toBe(message);
});

test('each try is told by itself, however many are alike', async () => {
  let tries = 0;
  const never: SchedulerPlugin = {
    name: 'Never',
    reads: [configmaps],
    wakesOn: [],
    prepare: ({ pod }) => ({ rejected: pod.metadata.name === 'first' ? `no, for the ${++tries}th time` : 'no' }),
  };
  await start((inner) => inner, { plugins: [never, ...defaultPlugins] });
  const { client, signal, clock } = plane;
  const metadata = { namespace: 'default', name: 'stirs' };
  await client.create(configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata }, { signal });
  while (tries < 14) {
    const body = { data: { tries: String(tries) } };
    await client.patch(configmaps, { ...metadata, signal, patchType: 'merge', body });
    await clock.advance(11_000);
  }
  const said = await plane.all(events);
  const notes = said.filter(({ involvedObject }) => involvedObject.name === 'first').map(({ message = '' }) => message);
  expect(notes.filter((note) => /^0\/1 nodes are available: no, for the \d+th time/.test(note))).toHaveLength(14);
});

test('the search for a node goes on where the one before it ended', async () => {
  const asked = new Map<string, string>();
  const listening: SchedulerPlugin = {
    name: 'Listening',
    wakesOn: [],
    filter({ pod: { metadata } }, { name }) {
      if (!asked.has(metadata.name)) asked.set(metadata.name, name);
      return fits;
    },
  };
  await start((inner) => inner, { plugins: [listening, ...defaultPlugins], percentageOfNodesToScore: 10 });
  const { client, signal, clock } = plane;
  for (const name of ['first', 'second']) await client.delete(pods, { namespace: 'default', name, signal });
  await client.delete(nodes, { name: 'node', signal });
  await createPod('nowhere');
  await clock.settle();
  await client.delete(pods, { namespace: 'default', name: 'nowhere', signal });
  const names = Array.from({ length: 150 }, (_, index) => `node-${index}`);
  for (const name of names) await createNode(name);
  for (const name of ['third', 'fourth', 'fifth']) {
    await createPod(name, { cpu: '10m' });
    await clock.settle();
  }
  expect(['third', 'fourth', 'fifth'].map((name) => asked.get(name))).toEqual(['node-0', 'node-100', 'node-50']);
});

test('whoever has ended listens to nothing, and waits for nothing', async () => {
  await start((inner) => inner, { plugins: [] });
  const { platform, clock } = plane;
  let listening = 0;
  let waiting = 0;
  const informers: Informers = {
    ...platform.informers,
    listen(type, notify) {
      listening++;
      const stop = platform.informers.listen(type, notify);
      return () => {
        listening--;
        stop();
      };
    },
  };
  const counting: Clock = {
    ...clock,
    after(delayMs, run) {
      waiting++;
      const cancel = clock.after(delayMs, () => {
        waiting--;
        run();
      });
      return () => {
        waiting--;
        cancel();
      };
    },
  };
  const ending = new AbortController();
  const profile: Profile = { ...defaultProfile, name: 'other' };
  await createPod('waits', { schedulerName: 'other', cpu: '9' });
  const running = createScheduler({ ...platform, informers, clock: counting }, { profiles: [profile] }).run(ending);
  await clock.settle();
  expect([listening > 0, waiting > 0]).toEqual([true, true]);
  ending.abort(new Error('enough'));
  await running;
  expect([listening, waiting]).toEqual([0, 0]);
});
