import fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationMs, formatDuration, parseGoDuration } from './duration.ts';

test.each<[string, number | string]>([
  ['0', 0],
  ['32s', 32_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['.5s', 500],
  ['-2m', -120_000],
  ['+100ms', 100],
  ['3us', 0.003],
  ['abc', 'time: invalid duration "abc"'],
  ['5', 'time: missing unit in duration "5"'],
  ['5x', 'time: unknown unit "x" in duration "5x"'],
  ['5 s', 'time: unknown unit " s" in duration "5 s"'],
  ['', 'time: invalid duration ""'],
  ['-', 'time: invalid duration "-"'],
  ['.s', 'time: invalid duration ".s"'],
  ['1sx', 'time: unknown unit "sx" in duration "1sx"'],
  ['99999999999h', 'time: invalid duration "99999999999h"'],
])('%j', (text, expected) => expect(parseGoDuration(text)).toBe(expected));

test.each<[string, number | undefined]>([
  ['1m30s', 90_000],
  ['0s', 0],
  ['-1s', undefined],
  ['10', undefined],
  ['soon', undefined],
])('%j is %s ms from now', (text, expected) => expect(durationMs(text)).toBe(expected));

test.each<[number, string]>([
  [800, '800ms'],
  [2_000, '2s'],
  [1_234, '1.2s'],
  [90_000, '1m30s'],
  [120_000, '2m'],
  [3_600_000, '1h'],
  [3_661_000, '1h1m1s'],
])('%s ms reads %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

test('what is written for whole seconds reads back as the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seconds) => {
      expect(durationMs(formatDuration(seconds * 1_000))).toBe(seconds * 1_000);
    }),
  );
});
