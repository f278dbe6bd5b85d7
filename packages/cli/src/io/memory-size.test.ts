import { expect, test } from 'vitest';
import { defaultMemoryLimitBytes, parseMemorySize } from './memory-size.ts';

test.each([
  ['2Gi', 2 ** 31],
  ['500M', 500_000_000],
  ['1048576', 2 ** 20],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['0', undefined],
  ['-1Gi', undefined],
  ['2 GB', undefined],
  ['much', undefined],
])('%s is %s bytes', (text, bytes) => {
  expect(parseMemorySize(text)).toBe(bytes);
});

test('the default is a quarter of what there is, and enough to work with', () => {
  expect(defaultMemoryLimitBytes(8 * 2 ** 30)).toBe(2 * 2 ** 30);
  expect(defaultMemoryLimitBytes(512 * 2 ** 20)).toBe(256 * 2 ** 20);
});
