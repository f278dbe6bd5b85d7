import { expect, test } from 'vitest';
import { createRetryAfter, type RetryAfter } from './retry-after.ts';

/** What is told while so many are refused each second. */
function refusedEvenly(retryAfter: RetryAfter, { fromMs, seconds, perSecond }: Evenly): number {
  let told = 0;
  for (let index = 0; index < seconds * perSecond; index++)
    told = retryAfter.refuse('a', fromMs + Math.floor((index * 1_000) / perSecond));
  return told;
}

interface Evenly {
  readonly fromMs: number;
  readonly seconds: number;
  readonly perSecond: number;
}

test('a few that are refused come again after a second', () => {
  const retryAfter = createRetryAfter();
  expect(retryAfter.refuse('a', 0)).toBe(1);
  expect(refusedEvenly(retryAfter, { fromMs: 100, seconds: 60, perSecond: 2 })).toBe(1);
});

test('a burst of one moment is no reason to send anybody away for longer', () => {
  const retryAfter = createRetryAfter();
  const told = Array.from({ length: 1_000 }, () => retryAfter.refuse('a', 5_000));
  expect(new Set(told)).toEqual(new Set([1]));
});

test('where they keep coming it doubles, to half a minute at most', () => {
  const retryAfter = createRetryAfter();
  const seen = new Set<number>();
  for (let ms = 0; ms < 120_000; ms += 100) seen.add(retryAfter.refuse('a', ms));
  expect([...seen]).toEqual([1, 2, 4, 8, 16, 32]);
});

test('what is over takes a second off for each second', () => {
  const retryAfter = createRetryAfter();
  for (let ms = 0; ms < 120_000; ms += 100) retryAfter.refuse('a', ms);
  expect(retryAfter.refuse('a', 120_000)).toBe(32);
  for (let ms = 121_000; ms < 200_000; ms += 2_000) retryAfter.refuse('a', ms);
  expect(retryAfter.refuse('a', 202_000)).toBe(1);
});

test('levels know nothing of each other', () => {
  const retryAfter = createRetryAfter();
  for (let ms = 0; ms < 20_000; ms += 100) retryAfter.refuse('a', ms);
  expect([retryAfter.refuse('a', 20_000), retryAfter.refuse('b', 20_000)]).toEqual([16, 1]);
});
