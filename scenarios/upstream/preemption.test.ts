/** Upstream's end-to-end tests of priorities and preemption: the other rows 2.5. */
import { events, pods, priorityclasses, replicasets } from '@signalbox/cluster';
import { podCondition } from '@signalbox/cluster/testing';
import { expect } from 'vitest';
import { labelled, placeOf, podNamed, podSpec, priority, protect, run, some, stock } from './pods.ts';
import { isGoing, namesOf, namespace, row, type Stage } from './stage.ts';

const hostname = 'kubernetes.io/hostname';

async function priorities(stage: Stage): Promise<void> {
  await priority(stage, 'low', 1);
  await priority(stage, 'middle', 100);
  await priority(stage, 'high', 1_000);
}

const of = (priorityClassName: string): { readonly spec: { readonly priorityClassName: string } } => ({
  spec: { priorityClassName },
});

async function isThere(stage: Stage, name: string): Promise<boolean> {
  const { items } = await stage.client.list(pods, { namespace });
  return items.some((pod) => pod.metadata.name === name && !isGoing(pod));
}

row('2.5.5', async (stage) => {
  await priorities(stage);
  for (const number of [1, 2, 3]) await stock(stage, `node-${number}`, 1);
  for (const number of [1, 2]) await run(stage, `middle-${number}`, { requests: some(1), ...of('middle') });
  await run(stage, 'low', { requests: some(1), ...of('low') });
  const place = await placeOf(stage, 'low');
  await run(stage, 'high', { requests: some(1), ...of('high') });
  await stage.advance(10_000);
  expect(await placeOf(stage, 'high')).toBe(place);
  expect(await isThere(stage, 'low')).toBe(false);
  expect([await isThere(stage, 'middle-1'), await isThere(stage, 'middle-2')]).toEqual([true, true]);
  const { items } = await stage.client.list(events, { namespace });
  const preempted = items.filter(({ reason }) => reason === 'Preempted');
  expect(preempted.map(({ involvedObject, related }) => [involvedObject.name, related?.name])).toEqual([
    ['low', 'high'],
  ]);
});

row('2.5.6', async (stage) => {
  await priorities(stage);
  await stock(stage, 'node-2', 1);
  await run(stage, 'low', { requests: some(1), ...of('low') });
  const parts = { requests: some(1), ...of('system-cluster-critical') };
  await run(stage, 'critical', { ...parts, namespace: 'kube-system' });
  await stage.advance(10_000);
  expect((await podNamed(stage, 'critical', 'kube-system')).spec).toMatchObject({
    nodeName: 'node-2',
    priority: 2_000_000_000,
  });
  expect(await isThere(stage, 'low')).toBe(false);
});

row('2.5.7', async (stage) => {
  await stock(stage, 'node-1', 10);
  // One of each rank has room; then the highest one comes with as many as push out all but the next.
  const sizes = [
    ['p1', 5],
    ['p2', 4],
    ['p3', 1],
  ] as const;
  const start = async (name: string, replicas: number): Promise<void> => {
    await priority(stage, name, Number(name.slice(1)));
    const labels = { app: name };
    const template = { metadata: { labels }, spec: podSpec({ requests: some(1), ...of(name) }) };
    const spec = { replicas, selector: { matchLabels: labels }, template };
    await stage.client.create(replicasets, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name, namespace },
      spec,
    });
    await stage.advance(10_000);
  };
  const bound = async (app: string): Promise<number> =>
    (await stage.podsOf(app)).filter((pod) => pod.spec.nodeName !== undefined && !isGoing(pod)).length;
  for (const [name, replicas] of sizes) await start(name, replicas);
  expect([await bound('p1'), await bound('p2'), await bound('p3')]).toEqual([5, 4, 1]);
  await start('p4', 6);
  await stage.advance(30_000);
  expect([await bound('p1'), await bound('p2'), await bound('p3'), await bound('p4')]).toEqual([0, 3, 1, 6]);
  // What was pushed out is made anew and waits.
  expect((await stage.podsOf('p1')).filter((pod) => !isGoing(pod))).toHaveLength(5);
});

