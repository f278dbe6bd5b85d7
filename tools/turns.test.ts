import { expect, test } from 'vitest';
import { longest } from './longest-first.ts';
import { leftOut, testsIn } from './turns.ts';

const files = ['d', 'a', 'c', 'b'];

test.each([
  ['elsewhere', {}, 1, []],
  ['in CI', { CI: 'true' }, 27, ['b', 'c']],
  ['on the next day', { CI: 'true' }, 28, ['a', 'c', 'd']],
  ['by a seed', { CI: 'true', FC_SEED: '3' }, 28, ['b', 'c']],
  ['where all stories are asked for', { CI: 'true', SIGNALBOX_STORIES: 'all' }, 27, []],
] as const)('%s', (_, env, day, expected) => {
  expect(leftOut(files, { env, day })).toEqual(expected);
});

test.each([
  ['tools/peers/', 'tools/peers/differential/differential.e2e.test.ts', 'tools/release.e2e.test.ts'],
  [
    'packages/cluster/src/e2e/kubectl-',
    'packages/cluster/src/e2e/kubectl-read.e2e.test.ts',
    'packages/cluster/src/e2e/tokens.e2e.test.ts',
  ],
])('of %s each file is played on one of three days', (start, one, other) => {
  const all = testsIn('.', start);
  expect(all).toContain(one);
  expect(all).not.toContain(other);
  const played = [1, 2, 3].flatMap((day) => {
    const out = leftOut(all, { env: { CI: 'true' }, day });
    return all.filter((path) => !out.includes(path));
  });
  expect(played.toSorted()).toEqual(all.toSorted());
});

test('no day has all the longest', () => {
  const all = testsIn('.', 'tools/peers/');
  const long = all.filter((path) => longest.includes(path));
  const most = Math.ceil(long.length / 3);
  for (const day of [1, 2, 3]) {
    const out = leftOut(all, { env: { CI: 'true' }, day });
    expect(long.filter((path) => !out.includes(path)).length).toBeLessThanOrEqual(most);
  }
});
