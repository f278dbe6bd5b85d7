import { expect, test } from 'vitest';
import { sumsOnPage } from './page.ts';

const page = `# HELP a_total All of them.
# TYPE a_total counter
a_total{type="float",say="a \\"}\\" {b} c"} 5
a_total{type="histogram"} 2 1700000000000
a_total_more 100
b 3.5e3
b{x="y"}\t1
nan NaN
inf +Inf
empty
{weird="1"} 4
c{x="1"} 7 # {trace="x"} 1
# EOF`;

test('sums all label sets of the names that are asked for, and says nothing of those that are not there', () => {
  const sums = sumsOnPage(page, new Set(['a_total', 'b', 'c', 'nan', 'inf', 'empty', 'none']));
  expect([...sums]).toEqual([
    ['a_total', 7],
    ['b', 3_501],
    ['c', 7],
  ]);
});

test('an empty page, and one with other line ends', () => {
  expect([...sumsOnPage('', new Set(['a']))]).toEqual([]);
  expect([...sumsOnPage('a 1\r\na 2\r\n', new Set(['a']))]).toEqual([['a', 3]]);
});
