/** What is looked at, on a clock that the test moves. */
import { createVirtualClock, type VirtualClock } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import { startHeartbeat } from './heartbeat.ts';
import { createQueues } from './queues.ts';
import { createReach } from './reach.ts';

const clockAt0 = (): VirtualClock => createVirtualClock({ startMs: 0 });

test('the API is away from the first failure until any answer, a refusal among them', async () => {
  const clock = clockAt0();
  const reach = createReach(clock);
  const answered = (code: number): void =>
    reach.answered({ verb: 'get', resource: 'leases', subresource: undefined, code, durationMs: 1 });
  answered(200);
  expect(reach.unreachableMs()).toBe(0);
  await clock.advance(10_000);
  answered(503);
  await clock.advance(10_000);
  answered(504);
  reach.watchEnded({ resource: 'pods', code: 503 });
  // One that ends by itself shows nothing.
  reach.watchEnded({ resource: 'pods', code: 200 });
  expect(reach.unreachableMs()).toBe(10_000);
  answered(403);
  expect(reach.unreachableMs()).toBe(0);
});

test('an API that says nothing at all is away, too, also where nobody waits for its answers', async () => {
  const clock = clockAt0();
  const reach = createReach(clock);
  reach.asked();
  await clock.advance(9_000);
  // It may only be slow.
  expect(reach.unreachableMs()).toBe(0);
  await clock.advance(42_000);
  reach.asked();
  await clock.advance(10_000);
  expect(reach.unreachableMs()).toBe(61_000);
  reach.answered({ verb: 'get', resource: 'leases', subresource: undefined, code: 200, durationMs: 1 });
  expect(reach.unreachableMs()).toBe(0);
  await clock.advance(3_600_000);
  expect(reach.unreachableMs()).toBe(0);
});

test('a queue is told with how long its first key waits, and since when nothing has ended', async () => {
  const clock = clockAt0();
  const queues = createQueues(clock);
  const queue = { size: 2, failing: 1, oldestMs: 1_000 as number | undefined };
  const stop = queues.works('prometheus', queue);
  await clock.advance(5_000);
  const run = { component: 'prometheus', key: 'a/b', cause: { by: 'start' }, result: 'succeeded' } as const;
  queues.ran({ ...run, startedMs: 1_000, endedMs: 2_000 });
  expect(queues.figures()).toEqual([
    { component: 'prometheus', size: 2, failing: 1, oldestAgeMs: 4_000, restingMs: 3_000 },
  ]);
  queue.oldestMs = undefined;
  expect(queues.figures()[0]?.oldestAgeMs).toBe(0);
  const stopNext = queues.works('prometheus', queue);
  stop();
  expect(queues.figures()).toHaveLength(1);
  stopNext();
  expect(queues.figures()).toEqual([]);
});

test('a beat that comes late is told until one comes in time, and one that is due at once', () => {
  let nowMs = 0;
  let due: { readonly atMs: number; readonly run: () => void } | undefined;
  const after = (ms: number, run: () => void): (() => void) => {
    due = { atMs: nowMs + ms, run };
    return () => {
      due = undefined;
    };
  };
  const heartbeat = startHeartbeat({ ...clockAt0(), nowMs: () => nowMs, after });
  nowMs = 5_000;
  due?.run();
  expect(heartbeat.lateMs()).toBe(0);
  nowMs = 40_000;
  expect(heartbeat.lateMs()).toBe(30_000);
  due?.run();
  expect(heartbeat.lateMs()).toBe(30_000);
  nowMs = 45_000;
  due?.run();
  expect(heartbeat.lateMs()).toBe(0);
  heartbeat.stop();
  expect(due).toBeUndefined();
});
