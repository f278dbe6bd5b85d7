import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { change, put, subscribe, take } from '../testing/store/contract.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { createMemoryBackend } from './backends/memory.ts';
import { compactByAge, createByteHorizon } from './compaction.ts';
import { createStore } from './create.ts';

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
    compaction: { revisionsMax: 10, ageMsMax: 1_000, bytesMax: 256 * 2 ** 20 },
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
    compaction: { revisionsMax: 1_000, ageMsMax: 60_000, bytesMax: 256 * 2 ** 20 },
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

describe('the byte budget', () => {
  test('keeps what came after its horizon below the budget, and not much less than it could', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(sizes, (superseded) => {
        const horizon = createByteHorizon({ bytesMax: 1_000 });
        const totals: number[] = [0];
        let before = 0;
        superseded.forEach((bytes, index) => {
          const total = (totals[index] ?? 0) + bytes;
          totals.push(total);
          const at = horizon.advance(index + 1, total);
          expect(at).toBeGreaterThanOrEqual(before);
          before = at;
          expect(total - (totals[at] ?? 0)).toBeLessThanOrEqual(1_000);
          // A sixteenth for the marks, and the largest step beside a mark.
          if (at > 0) expect(total - (totals[at - 1] ?? 0)).toBeGreaterThan(1_000 - 63 - 2 * 400);
        });
      }),
    );
  });

  const megabyte = 'x'.repeat(2 ** 20);
  const openSmall = (): ReturnType<typeof createStore> =>
    createStore({
      backend: createMemoryBackend(),
      clock: createVirtualClock(),
      compaction: { revisionsMax: 100_000, ageMsMax: Infinity, bytesMax: 8 * 2 ** 20 },
      watcherBufferMax: 100_000,
    });

  test('bounds the history of one large object that is changed all the time', async () => {
    const store = await openSmall();
    for (let round = 0; round < 100; round++) {
      await put(store, '/large', megabyte);
      expect(store.usage.historyBytes).toBeLessThanOrEqual(8 * 2 ** 20);
    }
    expect(store.usage.liveBytes).toBeLessThan(2 * 2 ** 20);
    expect(store.compactedRevision).toBeGreaterThan(90);
    expect(store.list('/', { at: 50 })).toMatchObject({ expired: true });
  });

  test('takes nothing from those who create and from small changes', async () => {
    const store = await openSmall();
    for (let round = 0; round < 50; round++) await put(store, `/large/${round}`, megabyte);
    for (let round = 0; round < 1_000; round++) await put(store, '/small');
    expect(store.compactedRevision).toBe(0);
    expect(store.usage.liveBytes).toBeGreaterThan(50 * 2 ** 20);
  });

  test('expires the watch that does not read, and not the one that does', async () => {
    const store = await openSmall();
    const stalled = subscribe(store, '/', { from: 0 });
    const reading = subscribe(store, '/', { from: 0 });
    for (let round = 1; round <= 20; round++) {
      await put(store, '/large', megabyte);
      expect(await take(reading, 1)).toHaveLength(1);
    }
    const [first] = await take(stalled, 1);
    expect(first).toMatch(/^expired/);
    await put(store, '/large');
    expect(await take(reading, 1)).toEqual(['put /large 21<20']);
  });

  test('takes back what is held outside', async () => {
    const store = await openSmall();
    await put(store, '/large', megabyte);
    let lost = 0;
    store.hold(store.revision, () => {
      lost += 1;
    });
    const release = store.hold(store.revision, () => {
      throw new Error('was released');
    });
    release();
    for (let round = 0; round < 6; round++) await put(store, '/large', megabyte);
    expect(lost).toBe(0);
    for (let round = 0; round < 20; round++) await put(store, '/large', megabyte);
    expect(lost).toBe(1);
    store.hold(1, () => {
      lost += 1;
    });
    expect(lost).toBe(2);
  });

  test('counts deletions, and is empty once everything is forgotten', async () => {
    const store = await openSmall();
    for (const key of ['/a', '/b']) {
      await put(store, key, megabyte);
      await put(store, key, megabyte);
    }
    await change(store, '/a', { expect: 2, kind: 'delete', value: megabyte });
    await put(store, '/a', megabyte);
    expect(store.usage.historyBytes).toBeGreaterThan(4 * 2 ** 20);
    store.forget(store.revision);
    expect(store.usage.historyBytes).toBe(0);
    expect(store.usage.liveBytes).toBeGreaterThan(2 * 2 ** 20);
    await change(store, '/a', { expect: 6, kind: 'delete' });
    await change(store, '/b', { expect: 4, kind: 'delete' });
    store.forget(store.revision);
    expect(store.usage).toEqual({ liveBytes: 0, historyBytes: 0 });
  });
});
