import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGoRegex } from '../relabel/go-regex.ts';
import { numbersRegex } from './slot-regex.ts';

test.each<[readonly number[], string]>([
  [[7], '7'],
  [[0, 1, 2, 3], '[0-3]'],
  [[0, 2, 3, 5], '[0235]'],
  [[3, 13, 23], '[12]?3'],
  [[10, 11, 20, 21], '[12][01]'],
  [Array.from({ length: 512 }, (_, slot) => slot), '(?:[1-9]|[1-4][0-9]|50)?[0-9]|51[01]'],
])('%j is %s', (numbers, regex) => {
  expect(numbersRegex(numbers)).toBe(regex);
});

test('the expression matches these numbers and no other', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1_200), { minLength: 1 }), (numbers) => {
      const { regex } = compileGoRegex(`(?:${numbersRegex(numbers)})`);
      const matched = Array.from({ length: 1_250 }, (_, number) => number).filter((each) =>
        regex.matches(String(each)),
      );
      expect(matched).toEqual(numbers.sort((a, b) => a - b));
    }),
    { numRuns: 10 },
  );
});
