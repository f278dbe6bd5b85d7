import { expect, test } from 'vitest';
import { longest } from './longest-first.ts';
import { days, leftOut, testsIn } from './turns.ts';

const files = ['d', 'a', 'g', 'c', 'e', 'b', 'f'];
const period = Array.from({ length: days }, (_, index) => index + 1);

test.each([
  ['elsewhere', {}, 1, []],
  ['in CI', { CI: 'true' }, 25, ['b', 'c', 'd', 'e', 'g']],
  ['on the next day', { CI: 'true' }, 26, ['a', 'c', 'd', 'e', 'f']],
  ['by a seed', { CI: 'true', FC_SEED: '5' }, 26, ['b', 'c', 'd', 'e', 'g']],
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
])('of %s each file is played on one day of a period', (start, one, other) => {
  const all = testsIn('.', start);
  expect(all).toContain(one);
  expect(all).not.toContain(other);
  const played = period.flatMap((day) => {
    const out = leftOut(all, { env: { CI: 'true' }, day });
    return all.filter((path) => !out.includes(path));
  });
  expect(played.toSorted()).toEqual(all.toSorted());
});

test('no day has all the longest', () => {
  const all = testsIn('.', 'tools/peers/');
  const long = all.filter((path) => longest.includes(path));
  const most = Math.ceil(long.length / days);
  for (const day of period) {
    const out = leftOut(all, { env: { CI: 'true' }, day });
    expect(long.filter((path) => !out.includes(path)).length).toBeLessThanOrEqual(most);
  }
});
