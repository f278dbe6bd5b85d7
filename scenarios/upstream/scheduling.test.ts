/** Upstream's end-to-end tests of where pods may go and go best: rows 2.5 without preemption. */
import { type PodSpec, pods } from '@signalbox/cluster';
import { podCondition } from '@signalbox/cluster/testing';
import { expect } from 'vitest';
import { change, labelled, placeOf, podNamed, run, some, stock, whyPending } from './pods.ts';
import { namespace, row, type Stage } from './stage.ts';

const hostname = 'kubernetes.io/hostname';
const zone = 'topology.kubernetes.io/zone';

row('2.5.1', async (stage) => {
  // Each node has 8 cores.
  for (const number of [1, 2, 3]) await run(stage, `large-${number}`, { requests: { cpu: '6' } });
  const places = await Promise.all([1, 2, 3].map((number) => placeOf(stage, `large-${number}`)));
  expect(places.sort()).toEqual(['node-1', 'node-2', 'node-3']);
  await run(stage, 'one-more', { requests: { cpu: '3' } });
  expect(await placeOf(stage, 'one-more')).toBe('');
  expect(await whyPending(stage, 'one-more')).toContain('0/3 nodes are available: 3 Insufficient cpu.');
  await run(stage, 'small', { requests: { cpu: '2' } });
  expect(await placeOf(stage, 'small')).not.toBe('');
});

row('2.5.2', async (stage) => {
  await labelled(stage, 'node-2', { place: 'here' });
  await run(stage, 'picky', { spec: { nodeSelector: { place: 'here' } } });
  expect(await placeOf(stage, 'picky')).toBe('node-2');
});

row('2.5.3', async (stage) => {
  await run(stage, 'picky', { spec: { nodeSelector: { place: 'nowhere' } } });
  expect(await placeOf(stage, 'picky')).toBe('');
  expect(await whyPending(stage, 'picky')).toContain(
    "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
  );
});

row('2.5.4', async (stage) => {
  const port = (more: object): readonly [{ readonly containerPort: number }] => [
    { containerPort: 80, hostPort: 8080, protocol: 'TCP', ...more } as { containerPort: number },
  ];
  const spec = { nodeSelector: { [hostname]: 'node-1' } };
  await run(stage, 'all', { ports: port({}), spec });
  await run(stage, 'one', { ports: port({ hostIP: '127.0.0.1' }), spec });
  await run(stage, 'udp', { ports: port({ protocol: 'UDP' }), spec });
  expect(await placeOf(stage, 'all')).toBe('node-1');
  expect(await placeOf(stage, 'one')).toBe('');
  expect(await whyPending(stage, 'one')).toContain("1 node(s) didn't have free ports for the requested pod ports");
  expect(await placeOf(stage, 'udp')).toBe('node-1');
  // Two single addresses do not mind each other.
  const there = { nodeSelector: { [hostname]: 'node-2' } };
  await run(stage, 'first', { ports: port({ hostIP: '127.0.0.1' }), spec: there });
  await run(stage, 'second', { ports: port({ hostIP: '127.0.0.2' }), spec: there });
  expect([await placeOf(stage, 'first'), await placeOf(stage, 'second')]).toEqual(['node-2', 'node-2']);
});

const taint = { key: 'example.com/closed', value: 'yes', effect: 'NoSchedule' };

row('2.5.10', async (stage) => {
  await change(stage, 'node-1', { metadata: { labels: { place: 'here' } }, spec: { taints: [taint] } });
  const tolerations = [{ key: taint.key, operator: 'Equal', value: 'yes', effect: 'NoSchedule' }];
  await run(stage, 'tolerant', { spec: { nodeSelector: { place: 'here' }, tolerations } });
  expect(await placeOf(stage, 'tolerant')).toBe('node-1');
});

row('2.5.11', async (stage) => {
  await change(stage, 'node-1', { metadata: { labels: { place: 'here' } }, spec: { taints: [taint] } });
  await run(stage, 'intolerant', { spec: { nodeSelector: { place: 'here' } } });
  expect(await placeOf(stage, 'intolerant')).toBe('');
  expect(await whyPending(stage, 'intolerant')).toContain('1 node(s) had untolerated taint {example.com/closed: yes}');
  await change(stage, 'node-1', { spec: { taints: null } });
  expect(await placeOf(stage, 'intolerant')).toBe('node-1');
});

const required = (values: readonly string[]): Pick<PodSpec, 'affinity'> => {
  const terms = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'place', operator: 'In', values }] }] };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } };
};

row('2.5.12', async (stage) => {
  await labelled(stage, 'node-3', { place: 'here' });
  await run(stage, 'picky', { spec: required(['here', 'there']) });
  expect(await placeOf(stage, 'picky')).toBe('node-3');
});

row('2.5.13', async (stage) => {
  await run(stage, 'picky', { spec: required(['here', 'there']) });
  expect(await placeOf(stage, 'picky')).toBe('');
  await labelled(stage, 'node-2', { place: 'there' });
  expect(await placeOf(stage, 'picky')).toBe('node-2');
});

const spreading = (whenUnsatisfiable: string): Pick<PodSpec, 'topologySpreadConstraints'> => ({
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: zone, whenUnsatisfiable, labelSelector: { matchLabels: { app: 'spread' } } },
  ],
});

