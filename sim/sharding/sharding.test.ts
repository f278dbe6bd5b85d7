import { expect, test } from 'vitest';
import { balanceFigures } from './balance.ts';
import { judgeHandovers } from './oracle.ts';

test('nobody is without a scraper while shards come and go', () => {
  // As many as a check has time for; `npm run sim` judges a million.
  const { cases, findings } = judgeHandovers({ seed: 'check', cases: 50_000 });
  expect(findings).toEqual([]);
  expect(cases).toBeGreaterThanOrEqual(50_000);
});

test('shards are loaded alike, and a further one moves hardly more targets than it has to get', () => {
  for (const { bySlots, moved, optimum } of balanceFigures('check', [2, 3, 4, 8, 16])) {
    expect(bySlots).toBeLessThanOrEqual(0.1);
    expect(Math.abs(moved - optimum)).toBeLessThanOrEqual(0.02);
  }
});
