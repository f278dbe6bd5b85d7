import { expect, test } from 'vitest';
import { leftOut, testsBeside } from './turns.ts';

const files = ['d', 'a', 'c', 'b'];

test.each([
  ['elsewhere', {}, 1, []],
  ['in CI', { CI: 'true' }, 26, ['b', 'd']],
  ['on the next day', { CI: 'true' }, 27, ['a', 'c']],
  ['by a seed', { CI: 'true', FC_SEED: '2' }, 27, ['b', 'd']],
  ['where all stories are asked for', { CI: 'true', SIGNALBOX_STORIES: 'all' }, 27, []],
] as const)('%s', (_, env, day, expected) => {
  expect(leftOut(files, { env, day })).toEqual(expected);
});

test('each file is played on one of two days', () => {
  const all = testsBeside('.');
  expect(all).toContain('tools/peers/differential/differential.e2e.test.ts');
  const out = [1, 2].flatMap((day) => leftOut(all, { env: { CI: 'true' }, day }));
  expect(out.toSorted()).toEqual(all.toSorted());
});
