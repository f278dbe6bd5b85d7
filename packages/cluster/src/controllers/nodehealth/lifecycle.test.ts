import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Node } from '../../api/generated/core-v1.ts';
import { events, leases, nodes, pods } from '../../api/generated/kinds.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import type { Operation } from '../../api/operation.ts';
import { toMicroTimestamp, toTimestamp } from '../../base/clock.ts';
import { createTestPlane, type TestPlane } from '../../testing/plane.ts';
import { nodeCondition } from './conditions.ts';
import { createNodeLifecycle } from './lifecycle.ts';

let plane: TestPlane;
let written: Operation[];
/** Nodes that renew their lease every ten seconds. */
let alive: Set<string>;

beforeEach(async () => {
  written = [];
  alive = new Set();
  plane = await createTestPlane({
    between: (transport) => ({
      perform(operation, waiting) {
        if (operation.verb !== 'list') written.push(operation);
        return transport.perform(operation, waiting);
      },
      watch: (operation, waiting) => transport.watch(operation, waiting),
    }),
  });
  plane.start(createNodeLifecycle(plane.platform));
  beat();
  await plane.clock.settle();
});

afterEach(async () => {
  expect(plane.problems).toEqual([]);
  await plane.close();
});

function beat(): void {
  plane.clock.after(10_000, () => {
    for (const name of alive) void renew(name);
    if (!plane.signal.aborted) beat();
  });
}

async function renew(name: string): Promise<void> {
  const body = { spec: { renewTime: toMicroTimestamp(plane.clock.nowMs()) } };
  await plane.client.patch(leases, {
    signal: plane.signal,
    namespace: 'kube-node-lease',
    name,
    patchType: 'merge',
    body,
  });
}

async function report(name: string, conditions: Readonly<Record<string, string>> = { Ready: 'True' }): Promise<void> {
  const now = toTimestamp(plane.clock.nowMs());
  const all = Object.entries(conditions).map(([type, status]) => ({ type, status, lastHeartbeatTime: now }));
  const body = { status: { conditions: all } };
  await plane.client.patch(nodes, { signal: plane.signal, name, patchType: 'strategic', subresource: 'status', body });
}

interface Joining {
  readonly zone?: string;
  readonly lease?: boolean;
  readonly durationSeconds?: number;
  readonly renewTime?: string;
}

async function join(
  name: string,
  { zone = 'a', lease = true, durationSeconds = 40, renewTime }: Joining = {},
): Promise<void> {
  const { client, signal, clock } = plane;
  const metadata = { name, labels: { 'topology.kubernetes.io/zone': zone } };
  await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata, spec: {} } as New<Node>, { signal });
  if (lease) {
    const spec = { leaseDurationSeconds: durationSeconds, renewTime: renewTime ?? toMicroTimestamp(clock.nowMs()) };
    const object = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
      spec,
    };
    await client.create(leases, object as New<KubeObject>, { signal });
    alive.add(name);
  }
  await report(name);
}

async function put(name: string, nodeName: string, spec: object = {}): Promise<void> {
  const metadata = { name, namespace: 'default' };
  const containers = [{ name: 'main', image: 'app:1' }];
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName, containers, ...spec } };
  await plane.client.create(pods, object as unknown as New<KubeObject>, { signal: plane.signal });
  const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
  await plane.client.patch(pods, {
    signal: plane.signal,
    namespace: 'default',
    name,
    patchType: 'strategic',
    subresource: 'status',
    body,
  });
}

async function taintsOf(name: string): Promise<string> {
  const node = await plane.find(nodes, name);
  return (node?.spec.taints ?? []).map(({ key, effect }) => `${key.split('/').at(-1)}:${effect}`).join(' ');
}

async function readyOf(name: string): Promise<string | undefined> {
  const node = await plane.find(nodes, name);
  return node && nodeCondition(node, 'Ready')?.status;
}

async function podsNow(): Promise<Readonly<Record<string, string>>> {
  const all = await plane.all(pods, 'default');
  return Object.fromEntries(
    all.map(({ metadata, status }) => {
      const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True' ? 'ready' : 'unready';
      return [metadata.name, metadata.deletionTimestamp === undefined ? ready : 'going'];
    }),
  );
}

const both = 'unreachable:NoSchedule unreachable:NoExecute';

