import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberSet } from './number-set.ts';

const changes = fc.array(fc.tuple(fc.boolean(), fc.oneof(fc.nat(70), fc.nat(2_000))), { maxLength: 200, size: 'max' });

test('it holds what a set holds, in order', () => {
  fc.assert(
    fc.property(changes, fc.nat(80), (all, count) => {
      const numbers = new NumberSet();
      const model = new Set<number>();
      for (const [isThere, number] of all) {
        if (isThere) numbers.add(number);
        else numbers.delete(number);
        if (isThere) model.add(number);
        else model.delete(number);
      }
      const sorted = [...model].sort((a, b) => a - b);
      expect(numbers.size).toBe(model.size);
      expect(numbers.first()).toEqual(sorted);
      expect(numbers.first(count)).toEqual(sorted.slice(0, count));
    }),
  );
});

test.each([[[0]], [[31]], [[32]], [[31, 63, 64]], [[100_000]]])('the edges of its words: %j', (numbers) => {
  const set = new NumberSet();
  for (const number of numbers) set.add(number);
  expect(set.first()).toEqual(numbers);
});
