import { describe, expect, test } from 'vitest';
import { findGaps, type Scrape } from './gaps.ts';

const by = (shard: string, times: readonly number[], more: Partial<Scrape> = {}): readonly Scrape[] =>
  times.map((seconds) => ({ target: 'a', replica: '0', shard, atMs: seconds * 1_000, isUp: true, ...more }));

const only = (...scrapes: readonly (readonly Scrape[])[]): ReturnType<typeof findGaps>['targets'][number] => {
  const { targets } = findGaps(scrapes.flat());
  expect(targets).toHaveLength(1);
  const [target] = targets;
  if (target === undefined) throw new Error('no target');
  return target;
};

test('one shard without a break has gaps of an interval and no doubles', () => {
  expect(only(by('0', [0, 2, 4, 6]))).toEqual({
    ...{ target: 'a', replica: '0', shards: ['0'], scrapes: 4, failed: 0 },
    longestGap: { fromMs: 0, ms: 2_000, before: '0', after: '0' },
    doubles: [],
  });
});

test('a hand-over with a gap', () => {
  const { shards, longestGap, doubles } = only(by('2', [9.5, 11.5, 13.5]), by('0', [0, 2, 4]));
  expect(shards).toEqual(['0', '2']);
  expect(longestGap).toEqual({ fromMs: 4_000, ms: 5_500, before: '0', after: '2' });
  expect(doubles).toEqual([]);
});

test('a hand-over at once is no double, however near', () => {
  expect(only(by('0', [0, 2, 4]), by('1', [4.1, 6.1])).doubles).toEqual([]);
});

describe('two shards at once', () => {
  test.each([
    ['in the hand-over', [0, 2, 4, 6], [3, 5, 7, 9], { fromMs: 3_000, toMs: 6_000, scrapes: 2 }],
    ['all the time', [0, 2, 4], [1, 3, 5], { fromMs: 1_000, toMs: 4_000, scrapes: 2 }],
    ['once within', [0, 2, 4], [3], { fromMs: 3_000, toMs: 3_000, scrapes: 1 }],
    ['at the same time', [0, 2, 4], [4, 6], { fromMs: 4_000, toMs: 4_000, scrapes: 1 }],
  ])('%s', (_, one, other, expected) => {
    expect(only(by('0', one), by('1', other)).doubles).toEqual([{ shards: ['0', '1'], ...expected }]);
  });

  test('a shard that was away in between did not scrape then', () => {
    expect(only(by('0', [0, 2, 4, 6, 20, 22, 24]), by('1', [8, 10, 12, 14, 16, 18])).doubles).toEqual([]);
  });
});

test('replicas and targets have nothing to do with each other; the longest gap stands first', () => {
  const scrapes = [
    ...by('0', [0, 2, 4]),
    ...by('1', [1, 4], { replica: '1' }),
    ...by('1', [0, 4], { target: 'b', isUp: false }),
  ];
  const { fromMs, toMs, targets } = findGaps(scrapes);
  expect([fromMs, toMs]).toEqual([0, 4_000]);
  expect(targets.map(({ target, replica, longestGap: { ms }, failed }) => [target, replica, ms, failed])).toEqual([
    ['b', '0', 4_000, 2],
    ['a', '1', 3_000, 0],
    ['a', '0', 2_000, 0],
  ]);
  expect(targets.flatMap(({ doubles }) => doubles)).toEqual([]);
});

test('who is lost has a gap until the end', () => {
  const { targets } = findGaps([...by('0', [0, 2]), ...by('0', [0, 2, 4, 6, 8], { target: 'b' })]);
  expect(targets[0]).toMatchObject({ target: 'a', longestGap: { fromMs: 2_000, ms: 6_000, after: undefined } });
});

test('no samples are no targets', () => {
  expect(findGaps([]).targets).toEqual([]);
});
