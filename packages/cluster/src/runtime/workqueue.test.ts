import { expect, test } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { createVirtualClock, type VirtualClock } from '../testing/virtual-clock.ts';
import { createWorkqueue, type Workqueue } from './workqueue.ts';

const { signal } = new AbortController();

function setUp(): { readonly clock: VirtualClock; readonly queue: Workqueue; readonly taken: string[]; take(): void } {
  const clock = createVirtualClock({ startMs: 0 });
  const queue = createWorkqueue({
    clock,
    random: seededRandom('queue'),
    backoff: { initialMs: 100, maxMs: 1000, factor: 2, jitter: 0 },
  });
  const taken: string[] = [];
  const take = (): void => {
    void queue.take({ signal }).then((key) => taken.push(`${key}@${clock.nowMs()}`));
  };
  return { clock, queue, taken, take };
}

test('a key that is added three times is taken once', async () => {
  const { clock, queue, taken, take } = setUp();
  for (let round = 0; round < 3; round++) queue.add('a');
  take();
  take();
  await clock.settle();
  expect(taken).toEqual(['a@0']);
});

test('keys come in the order in which they were added', async () => {
  const { clock, queue, taken, take } = setUp();
  for (const key of ['b', 'a', 'c']) queue.add(key);
  for (let round = 0; round < 3; round++) take();
  await clock.settle();
  expect(taken).toEqual(['b@0', 'a@0', 'c@0']);
});

test('a key that is added while it runs runs once more, and not before it is done', async () => {
  const { clock, queue, taken, take } = setUp();
  queue.add('a');
  take();
  take();
  await clock.settle();
  queue.add('a');
  queue.add('a');
  await clock.settle();
  expect(taken).toEqual(['a@0']);
  queue.done('a');
  await clock.settle();
  expect(taken).toEqual(['a@0', 'a@0']);
});

test('a taker waits until something arrives', async () => {
  const { clock, queue, taken, take } = setUp();
  take();
  await clock.advance(50);
  queue.add('late');
  await clock.settle();
  expect(taken).toEqual(['late@50']);
});

test('failures in a row wait longer each time, and success forgets them', async () => {
  const { clock, queue, taken, take } = setUp();
  queue.add('a');
  take();
  await clock.settle();
  for (let round = 0; round < 5; round++) {
    queue.retry('a');
    take();
    await clock.advance(1000);
  }
  expect(taken).toEqual(['a@0', 'a@100', 'a@1200', 'a@2400', 'a@3800', 'a@5000']);
  expect(queue.failures('a')).toBe(5);
  queue.done('a');
  expect(queue.failures('a')).toBe(0);
});

test('of two wishes for later the nearer one counts', async () => {
  const { clock, queue, taken, take } = setUp();
  queue.addAfter('a', 500);
  queue.addAfter('a', 100);
  queue.addAfter('a', 300);
  take();
  take();
  await clock.advance(1000);
  expect(taken).toEqual(['a@100']);
});

test('done can ask to come back later', async () => {
  const { clock, queue, taken, take } = setUp();
  queue.add('a');
  take();
  await clock.settle();
  queue.done('a', { againInMs: 60_000 });
  take();
  await clock.advance(60_000);
  expect(taken).toEqual(['a@0', 'a@60000']);
});

test('waiting ends with the reason of the signal', async () => {
  const { clock, queue } = setUp();
  const ending = new AbortController();
  const waiting = queue.take({ signal: ending.signal });
  await clock.settle();
  ending.abort(new Error('shutting down'));
  await expect(waiting).rejects.toThrow('shutting down');
  queue.add('a');
  expect(queue.size).toBe(1);
});

test('the queue is idle only when nothing waits, runs or has failed', async () => {
  const { clock, queue, take } = setUp();
  expect(queue.isIdle).toBe(true);
  queue.add('a');
  take();
  await clock.settle();
  expect(queue.isIdle).toBe(false);
  queue.retry('a');
  expect(queue.isIdle).toBe(false);
  take();
  await clock.advance(200);
  queue.done('a');
  expect(queue.isIdle).toBe(true);
});

test('a key that rests is not taken until it has rested, and the others are', async () => {
  const { clock, queue, taken, take } = setUp();
  queue.add('a');
  for (let round = 0; round < 3; round++) take();
  await clock.settle();
  queue.add('a');
  queue.done('a', { restMs: 100 });
  queue.add('b');
  await clock.advance(50);
  queue.add('a');
  await clock.advance(1_000);
  expect(taken).toEqual(['a@0', 'b@0', 'a@100']);
});

test('a key that nobody wants while it rests is taken at once afterwards', async () => {
  const { clock, queue, taken, take } = setUp();
  queue.add('a');
  take();
  await clock.settle();
  queue.done('a', { restMs: 100 });
  expect(queue.isIdle).toBe(true);
  await clock.advance(200);
  take();
  queue.add('a');
  await clock.settle();
  expect(taken).toEqual(['a@0', 'a@200']);
});

test('a key that is to be looked at later comes back no sooner than it has rested', async () => {
  const { clock, queue, taken, take } = setUp();
  queue.add('a');
  take();
  await clock.settle();
  queue.done('a', { againInMs: 10, restMs: 100 });
  take();
  await clock.advance(200);
  expect(taken).toEqual(['a@0', 'a@100']);
});

test('a queue that is stopped waits for no later moment, and forgets no key', async () => {
  const { clock, queue, taken, take } = setUp();
  queue.add('retried');
  queue.add('rests');
  queue.add('again');
  for (let round = 0; round < 3; round++) take();
  await clock.settle();
  queue.retry('retried');
  queue.done('rests', { restMs: 1_000 });
  queue.add('rests');
  queue.done('again', { againInMs: 600_000 });
  queue.addAfter('later', 600_000);
  queue.stop();
  queue.addAfter('later still', 600_000);
  taken.length = 0;
  for (let round = 0; round < 5; round++) take();
  await clock.settle();
  expect(taken.sort()).toEqual(['again@0', 'later still@0', 'later@0', 'rests@0', 'retried@0']);
  queue.done('again', { againInMs: 100 });
  take();
  await clock.advance(100);
  expect(taken.at(-1)).toBe('again@100');
});
