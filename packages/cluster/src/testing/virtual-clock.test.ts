import { expect, test } from 'vitest';
import { sleep } from '../base/clock.ts';
import { createVirtualClock } from './virtual-clock.ts';

const { signal } = new AbortController();

test('what is due runs in the order of its time, then of its scheduling', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const seen: string[] = [];
  clock.after(20, () => seen.push(`b@${clock.nowMs()}`));
  clock.after(10, () => seen.push(`a@${clock.nowMs()}`));
  clock.after(20, () => seen.push(`c@${clock.nowMs()}`));
  await clock.advance(15);
  expect(seen).toEqual(['a@10']);
  await clock.advance(5);
  expect(seen).toEqual(['a@10', 'b@20', 'c@20']);
  expect(clock.nowMs()).toBe(20);
});

test('a day of a loop that sleeps a minute runs to its end', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  let rounds = 0;
  const loop = (async () => {
    for (; rounds < 1440; rounds++) await sleep(clock, 60_000, { signal });
  })();
  await clock.advance(86_400_000);
  await loop;
  expect(rounds).toBe(1440);
});

test('a cancelled timer never runs', async () => {
  const clock = createVirtualClock();
  let ran = false;
  clock.after(10, () => {
    ran = true;
  })();
  await clock.advance(100);
  expect(ran).toBe(false);
});

test('sleep rejects with the reason of its signal', async () => {
  const clock = createVirtualClock();
  const controller = new AbortController();
  const sleeping = sleep(clock, 1000, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
});

test('settle runs turns and what they lead to, without time passing', async () => {
  const clock = createVirtualClock({ startMs: 5 });
  const seen: number[] = [];
  void (async () => {
    for (let round = 0; round < 3; round++) {
      await clock.turn();
      seen.push(clock.nowMs());
    }
  })();
  await clock.settle();
  expect(seen).toEqual([5, 5, 5]);
});

test('advanceUntil stops at the moment of the condition and gives up when told to', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  let done = false;
  clock.after(30, () => {
    done = true;
  });
  clock.after(40, () => undefined);
  await clock.advanceUntil(() => done, { withinMs: 1000 });
  expect(clock.nowMs()).toBe(30);
  await expect(clock.advanceUntil(() => false, { withinMs: 100 })).rejects.toThrow('100 ms of virtual time');
});