describe('a node that falls silent', () => {
  test('becomes unknown when its lease runs out, and its pods go when their patience ends', async () => {
    await join('dies');
    await join('lives');
    await put('default', 'dies');
    await put('patient', 'dies', { tolerations: [{ operator: 'Exists' }] });
    await put('elsewhere', 'lives');
    alive.delete('dies');
    await plane.clock.advance(39_000);
    expect([await readyOf('dies'), await taintsOf('dies')]).toEqual(['True', '']);
    await plane.clock.advance(2_000);
    expect([await readyOf('dies'), await taintsOf('dies')]).toEqual(['Unknown', both]);
    expect(await podsNow()).toEqual({ default: 'unready', patient: 'unready', elsewhere: 'ready' });
    // Upstream's admission gives every pod five minutes of patience with both taints.
    await plane.clock.advance(295_000);
    expect(await podsNow()).toEqual({ default: 'unready', patient: 'unready', elsewhere: 'ready' });
    await plane.clock.advance(6_000);
    expect(await podsNow()).toEqual({ default: 'going', patient: 'unready', elsewhere: 'ready' });
    const gone = await plane.find(pods, 'default', 'default');
    expect(gone?.status.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
    });
    const said = await plane.all(events, 'default');
    expect(said.map(({ reason, message }) => `${reason}: ${message}`)).toContain(
      'TaintManagerEviction: Marking for deletion Pod default/default',
    );
  });

  test('is well again as soon as it reports, and the evictions are called off', async () => {
    await join('flaps');
    await join('lives');
    await put('p', 'flaps');
    alive.delete('flaps');
    await plane.clock.advance(60_000);
    expect(await taintsOf('flaps')).toBe(both);
    alive.add('flaps');
    await renew('flaps');
    await report('flaps');
    await plane.clock.advance(1_000);
    expect([await readyOf('flaps'), await taintsOf('flaps')]).toEqual(['True', '']);
    await plane.clock.advance(600_000);
    expect(Object.keys(await podsNow())).toEqual(['p']);
    const said = await plane.all(events, 'default');
    expect(said.map(({ message }) => message)).toContain('Cancelling deletion of Pod default/p');
  });

  test('as long as the lease says, not longer and not shorter', async () => {
    await join('lives');
    await join('hasty', { durationSeconds: 5 });
    alive.delete('hasty');
    await plane.clock.advance(4_900);
    expect(await readyOf('hasty')).toBe('True');
    await plane.clock.advance(200);
    expect(await readyOf('hasty')).toBe('Unknown');
  });

  test('without a lease its own reports count', async () => {
    await join('lives');
    await join('old-fashioned', { lease: false });
    await plane.clock.advance(30_000);
    await report('old-fashioned');
    await plane.clock.advance(30_000);
    expect(await readyOf('old-fashioned')).toBe('True');
    await plane.clock.advance(11_000);
    expect(await readyOf('old-fashioned')).toBe('Unknown');
  });

  test('a node whose clock is wrong is not dead', async () => {
    await join('skewed', { renewTime: toMicroTimestamp(0) });
    await plane.clock.advance(120_000);
    expect(await readyOf('skewed')).toBe('True');
  });

  test('a node that never reports has a minute', async () => {
    await join('lives');
    const object = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mute' }, spec: {} } as New<Node>;
    await plane.client.create(nodes, object, { signal: plane.signal });
    await plane.clock.advance(59_000);
    expect(await readyOf('mute')).toBeUndefined();
    await plane.clock.advance(2_000);
    const mute = await plane.find(nodes, 'mute');
    expect(mute && nodeCondition(mute, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'NodeStatusNeverUpdated' });
  });
});

describe('the zone guard', () => {
  test('nodes of one zone lose their pods ten seconds apart', async () => {
    for (const name of ['n-1', 'n-2', 'n-3', 'n-4', 'n-5']) await join(name);
    alive = new Set(['n-3', 'n-4', 'n-5']);
    await plane.clock.advance(41_000);
    expect([await taintsOf('n-1'), await taintsOf('n-2')].sort()).toEqual(['unreachable:NoSchedule', both]);
    await plane.clock.advance(10_000);
    expect([await taintsOf('n-1'), await taintsOf('n-2')]).toEqual([both, both]);
  });

  test('nodes that are well again before their turn hold up nobody', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `n-${index}`);
    for (const name of names) await join(name);
    for (const name of names.slice(0, 6)) await report(name, { Ready: 'False' });
    await plane.clock.advance(5_000);
    for (const name of names.slice(0, 5)) await report(name);
    await plane.clock.advance(7_000);
    expect(await taintsOf('n-5')).toBe('not-ready:NoSchedule not-ready:NoExecute');
    await plane.clock.advance(60_000);
    await report('n-7', { Ready: 'False' });
    await plane.clock.advance(2_000);
    expect(await taintsOf('n-7')).toBe('not-ready:NoSchedule not-ready:NoExecute');
  });

  test('when most of a zone fall in the same moment nobody loses a pod', async () => {
    for (const name of ['n-1', 'n-2', 'n-3', 'n-4']) await join(name);
    for (const name of ['n-1', 'n-2', 'n-3']) await report(name, { Ready: 'False' });
    await plane.clock.advance(30_000);
    for (const name of ['n-1', 'n-2', 'n-3']) expect(await taintsOf(name)).toBe('not-ready:NoSchedule');
    await report('n-1');
    await plane.clock.advance(9_000);
    for (const name of ['n-2', 'n-3']) expect(await taintsOf(name)).toBe('not-ready:NoSchedule');
    await plane.clock.advance(2_000);
    expect([await taintsOf('n-2'), await taintsOf('n-3')].sort()).toEqual([
      'not-ready:NoSchedule',
      'not-ready:NoSchedule not-ready:NoExecute',
    ]);
  });

  test('when all nodes fall silent nobody loses a pod, and what was begun is taken back', async () => {
    for (const name of ['n-1', 'n-2', 'n-3']) await join(name);
    for (const name of ['n-1', 'n-2', 'n-3']) await put(`p-${name}`, name);
    alive.delete('n-1');
    await plane.clock.advance(41_000);
    expect(await taintsOf('n-1')).toBe(both);
    alive.clear();
    await plane.clock.advance(60_000);
    for (const name of ['n-1', 'n-2', 'n-3']) expect(await taintsOf(name)).toBe('unreachable:NoSchedule');
    await plane.clock.advance(3_600_000);
    expect(Object.keys(await podsNow())).toHaveLength(3);
    alive.add('n-3');
    await renew('n-3');
    await report('n-3');
    await plane.clock.advance(21_000);
    expect(await taintsOf('n-3')).toBe('');
    expect([await taintsOf('n-1'), await taintsOf('n-2')]).toEqual([both, both]);
  });
});

