import { expect, test } from 'vitest';
import { createChoice } from './stories.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

test.each([
  [{}, ['a', 'g']],
  [{ FC_SEED: '7' }, ['b', 'h']],
  [{ SIGNALBOX_STORIES: 'all' }, names],
  [{ SIGNALBOX_STORIES: 'c,h' }, ['c', 'h']],
] as const)('with %j so many stories are played', (env, played) => {
  expect(names.filter(createChoice(env))).toEqual(played);
});

test('every story is played by some seed', () => {
  const seeds = Array.from({ length: 6 }, (_, seed) => names.filter(createChoice({ FC_SEED: `${seed}` })));
  expect(seeds.flat().sort()).toEqual(names);
});
