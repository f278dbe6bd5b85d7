import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ageOf, firstOf, formatLabels, humanDuration } from './columns.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [-2 * second, '<invalid>'],
  [-second, '0s'],
  [0, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [9 * minute + 59 * second, '9m59s'],
  [10 * minute + 30 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [7 * hour + 59 * minute, '7h59m'],
  [8 * hour + 30 * minute, '8h'],
  [47 * hour, '47h'],
  [2 * day, '2d'],
  [2 * day + 5 * hour, '2d5h'],
  [8 * day + 5 * hour, '8d'],
  [729 * day, '729d'],
  [730 * day, '2y'],
  [731 * day, '2y1d'],
  [8 * 365 * day + day, '8y'],
])('%d ms are %s', (durationMs, expected) => expect(humanDuration(durationMs)).toBe(expected));

test('a duration is never longer than seven characters', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 * 365 * day }), (durationMs) => {
      expect(humanDuration(durationMs).length).toBeLessThanOrEqual(7);
    }),
  );
});

test('an age counts from the timestamp, and is unknown without one', () => {
  expect(ageOf('2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1, 0, 5))).toBe('5m');
  expect(ageOf(undefined, 0)).toBe('<unknown>');
  expect(ageOf('yesterday', 0)).toBe('<unknown>');
});

test('long lists say how much is missing', () => {
  expect(firstOf([], 3)).toBe('<none>');
  expect(firstOf(['a', 'b', 'c'], 3)).toBe('a,b,c');
  expect(firstOf(['a', 'b', 'c', 'd', 'e'], 3)).toBe('a,b,c + 2 more...');
});

test('labels are in the order of their keys', () => {
  expect(formatLabels({ b: '2', a: '1' })).toBe('a=1,b=2');
  expect(formatLabels({})).toBe('<none>');
});
