import { expect, test } from 'vitest';
import { sleep } from './clock.ts';
import { createDrivenClock } from './driven-clock.ts';

const { signal } = new AbortController();

test('what is due runs in the order of its time, then of its scheduling', async () => {
  const clock = createDrivenClock({ startMs: 0 });
  const seen: string[] = [];
  clock.after(20, () => seen.push(`b@${clock.nowMs()}`));
  clock.after(10, () => seen.push(`a@${clock.nowMs()}`));
  clock.after(20, () => seen.push(`c@${clock.nowMs()}`));
  clock.after(10, () => seen.push('never'))();
  await clock.moveTo(15);
  expect([seen, clock.nowMs()]).toEqual([['a@10'], 15]);
  await clock.moveTo(20);
  expect(seen).toEqual(['a@10', 'b@20', 'c@20']);
});

test('a day of a loop that sleeps a minute and takes turns runs to its end', async () => {
  const clock = createDrivenClock({ startMs: 0 });
  let rounds = 0;
  const loop = (async () => {
    for (; rounds < 1_440; rounds++) {
      await sleep(clock, 60_000, { signal });
      await clock.turn();
    }
  })();
  await clock.moveTo(86_400_000);
  await loop;
  expect([rounds, clock.nowMs()]).toEqual([1_440, 86_400_000]);
});

test('turns are taken while it stands', async () => {
  const clock = createDrivenClock({ startMs: 7 });
  await clock.turn();
  expect(clock.nowMs()).toBe(7);
});

test('it waits at each moment for what is on its way', async () => {
  let pending: Promise<void> | undefined;
  const clock = createDrivenClock({ startMs: 0, settled: async () => pending });
  const written: number[] = [];
  const write = (): void => {
    pending = new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() => {
      written.push(clock.nowMs());
      pending = undefined;
      if (written.length < 3) clock.after(1_000, write);
    });
  };
  clock.after(1_000, write);
  await clock.moveTo(60_000);
  expect(written).toEqual([1_000, 2_000, 3_000]);
});

test('who gives up stops it where it is, and says where it was going meanwhile', async () => {
  const clock = createDrivenClock({ startMs: 0 });
  const giving = new AbortController();
  let target: number | undefined;
  clock.after(30, () => {
    target = clock.targetMs;
    giving.abort();
  });
  await clock.moveTo(100, { signal: giving.signal });
  expect([clock.nowMs(), target, clock.targetMs]).toEqual([30, 100, undefined]);
});

test('it goes forward only, and by one hand', async () => {
  const clock = createDrivenClock({ startMs: 50 });
  await expect(clock.moveTo(49)).rejects.toThrow('time only goes forward');
  const first = clock.moveTo(60);
  await expect(clock.moveTo(70)).rejects.toThrow('moved by one at a time');
  await first;
});

test('a pace is real time', async () => {
  const waits: number[] = [];
  const real = {
    nowMs: () => 0,
    after: (delayMs: number, work: () => void) => {
      waits.push(delayMs);
      setImmediate(work);
      return () => undefined;
    },
    turn: () => new Promise<void>((resolve) => void setImmediate(resolve)),
  };
  const clock = createDrivenClock({ startMs: 0, real });
  clock.after(10, () => undefined);
  clock.after(20, () => undefined);
  await clock.moveTo(100, { paceMs: 40 });
  expect(waits).toEqual([40, 40]);
});
