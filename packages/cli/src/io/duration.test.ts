import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

test.each<[string, number | undefined]>([
  ['2m', 120_000],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['500ms', 500],
  ['1.5s', 1_500],
  ['30', 30_000],
  ['0s', 0],
  ['', undefined],
  ['soon', undefined],
  ['2 m', undefined],
  ['-1s', undefined],
  ['1d', undefined],
  ['m', undefined],
])('%j is %s ms', (text, expected) => expect(parseDuration(text)).toBe(expected));

test.each<[number, string]>([
  [800, '800ms'],
  [2_000, '2s'],
  [1_234, '1.2s'],
  [90_000, '1m30s'],
  [120_000, '2m'],
  [3_600_000, '1h'],
  [3_661_000, '1h1m1s'],
])('%s ms reads %s', (durationMs, text) => expect(formatDuration(durationMs)).toBe(text));

test('what is written for whole seconds reads back as the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seconds) => {
      expect(parseDuration(formatDuration(seconds * 1_000))).toBe(seconds * 1_000);
    }),
  );
});
