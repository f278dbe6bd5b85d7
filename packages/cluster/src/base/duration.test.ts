import { expect, test } from 'vitest';
import { parseGoDuration } from './duration.ts';

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
