import { expect, test } from 'vitest';
import type { Random } from '../base/random.ts';
import { planRestart, type Restart } from './restart-plan.ts';

const random: Random = { next: () => 0, below: () => 0, fork: () => random };
const nowMs = 3_600_000;
const ago = (...minutes: readonly number[]): readonly number[] => minutes.map((each) => nowMs - each * 60_000);

test.each<[string, readonly number[], Restart]>([
  ['the first death', ago(0), { do: 'restart', inMs: 1_000 }],
  ['the second', ago(1, 0), { do: 'restart', inMs: 2_000 }],
  ['the fourth', ago(3, 2, 1, 0), { do: 'restart', inMs: 8_000 }],
  ['the fifth', ago(4, 3, 2, 1, 0), { do: 'giveUp', deaths: 5 }],
  ['deaths of long ago are forgotten', ago(40, 30, 20, 10, 0), { do: 'restart', inMs: 1_000 }],
])('%s', (_, deathsMs, expected) => {
  expect(planRestart(deathsMs, { nowMs, random })).toEqual(expected);
});
