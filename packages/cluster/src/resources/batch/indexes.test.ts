import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countCommon, countIndexes, formatIndexes, hasIndex, parseIndexes, withIndexes } from './indexes.ts';

test.each<[readonly number[], string]>([
  [[], ''],
  [[4], '4'],
  [[1, 0], '0,1'],
  [[7, 3, 1, 5, 4], '1,3-5,7'],
  [[2, 2, 2], '2'],
])('%j is written %j', (numbers, text) => expect(formatIndexes(withIndexes([], numbers))).toBe(text));

test('what is not below the end is left out', () => {
  expect(formatIndexes(parseIndexes('0,2-9,12', 5))).toBe('0,2-4');
  expect(parseIndexes('7-9', 5)).toEqual([]);
  expect(parseIndexes('0,x,3', 5)).toEqual([{ first: 0, last: 0 }]);
});

const some = fc.array(fc.nat({ max: 40 }), { maxLength: 30 });

test('they are a set of numbers', () => {
  fc.assert(
    fc.property(some, some, (first, second) => {
      const a = withIndexes([], first);
      const both = withIndexes(a, second);
      const expected = new Set([...first, ...second]);
      expect(countIndexes(both)).toBe(expected.size);
      for (let number = 0; number <= 41; number++) expect(hasIndex(both, number)).toBe(expected.has(number));
      expect(parseIndexes(formatIndexes(both), 100)).toEqual(both);
      const common = [...new Set(first)].filter((number) => second.includes(number)).length;
      expect(countCommon(a, withIndexes([], second))).toBe(common);
    }),
  );
});
