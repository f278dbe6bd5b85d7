import { expect, test } from 'vitest';
import { makePod, type PodParts } from '../testing/makers.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import type { ClusterEvent, Wakes } from './plugin.ts';
import { podView } from './pod-view.ts';
import { createSchedulingQueue, type SchedulingQueue } from './queue.ts';

const fresh = { isChanged: false };
const events = (...names: readonly ClusterEvent[]): Wakes => ({
  on: new Map(names.map((name) => [name, []])),
  from: 'pinnedNodes',
  group: '',
  filters: undefined,
});
const view = (name: string, parts: PodParts = {}) => podView(makePod(name, parts));

function drain(queue: SchedulingQueue): readonly string[] {
  const names: string[] = [];
  for (let pod = queue.pop(); pod !== undefined; pod = queue.pop()) names.push(pod.pod.metadata.name);
  return names;
}

test('higher priority goes first, then who has waited longer', async () => {
  const clock = createVirtualClock();
  const queue = createSchedulingQueue(clock);
  queue.put(view('late', { priority: 1 }), fresh);
  await clock.advance(10);
  queue.put(view('later', { priority: 1 }), fresh);
  queue.put(view('vip', { priority: 9 }), fresh);
  expect(drain(queue)).toEqual(['vip', 'late', 'later']);
});

test('a pod without a place waits for the event that can help, and its back-off', async () => {
  const clock = createVirtualClock();
  const queue = createSchedulingQueue(clock);
  const pod = view('p');
  queue.put(pod, fresh);
  queue.pop();
  queue.unplaced(pod, events('node/added'));
  queue.wake('pod/removed', 'a');
  await clock.advance(5_000);
  expect(drain(queue)).toEqual([]);
  queue.wake('node/added', 'a');
  expect(drain(queue)).toEqual(['p']);
});

