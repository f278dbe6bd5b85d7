import { expect, test } from 'vitest';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { sleep } from './clock.ts';
import { limitTime, within } from './limit.ts';

const { signal } = new AbortController();

test('the signal aborts when the time is up, and says how long that was', async () => {
  const clock = createVirtualClock();
  const limit = limitTime(1_000, { clock, signal, late: (ms) => new Error(`more than ${ms} ms`) });
  await clock.advance(999);
  expect(limit.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(limit.signal.reason).toEqual(new Error('more than 1000 ms'));
});

test('the time can start anew, and ends with the release', async () => {
  const clock = createVirtualClock();
  const limit = limitTime(1_000, { clock, signal });
  await clock.advance(900);
  limit.again(500);
  await clock.advance(400);
  limit.release();
  await clock.advance(10_000);
  expect(limit.signal.aborted).toBe(false);
});

test('it aborts with the signal that it was made from, also with one that has aborted before', () => {
  const clock = createVirtualClock();
  const outer = new AbortController();
  const before = limitTime(1_000, { clock, signal: outer.signal });
  outer.abort('enough');
  const after = limitTime(1_000, { clock, signal: outer.signal });
  expect([before.signal.reason, after.signal.reason]).toEqual(['enough', 'enough']);
});

test('work within a limit gives its result, or the reason why not', async () => {
  const clock = createVirtualClock();
  const waiting = (ms: number) =>
    within(1_000, {
      clock,
      signal,
      work: async (limited) => {
        await sleep(clock, ms, { signal: limited });
        return 'done';
      },
    });
  const [quick, slow] = [waiting(10), waiting(2_000).catch((error: unknown) => error)];
  await clock.advance(3_000);
  expect(await quick).toBe('done');
  expect(await slow).toEqual(new Error('it took too long'));
});
