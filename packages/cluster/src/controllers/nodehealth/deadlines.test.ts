import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { createDeadlines } from './deadlines.ts';

function setUp(): {
  readonly clock: ReturnType<typeof createVirtualClock>;
  readonly deadlines: ReturnType<typeof createDeadlines>;
  readonly due: string[];
} {
  const clock = createVirtualClock({ startMs: 0 });
  const due: string[] = [];
  const deadlines = createDeadlines({ clock, due: (name) => due.push(`${name}@${clock.nowMs()}`) });
  return { clock, deadlines, due };
}

test('a deadline comes once, at its moment', async () => {
  const { clock, deadlines, due } = setUp();
  deadlines.set('b', 200);
  deadlines.set('a', 100);
  await clock.advance(99);
  expect([due, deadlines.isPast('a')]).toEqual([[], false]);
  await clock.advance(1_000);
  expect([due, deadlines.isPast('a'), deadlines.isPast('nobody')]).toEqual([['a@100', 'b@200'], true, false]);
});

test('a deadline that moves comes at its new moment only, be it later or earlier', async () => {
  const { clock, deadlines, due } = setUp();
  deadlines.set('later', 100);
  deadlines.set('later', 300);
  deadlines.set('earlier', 200);
  deadlines.set('earlier', 50);
  await clock.advance(1_000);
  expect(due).toEqual(['earlier@50', 'later@300']);
});

test('a cleared deadline never comes, one that is set again does', async () => {
  const { clock, deadlines, due } = setUp();
  deadlines.set('a', 100);
  deadlines.clear('a');
  await clock.advance(150);
  deadlines.set('a', 200);
  await clock.advance(1_000);
  expect(due).toEqual(['a@200']);
});

test('a renewal sets no timer', () => {
  const clock = createVirtualClock({ startMs: 0 });
  let timers = 0;
  const after: typeof clock.after = (...given) => {
    timers++;
    return clock.after(...given);
  };
  const deadlines = createDeadlines({ clock: { ...clock, after }, due: () => undefined });
  for (let node = 0; node < 100; node++) deadlines.set(`node-${node}`, 40_000 + node);
  for (let round = 1; round <= 100; round++)
    for (let node = 0; node < 100; node++) deadlines.set(`node-${node}`, 40_000 + 10_000 * round);
  expect(timers).toBe(1);
});

test('for any changes, each deadline that still stands comes exactly when it is due', async () => {
  const change = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    afterMs: fc.nat(500),
    inMs: fc.option(fc.integer({ min: 1, max: 300 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 20, size: 'max' }), async (changes) => {
      const { clock, deadlines, due } = setUp();
      const standing = new Map<string, number>();
      const expected: string[] = [];
      const pass = async (ms: number): Promise<void> => {
        const endMs = clock.nowMs() + ms;
        const coming = [...standing]
          .filter(([, at]) => at <= endMs)
          .sort(([x, a], [y, b]) => a - b || (x < y ? -1 : 1));
        for (const [name, at] of coming) {
          expected.push(`${name}@${at}`);
          standing.delete(name);
        }
        await clock.advance(ms);
      };
      for (const { name, afterMs, inMs } of changes) {
        await pass(afterMs);
        if (inMs === null) {
          standing.delete(name);
          deadlines.clear(name);
        } else {
          standing.set(name, clock.nowMs() + inMs);
          deadlines.set(name, clock.nowMs() + inMs);
        }
      }
      await pass(1_000);
      expect(due).toEqual(expected);
    }),
  );
});