test('failures wait 1, 2, 4, 8, 10, 10 seconds', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const queue = createSchedulingQueue(clock);
  const pod = view('p');
  queue.put(pod, fresh);
  const waits: number[] = [];
  for (let round = 0; round < 6; round++) {
    expect(queue.pop()).toBeDefined();
    const sinceMs = clock.nowMs();
    queue.failed(pod);
    let isReady = false;
    queue.onReady(() => {
      isReady = true;
    });
    await clock.advanceUntil(() => isReady, { withinMs: 60_000 });
    waits.push(clock.nowMs() - sinceMs);
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test('an event on one node does not wake pods that are pinned to others', async () => {
  const clock = createVirtualClock();
  const queue = createSchedulingQueue(clock);
  for (const node of ['a', 'b']) {
    const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
    };
    const pod = view(`on-${node}`, { spec: { affinity } });
    queue.put(pod, fresh);
    queue.pop();
    queue.unplaced(pod, events('pod/removed'));
  }
  await clock.advance(1_000);
  queue.wake('pod/removed', 'b');
  expect(drain(queue)).toEqual(['on-b']);
});

test('a change of the pod itself is worth another try; its status is not', async () => {
  const clock = createVirtualClock();
  const queue = createSchedulingQueue(clock);
  queue.put(view('p'), fresh);
  queue.pop();
  queue.unplaced(view('p'), events('node/added'));
  await clock.advance(1_000);
  queue.put(view('p', { labels: { a: '1' } }), { isChanged: false });
  expect(drain(queue)).toEqual([]);
  queue.put(view('p', { labels: { a: '2' } }), { isChanged: true });
  expect(queue.pop()?.pod.metadata.labels).toEqual({ a: '2' });
});

test('after five minutes a pod is tried again even if nothing happened', async () => {
  const clock = createVirtualClock();
  const queue = createSchedulingQueue(clock);
  const pod = view('p');
  queue.put(pod, fresh);
  queue.pop();
  queue.unplaced(pod, events());
  await clock.advance(299_999);
  expect(drain(queue)).toEqual([]);
  await clock.advance(1);
  expect(drain(queue)).toEqual(['p']);
});

test('a removed pod does not come back', async () => {
  const clock = createVirtualClock();
  const queue = createSchedulingQueue(clock);
  const pod = view('p');
  queue.put(pod, fresh);
  queue.pop();
  queue.failed(pod);
  queue.remove(pod.uid);
  await clock.advance(60_000);
  expect([drain(queue), queue.size]).toEqual([[], 0]);
});

test('a new version of a waiting pod neither wakes it nor loses its turn', async () => {
  const clock = createVirtualClock();
  const queue = createSchedulingQueue(clock);
  queue.put(view('p'), fresh);
  queue.pop();
  queue.unplaced(view('p'), events());
  queue.put(view('p', { labels: { version: '2' } }), { isChanged: false });
  expect(drain(queue)).toEqual([]);
  await clock.advance(300_000);
  expect(queue.pop()?.pod.metadata.labels).toEqual({ version: '2' });
});

test('a pinned pod whose rule looks at other nodes wakes by what happens there', async () => {
  const clock = createVirtualClock();
  const pinned = (name: string) => {
    const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    return view(name, { spec: { affinity: { nodeAffinity } } });
  };
  const queue = createSchedulingQueue(clock);
  for (const name of ['near', 'far']) queue.put(pinned(name), fresh);
  for (let pod = queue.pop(); pod !== undefined; pod = queue.pop())
    queue.unplaced(pod, {
      ...events('pod/removed'),
      from: pod.pod.metadata.name === 'far' ? 'anywhere' : 'pinnedNodes',
    });
  await clock.advance(5_000);
  queue.wake('pod/removed', 'b');
  expect(drain(queue)).toEqual(['far']);
  queue.wake('pod/removed', 'a');
  expect(drain(queue)).toEqual(['near']);
});

test('pods of one group are asked about once, and wake together', async () => {
  const clock = createVirtualClock();
  const queue = createSchedulingQueue(clock);
  for (const name of ['a1', 'a2', 'b1']) queue.put(view(name), fresh);
  for (let pod = queue.pop(); pod !== undefined; pod = queue.pop())
    queue.unplaced(pod, { ...events('pod/removed'), group: pod.pod.metadata.name.slice(0, 1) });
  await clock.advance(5_000);
  const asked: string[] = [];
  queue.wake('node/added', 'n', () => true);
  expect(drain(queue)).toEqual([]);
  queue.wake('pod/removed', 'n', (pod, { group }) => {
    asked.push(pod.pod.metadata.name);
    return group === 'a';
  });
  expect(asked).toEqual(['a1', 'b1']);
  expect(drain(queue)).toEqual(['a1', 'a2']);
});

test('a pod that is known to fit comes back at once; one for which it would be in vain waits on', async () => {
  const clock = createVirtualClock();
  const queue = createSchedulingQueue(clock);
  queue.put(view('p'), fresh);
  queue.pop();
  queue.unplaced(view('p'), events());
  queue.stir(view('p').uid, () => 'in vain');
  await clock.advance(10_000);
  expect(drain(queue)).toEqual([]);
  let isReady = false;
  queue.onReady(() => {
    isReady = true;
  });
  queue.stir(view('p').uid, () => 'fits');
  expect([isReady, drain(queue)]).toEqual([true, ['p']]);
});

test('a pod that is stirred comes back after its back-off, and only if it waits', async () => {
  const clock = createVirtualClock();
  const queue = createSchedulingQueue(clock, { backoffInitialMs: 3_000, backoffMaxMs: 4_000 });
  queue.put(view('p'), fresh);
  queue.stir(view('p').uid);
  expect(drain(queue)).toEqual(['p']);
  queue.unplaced(view('p'), events());
  queue.stir(view('p').uid);
  await clock.advance(2_999);
  expect(drain(queue)).toEqual([]);
  await clock.advance(1);
  expect(drain(queue)).toEqual(['p']);
});

test('each pod counts by what it waits for; one that has its turn waits for nothing', () => {
  const queue = createSchedulingQueue(createVirtualClock());
  for (const kind of ['unplaced', 'unplaced', 'failed', 'failed', 'failed', 'inFlight', 'active']) {
    const pod = view(`${kind}-${queue.size}`);
    queue.put(pod, fresh);
    if (kind !== 'active') expect(queue.pop()).toBe(pod);
    if (kind === 'unplaced') queue.unplaced(pod, events());
    if (kind === 'failed') queue.failed(pod);
  }
  expect(queue.counts()).toEqual({ active: 1, unschedulable: 2, backoff: 3 });
});

test.each([999, 1_000, 1_001])('a pod that is stirred %i ms after its turn comes back once', async (afterMs) => {
  const clock = createVirtualClock();
  const queue = createSchedulingQueue(clock);
  queue.put(view('p'), fresh);
  queue.pop();
  queue.unplaced(view('p'), events());
  await clock.advance(afterMs);
  queue.stir(view('p').uid);
  if (afterMs < 1_000) await clock.advance(1_000 - afterMs);
  expect(drain(queue)).toEqual(['p']);
  await clock.advance(60_000);
  expect(drain(queue)).toEqual([]);
});
