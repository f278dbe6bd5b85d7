import { expect, test, vi } from 'vitest';
import { fromStrictTimestamp, systemClock } from './clock.ts';

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

test.each([
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['2026-12-31T23:59:59.25+01:00', '2026-12-31T22:59:59.250Z'],
  ['2026-12-31T23:59Z', '2026-12-31T23:59:00.000Z'],
])('%s is a moment of the calendar', (text, expected) => {
  expect(new Date(fromStrictTimestamp(text)).toISOString()).toBe(expected);
});

test.each(['2027-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01', '1 Jan 2026', ''])(
  '%j is none',
  (text) => {
    expect(fromStrictTimestamp(text)).toBeNaN();
  },
);
