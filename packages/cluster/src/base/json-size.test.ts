import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonSize } from './json-size.ts';

test('is near the length of the JSON, and never far below it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { length } = JSON.stringify(value);
      // A character may be escaped; a number takes up to 24 digits.
      expect(jsonSize(value)).toBeGreaterThanOrEqual(length / 6 - 4);
      expect(jsonSize(value)).toBeLessThanOrEqual(20 * length + 22);
    }),
  );
  expect(jsonSize({ a: 'x'.repeat(1000), b: ['y'.repeat(500)] })).toBeGreaterThan(1500);
});

test('gives up at enough', () => {
  let reads = 0;
  const items = Array.from({ length: 1000 }, () => ({
    get text() {
      reads += 1;
      return 'x'.repeat(100);
    },
  }));
  expect(jsonSize(items, 1000)).toBeGreaterThanOrEqual(1000);
  expect(reads).toBeLessThan(20);
});
