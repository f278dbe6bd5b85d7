import { expect, test } from 'vitest';
import { agreeing, counted } from './counted.ts';

test('one is one, and none are several', () => {
  expect([0, 1, 2].map((count) => counted(count, 'such pod'))).toEqual(['0 such pods', '1 such pod', '2 such pods']);
});

test('a verb agrees with how many it is about', () => {
  const said = ['runs, outdated', 'is going', 'has to go', 'waits for a node', 'may not be evicted'];
  expect(said.map((each) => agreeing(1, each))).toEqual(said);
  expect(said.map((each) => agreeing(2, each))).toEqual([
    ...['run, outdated', 'are going', 'have to go', 'wait for a node', 'may not be evicted'],
  ]);
});