async function zones(stage: Stage): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { spec } of await stage.podsOf('spread')) {
    const place = spec.nodeName === 'node-3' ? 'b' : spec.nodeName === undefined ? 'pending' : 'a';
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

async function twoZones(stage: Stage): Promise<void> {
  for (const node of ['node-1', 'node-2']) await labelled(stage, node, { [zone]: 'a' });
  await labelled(stage, 'node-3', { [zone]: 'b' });
}

row('2.5.14', async (stage) => {
  await twoZones(stage);
  for (const number of [1, 2, 3, 4])
    await run(stage, `spread-${number}`, { app: 'spread', spec: spreading('DoNotSchedule') });
  expect(await zones(stage)).toEqual({ a: 2, b: 2 });
  await change(stage, 'node-3', { spec: { unschedulable: true } });
  for (const number of [5, 6])
    await run(stage, `spread-${number}`, { app: 'spread', spec: spreading('DoNotSchedule') });
  expect(await zones(stage)).toEqual({ a: 3, b: 2, pending: 1 });
  expect(await whyPending(stage, 'spread-6')).toContain("2 node(s) didn't match pod topology spread constraints");
});

row('2.5.15', async (stage) => {
  await twoZones(stage);
  for (const number of [1, 2]) {
    const spec = { nodeSelector: { [zone]: 'a' } };
    await run(stage, `there-${number}`, { app: 'spread', spec });
  }
  for (const number of [3, 4])
    await run(stage, `spread-${number}`, { app: 'spread', spec: spreading('ScheduleAnyway') });
  expect(await zones(stage)).toEqual({ a: 2, b: 2 });
  await change(stage, 'node-3', { spec: { unschedulable: true } });
  await run(stage, 'spread-5', { app: 'spread', spec: spreading('ScheduleAnyway') });
  expect(await zones(stage)).toEqual({ a: 3, b: 2 });
});

row('2.5.17', async (stage) => {
  const schedulingGates = [{ name: 'example.com/first' }, { name: 'example.com/second' }];
  await run(stage, 'gated', { spec: { schedulingGates } });
  const waiting = podCondition(await podNamed(stage, 'gated'), 'PodScheduled');
  expect(waiting).toMatchObject({ status: 'False', reason: 'SchedulingGated' });
  const lift = async (left: readonly object[]): Promise<void> => {
    const body = { spec: { schedulingGates: left } };
    await stage.client.patch(pods, { namespace, name: 'gated', patchType: 'merge', body });
    await stage.advance(5_000);
  };
  await lift(schedulingGates.slice(1));
  expect(await placeOf(stage, 'gated')).toBe('');
  await lift([]);
  expect(await placeOf(stage, 'gated')).not.toBe('');
});

row('2.5.18', async (stage) => {
  // node-1 is as full as the others, but of both alike; of them one lacks cpu, one memory.
  const on = (node: string): Readonly<Record<string, string>> => ({ [hostname]: node });
  await run(stage, 'both', { requests: { cpu: '4', memory: '16Gi' }, spec: { nodeSelector: on('node-1') } });
  await run(stage, 'cpu', { requests: { cpu: '6', memory: '8Gi' }, spec: { nodeSelector: on('node-2') } });
  await run(stage, 'memory', { requests: { cpu: '2', memory: '24Gi' }, spec: { nodeSelector: on('node-3') } });
  await run(stage, 'balanced', { requests: { cpu: '1', memory: '4Gi' } });
  expect(await placeOf(stage, 'balanced')).toBe('node-1');
});

const near = (app: string): { readonly labelSelector: object; readonly topologyKey: string } => ({
  labelSelector: { matchLabels: { app } },
  topologyKey: hostname,
});

row('2.5.19', async (stage) => {
  await run(stage, 'other', { spec: { nodeSelector: { [hostname]: 'node-1' } } });
  const preferred = [{ weight: 100, podAffinityTerm: near('other') }];
  const affinity = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
  const places = [];
  for (const number of [1, 2, 3, 4]) {
    await run(stage, `shy-${number}`, { app: 'shy', spec: { affinity } });
    places.push(await placeOf(stage, `shy-${number}`));
  }
  expect(places).not.toContain('node-1');
});

row('2.5.20', async (stage) => {
  for (const node of ['node-1', 'node-2'])
    await change(stage, node, { spec: { taints: [{ ...taint, effect: 'PreferNoSchedule' }] } });
  for (const number of [1, 2, 3]) {
    await run(stage, `plain-${number}`);
    expect(await placeOf(stage, `plain-${number}`)).toBe('node-3');
  }
  await change(stage, 'node-3', { spec: { unschedulable: true } });
  await run(stage, 'anyway');
  expect(['node-1', 'node-2']).toContain(await placeOf(stage, 'anyway'));
});

row('2.5.22', async (stage) => {
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near('alone')] } };
  for (const number of [1, 2, 3, 4]) await run(stage, `alone-${number}`, { app: 'alone', spec: { affinity } });
  const found = await stage.podsOf('alone');
  expect(new Set(found.flatMap(({ spec }) => spec.nodeName ?? []))).toEqual(new Set(['node-1', 'node-2', 'node-3']));
  expect(await whyPending(stage, 'alone-4')).toContain("3 node(s) didn't match pod anti-affinity rules");
  const freed = await placeOf(stage, 'alone-2');
  await stage.client.delete(pods, { namespace, name: 'alone-2' });
  await stage.advance(15_000);
  expect(await placeOf(stage, 'alone-4')).toBe(freed);
});

row('2.5.23', async (stage) => {
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near('leader')] } };
  await run(stage, 'follower', { spec: { affinity } });
  expect(await whyPending(stage, 'follower')).toContain("3 node(s) didn't match pod affinity rules");
  await stock(stage, 'node-2', 1);
  await run(stage, 'leader', { requests: some(1) });
  await stage.advance(15_000);
  expect(await placeOf(stage, 'leader')).toBe('node-2');
  expect(await placeOf(stage, 'follower')).toBe('node-2');
});
