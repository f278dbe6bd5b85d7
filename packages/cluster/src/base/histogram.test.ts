import { expect, test } from 'vitest';
import { createHistogram, exponentialBounds } from './histogram.ts';

test('each value counts in its bucket and in those above', () => {
  const histogram = createHistogram([0.1, 1]);
  for (const value of [0.1, 0.2, 5]) histogram.observe(value);
  expect(histogram.lines('x_seconds', 'name="a"')).toEqual([
    'x_seconds_bucket{name="a",le="0.1"} 1',
    'x_seconds_bucket{name="a",le="1"} 2',
    'x_seconds_bucket{name="a",le="+Inf"} 3',
    'x_seconds_sum{name="a"} 5.3',
    'x_seconds_count{name="a"} 3',
  ]);
});

test('bounds that grow by a factor', () => {
  expect(exponentialBounds(1e-8, 10, 3)).toEqual([1e-8, 1e-7, 1e-6]);
  expect(exponentialBounds(0.001, 2, 4)).toEqual([0.001, 0.002, 0.004, 0.008]);
});
