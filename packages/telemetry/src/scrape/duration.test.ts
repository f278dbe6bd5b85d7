import { expect, test } from 'vitest';
import { durationMs, goDurationMs } from './duration.ts';

test.each([
  ['0', 0],
  ['30s', 30_000],
  ['1m30s', 90_000],
  ['1h', 3_600_000],
  ['1d', 86_400_000],
  ['500ms', 500],
  ['1y2w3d4h5m6s7ms', 31_536_000_000 + 14 * 86_400_000 + 3 * 86_400_000 + 14_706_007],
] as const)('%s is %i ms', (text, expected) => expect(durationMs(text)).toBe(expected));

test.each(['', 'soon', '1.5h', '-1s', '30', '30s1m', '1 m'])('"%s" is no duration', (text) => {
  expect(durationMs(text)).toBeUndefined();
});

test.each([
  ['0', 0],
  ['1.5h', 5_400_000],
  ['-2ms', -2],
  ['1h2m3s', 3_723_000],
  ['.5s', 500],
  ['100us', 0.1],
] as const)('%s of Go is %d ms', (text, expected) => expect(goDurationMs(text)).toBe(expected));

test.each(['', '1d', '5', 's', '9999999h', '1h-2m'])('"%s" is no duration of Go', (text) => {
  expect(goDurationMs(text)).toBeUndefined();
});