row('2.5.8', async (stage) => {
  await priorities(stage);
  await stock(stage, 'node-1', 1);
  const finalizers = ['example.com/look'];
  await run(stage, 'victim', { requests: some(1), finalizers, ...of('low') });
  await run(stage, 'high', { requests: some(1), ...of('high') });
  await stage.advance(40_000);
  const victim = await podNamed(stage, 'victim');
  expect(podCondition(victim, 'DisruptionTarget')).toMatchObject({
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: 'default-scheduler: preempting to accommodate a higher priority pod',
  });
  const body = { metadata: { finalizers: null } };
  await stage.client.patch(pods, { namespace, name: 'victim', patchType: 'merge', body });
  await stage.advance(10_000);
  expect(await isThere(stage, 'victim')).toBe(false);
  expect(await placeOf(stage, 'high')).toBe('node-1');
});

row('2.5.9', async (stage) => {
  const { client } = stage;
  await priorities(stage);
  const { items } = await client.list(priorityclasses);
  expect(namesOf(items)).toEqual(['high', 'low', 'middle', 'system-cluster-critical', 'system-node-critical']);
  const named = { name: 'low' };
  const low = await client.get(priorityclasses, named);
  expect(low).toMatchObject({ value: 1, preemptionPolicy: 'PreemptLowerPriority' });
  await expect(
    client.patch(priorityclasses, { ...named, patchType: 'json', body: [{ op: 'replace', path: '/value', value: 2 }] }),
  ).rejects.toThrow('may not be changed in an update');
  await expect(client.update(priorityclasses, { ...low, value: 3 })).rejects.toThrow('may not be changed in an update');
  const body = { description: 'for what can wait' };
  const patched = await client.patch(priorityclasses, { ...named, patchType: 'merge', body });
  expect(patched.description).toBe(body.description);
  const updated = await client.update(priorityclasses, { ...patched, description: 'other' });
  expect(updated.description).toBe('other');
  await client.delete(priorityclasses, named);
  await expect(client.get(priorityclasses, named)).rejects.toThrow('not found');
});

row('2.5.16', async (stage) => {
  await priorities(stage);
  for (const number of [1, 2]) {
    await labelled(stage, `node-${number}`, { place: 'here' });
    await stock(stage, `node-${number}`, 4);
  }
  const spread = [
    {
      maxSkew: 1,
      topologyKey: hostname,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'spread' } },
    },
  ];
  const on = (node: string, amount: number): object => ({
    app: 'spread',
    requests: some(amount),
    spec: { priorityClassName: 'low', nodeSelector: { [hostname]: node } },
  });
  // node-1 is full of one that is important, node-2 of three small ones that are not.
  await run(stage, 'large', {
    requests: some(4),
    spec: { priorityClassName: 'high', nodeSelector: { [hostname]: 'node-1' } },
  });
  for (const number of [1, 2, 3]) await run(stage, `small-${number}`, on('node-2', 1));
  const spec = { priorityClassName: 'middle', nodeSelector: { place: 'here' }, topologySpreadConstraints: spread };
  await run(stage, 'middle', { app: 'spread', requests: some(2), spec });
  await stage.advance(10_000);
  expect(await placeOf(stage, 'middle')).toBe('node-2');
  expect(await isThere(stage, 'large')).toBe(true);
  const left = (await stage.podsOf('spread')).filter((pod) => !isGoing(pod));
  expect(left.length).toBe(1);
});

row('2.5.21', async (stage) => {
  await priorities(stage);
  for (const number of [1, 2]) await stock(stage, `node-${number}`, 1);
  const on = (node: string): object => ({ priorityClassName: 'low', nodeSelector: { [hostname]: node } });
  await run(stage, 'protected', { requests: some(1), spec: on('node-1') });
  await run(stage, 'unprotected', { requests: some(1), spec: on('node-2') });
  await protect(stage, 'protected');
  await run(stage, 'high-1', { requests: some(1), ...of('high') });
  await stage.advance(10_000);
  expect(await placeOf(stage, 'high-1')).toBe('node-2');
  expect(await isThere(stage, 'protected')).toBe(true);
  // A budget is a preference: where nothing else will do it gives way.
  await run(stage, 'high-2', { requests: some(1), ...of('high') });
  await stage.advance(10_000);
  expect(await placeOf(stage, 'high-2')).toBe('node-1');
  expect(await isThere(stage, 'protected')).toBe(false);
});