describe('taints of users', () => {
  const taint = async (taints: readonly object[]): Promise<void> => {
    const body = { spec: { taints } };
    await plane.client.patch(nodes, { signal: plane.signal, name: 'n', patchType: 'merge', body });
    await plane.clock.settle();
  };
  const drain = { key: 'team/drain', effect: 'NoExecute' };

  test('NoExecute removes the intolerant at once, the patient later, the tolerant never', async () => {
    await join('n');
    await put('intolerant', 'n');
    await put('patient', 'n', {
      tolerations: [{ key: 'team/drain', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }],
    });
    await put('tolerant', 'n', { tolerations: [{ operator: 'Exists' }] });
    await taint([drain]);
    expect(await podsNow()).toEqual({ intolerant: 'going', patient: 'ready', tolerant: 'ready' });
    await plane.clock.advance(31_000);
    expect(await podsNow()).toEqual({ intolerant: 'going', patient: 'going', tolerant: 'ready' });
    expect(await taintsOf('n')).toBe('drain:NoExecute');
  });

  test('a pod that comes to a tainted node goes as well', async () => {
    await join('n');
    await taint([drain]);
    await put('late', 'n');
    await plane.clock.settle();
    expect(await podsNow()).toEqual({ late: 'going' });
  });

  test('cordon and pressure become taints and go with their cause', async () => {
    await join('n');
    const cordon = (unschedulable: boolean): Promise<Node> =>
      plane.client.patch(nodes, {
        signal: plane.signal,
        name: 'n',
        patchType: 'merge',
        body: { spec: { unschedulable } },
      });
    await plane.clock.settle();
    await cordon(true);
    await plane.clock.settle();
    await report('n', { Ready: 'True', DiskPressure: 'True' });
    await plane.clock.settle();
    expect(await taintsOf('n')).toBe('unschedulable:NoSchedule disk-pressure:NoSchedule');
    await cordon(false);
    await report('n', { Ready: 'True', DiskPressure: 'False' });
    await plane.clock.settle();
    expect(await taintsOf('n')).toBe('');
  });
});

test('a thousand healthy nodes cost nothing: no write, no read, however often they renew', async () => {
  for (let index = 0; index < 1_000; index++) await join(`n-${index}`);
  await plane.clock.settle();
  written.length = 0;
  await plane.clock.advance(60_000);
  expect(written).toEqual([]);
});

test('a node that goes before the patience of its pods ends is not missed then', async () => {
  await join('lives');
  await join('n');
  const drain = { key: 'team/drain', effect: 'NoExecute' };
  await put('patient', 'n', { tolerations: [{ ...drain, operator: 'Exists', tolerationSeconds: 30 }] });
  await plane.client.patch(nodes, {
    signal: plane.signal,
    name: 'n',
    patchType: 'merge',
    body: { spec: { taints: [drain] } },
  });
  await plane.clock.settle();
  alive.delete('n');
  await plane.client.delete(nodes, { signal: plane.signal, name: 'n' });
  await plane.clock.advance(31_000);
  expect(await podsNow()).toEqual({ patient: 'ready' });
  expect(plane.problems).toEqual([]);
});

test('a deleted node is forgotten', async () => {
  await join('lives');
  await join('n');
  await plane.clock.settle();
  written.length = 0;
  alive.delete('n');
  await plane.client.delete(nodes, { signal: plane.signal, name: 'n' });
  await plane.clock.advance(120_000);
  expect(written.filter(({ resource }) => resource.resource === 'nodes')).toEqual([]);
});
