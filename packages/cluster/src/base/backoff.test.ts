import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';
import { seededRandom } from './random.ts';

const random = seededRandom('backoff');

test('waits grow by the factor up to the maximum', () => {
  const backoff = { initialMs: 100, maxMs: 1000, factor: 2, jitter: 0 };
  expect([1, 2, 3, 4, 5, 6].map((attempt) => backoffMs(backoff, { attempt, random }))).toEqual([
    100, 200, 400, 800, 1000, 1000,
  ]);
});

test('jitter adds, never takes away', () => {
  const backoff = { initialMs: 100, maxMs: 1000, factor: 2, jitter: 0.5 };
  for (let round = 0; round < 100; round++) {
    const waitMs = backoffMs(backoff, { attempt: 1, random });
    expect(waitMs).toBeGreaterThanOrEqual(100);
    expect(waitMs).toBeLessThanOrEqual(150);
  }
});
