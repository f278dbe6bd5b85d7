import { expect, test } from 'vitest';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { compactByAge } from './compaction.ts';
import { change, put } from './conformance.ts';
import { createStore } from './create.ts';
import { createMemoryBackend } from './memory.ts';

test('what is younger than the age is kept, what is a tenth older is gone', async () => {
  const clock = createVirtualClock();
  let revision = 0;
  let compacted = 0;
  const writtenAtMs: number[] = [clock.nowMs()];
  const stop = compactByAge({
    clock,
    ageMsMax: 300_000,
    revision: () => revision,
    compact: (until) => {
      compacted = until;
    },
  });
  for (let round = 0; round < 200; round++) {
    await clock.advance(7_000);
    revision += 1;
    writtenAtMs[revision] = clock.nowMs();
    const ageMs = (of: number): number => clock.nowMs() - (writtenAtMs[of] ?? Number.NaN);
    if (compacted > 0) expect(ageMs(compacted)).toBeGreaterThanOrEqual(300_000);
    expect(ageMs(compacted + 1)).toBeLessThanOrEqual(330_000 + 7_000);
  }
  expect(compacted).toBeGreaterThan(100);
  stop();
  const last = compacted;
  await clock.advance(3_600_000);
  expect(compacted).toBe(last);
});

test('an age of infinity needs no clock', () => {
  const clock = {
    nowMs: () => 0,
    turn: async () => undefined,
    after: () => {
      throw new Error('a timer');
    },
  };
  compactByAge({ clock, ageMsMax: Infinity, revision: () => 0, compact: () => undefined })();
});

test('a store compacts by count with every commit', async () => {
  const store = await createStore({
    backend: createMemoryBackend(),
    clock: createVirtualClock(),
    compaction: { revisionsMax: 10, ageMsMax: 1_000 },
    watcherBufferMax: 10,
  });
  for (let round = 1; round <= 50; round++) {
    await put(store, `/a/${round % 3}`);
    expect(store.compactedRevision).toBe(Math.max(0, round - 10));
  }
  await store.close();
});

test('a store compacts by age, and its clock is free after close', async () => {
  const clock = createVirtualClock();
  const timers = { running: 0 };
  const store = await createStore({
    backend: createMemoryBackend(),
    clock: {
      nowMs: () => clock.nowMs(),
      turn: () => clock.turn(),
      after(delayMs, work) {
        timers.running += 1;
        const cancel = clock.after(delayMs, () => {
          timers.running -= 1;
          work();
        });
        return () => {
          timers.running -= 1;
          cancel();
        };
      },
    },
    compaction: { revisionsMax: 1_000, ageMsMax: 60_000 },
    watcherBufferMax: 10,
  });
  await put(store, '/a');
  await change(store, '/a', { expect: 1 });
  await clock.advance(50_000);
  expect(store.compactedRevision).toBe(0);
  await clock.advance(16_000);
  expect(store.compactedRevision).toBe(2);
  expect(store.list('/', { at: 1 })).toEqual({ expired: true, compactedRevision: 2 });
  expect(timers.running).toBe(1);
  await store.close();
  expect(timers.running).toBe(0);
});
