import { expect, test } from 'vitest';
import { keptSamples, rateOf, type Sample } from './counter.ts';

const samples = (...pairs: readonly (readonly [number, number])[]): readonly Sample[] =>
  pairs.map(([seconds, value]) => ({ atMs: seconds * 1_000, value }));

test.each([
  ['nothing', samples(), undefined],
  ['one', samples([0, 5]), undefined],
  ['steady', samples([0, 0], [15, 150], [30, 300]), 10],
  ['at rest', samples([0, 7], [30, 7]), 0],
  ['begun anew', samples([0, 100], [15, 250], [30, 30]), (150 + 30) / 30],
  ['twice in one moment', samples([5, 1], [5, 2]), undefined],
])('the rate of %s', (_, given, expected) => {
  expect(rateOf(given)?.value).toBe(expected);
});

test('what is older than the window goes, but for one to measure from', () => {
  let kept: readonly Sample[] = [];
  for (let seconds = 0; seconds <= 120; seconds += 15)
    kept = keptSamples(kept, { atMs: seconds * 1_000, value: seconds }, 60_000);
  expect(kept.map(({ value }) => value)).toEqual([60, 75, 90, 105, 120]);
  expect(rateOf(kept)).toEqual({ value: 1, atMs: 120_000, overMs: 60_000 });
});
