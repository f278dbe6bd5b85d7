import { expect, test } from 'vitest';
import { createProcessMemory } from './process-memory.ts';

test('what is held is told as the engine and the system tell it', () => {
  const { heapUsed, external, rss } = process.memoryUsage();
  const { usedBytes, heapUsedBytes, residentBytes, heapLimitBytes } = createProcessMemory().measure();
  const near = (actual: number, expected: number): boolean => Math.abs(actual - expected) < 32 * 2 ** 20;
  expect([near(heapUsedBytes, heapUsed), near(usedBytes, heapUsed + external)]).toEqual([true, true]);
  expect(residentBytes).toBeGreaterThan(0);
  expect(residentBytes).toBeLessThan(rss + 32 * 2 ** 20);
  expect(heapLimitBytes).toBeGreaterThan(heapUsedBytes);
});
