import { expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

test('a delay longer than a timer can hold does not end early, and can be cancelled on the way', async () => {
  vi.useFakeTimers();
  try {
    const yearMs = 365 * 86_400_000;
    let rang = 0;
    systemClock.after(yearMs, () => rang++);
    const cancel = systemClock.after(yearMs, () => rang++);
    await vi.advanceTimersByTimeAsync(yearMs / 2);
    expect(rang).toBe(0);
    cancel();
    await vi.advanceTimersByTimeAsync(yearMs);
    expect(rang).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
