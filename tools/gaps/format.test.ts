import { expect, test } from 'vitest';
import { formatGaps } from './format.ts';
import { findGaps, type Scrape } from './gaps.ts';

const by = (shard: string, times: readonly number[], more: Partial<Scrape> = {}): readonly Scrape[] =>
  times.map((seconds) => ({ target: '{job="a"}', replica: '0', shard, atMs: seconds * 1_000, isUp: true, ...more }));

test('what stands out comes first', () => {
  const scrapes = [
    ...by('0', [0, 2, 4]),
    ...by('1', [3, 5, 7.5]),
    ...by('0', [0, 2], { target: '{job="b"}', isUp: false }),
  ];
  expect(formatGaps(findGaps(scrapes))).toBe(`2 targets, 1 replicas, 8 scrapes in 7.50 s, 2 failed
longest gap 5.50 s (median of the targets' longest: 2.50 s)
double scrapes 1, of 1 targets; 1 of 2 moved

5.50 s from 00:00:02.000 (shard 0, then nobody)  replica 0, shards 0, 2 scrapes, 2 failed  {job="b"}
2.50 s from 00:00:05.000 (shard 1 → 1)  replica 0, shards 0 1, 6 scrapes  {job="a"}
    double: shards 0 and 1, 1 from 00:00:03.000 to 00:00:04.000
`);
});

test('a summary alone is of all targets', () => {
  const report = findGaps([...by('0', [0, 2]), ...by('1', [0, 2], { target: '{job="b"}' })]);
  expect(formatGaps(report, { most: 0 })).toMatch(/^2 targets, 1 replicas, 4 scrapes in 2.00 s, 0 failed\n/);
  expect(formatGaps(report, { most: 1 }).trim().split('\n')).toHaveLength(5);
});

test('nothing is said to be nothing', () => {
  expect(formatGaps(findGaps([]))).toBe('no samples\n');
});
