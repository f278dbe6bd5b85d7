import { describe, expect, test } from 'vitest';
import { regressions } from './regressions.ts';
import { simulate } from './simulate.ts';

/** Fresh seeds are for `npm run sim`; these few are always the same and cover restarts, clock jumps and every kind of fault. */
const seeds = ['2', '3', '5', '8'];

describe('whatever happens, once the faults stop everything finds its place', () => {
  test.each(seeds)('seed %s', async (seed) => {
    expect((await simulate({ seed })).findings).toEqual([]);
  });
});

describe('what was mended stays so', () => {
  test.each(regressions)('$name', async ({ seed }) => {
    expect((await simulate({ seed })).findings).toEqual([]);
  });
});

test('one seed, one history; another seed, another', async () => {
  const [first, second, other] = [
    await simulate({ seed: 'same', operations: 12 }),
    await simulate({ seed: 'same', operations: 12 }),
    await simulate({ seed: 'other', operations: 12 }),
  ];
  expect(second.hash).toBe(first.hash);
  expect(other.hash).not.toBe(first.hash);
  expect(first.writes).toBeGreaterThan(50);
});
