import fc from 'fast-check';
import { expect, test } from 'vitest';
import { root } from '../../api/issue.ts';
import { isNothing, validateAtMostAll, validateIntOrPercent } from './int-or-percent.ts';

const at = root('max');
const form = (value: number | string): number => [...validateIntOrPercent(value, at)].length;
const size = (value: number | string): number => [...validateAtMostAll(value, at)].length;

test.each([0, 1, '0%', '25%', '100%', '250%', '007%'])('%j has the form', (value) => expect(form(value)).toBe(0));
test.each([-1, '', '%', '5', '5.5%', '-5%', ' 5%', '5% ', '5%%', '５%'])('%j has not', (value) =>
  expect(form(value)).toBe(1),
);
test.each([
  [101, 0],
  ['100%', 0],
  ['101%', 1],
  ['x', 0],
])('%j is too much: %i', (value, count) => expect(size(value)).toBe(count));
test.each<[number | string | undefined, boolean]>([
  [undefined, true],
  [0, true],
  ['0%', true],
  ['00%', true],
  [1, false],
  ['1%', false],
  ['x', false],
])('%j is nothing: %j', (value, expected) => expect(isNothing(value)).toBe(expected));

test('every whole percentage has the form, and only those above 100 are too much', () => {
  fc.assert(
    fc.property(fc.nat(1000), (percent) => {
      expect(form(`${percent}%`)).toBe(0);
      expect(size(`${percent}%`)).toBe(percent > 100 ? 1 : 0);
      expect(isNothing(`${percent}%`)).toBe(percent === 0);
    }),
  );
});
