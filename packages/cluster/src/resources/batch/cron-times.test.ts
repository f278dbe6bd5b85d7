import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCronTimes, toZonedTimestamp } from './cron-times.ts';

function times(schedule: string, timeZone: string, from: string): readonly string[] {
  const cron = createCronTimes(schedule, { timeZone });
  const found: string[] = [];
  let atMs: number | undefined = Date.parse(from);
  while (found.length < 4) {
    atMs = cron.nextMs(atMs);
    if (atMs === undefined) break;
    found.push(new Date(atMs).toISOString().slice(0, 16));
  }
  return found;
}

describe('comes due', () => {
  test.each<[string, readonly string[]]>([
    ['*/15 9-10 * * mon-fri', ['2012-11-05T09:00', '2012-11-05T09:15', '2012-11-05T09:30', '2012-11-05T09:45']],
    ['5/25 0 * * *', ['2012-11-05T00:05', '2012-11-05T00:30', '2012-11-05T00:55', '2012-11-06T00:05']],
    ['@monthly', ['2012-12-01T00:00', '2013-01-01T00:00', '2013-02-01T00:00', '2013-03-01T00:00']],
    ['@every 1h30m', ['2012-11-04T05:00', '2012-11-04T06:30', '2012-11-04T08:00', '2012-11-04T09:30']],
    ['0 0 29 2 *', ['2016-02-29T00:00', '2020-02-29T00:00', '2024-02-29T00:00', '2028-02-29T00:00']],
    ['0 0 30 2 *', []],
  ])('%s', (schedule, expected) => expect(times(schedule, 'UTC', '2012-11-04T03:30:00Z')).toEqual(expected));

  test('on a day of the month or of the week, where both are limited; a star with a step limits', () => {
    expect(times('0 0 1,15 * 1', 'UTC', '2012-11-04T03:30:00Z').map((time) => time.slice(8, 10))).toEqual([
      '05',
      '12',
      '15',
      '19',
    ]);
    expect(times('0 0 ? * 1', 'UTC', '2012-11-04T03:30:00Z').map((time) => time.slice(8, 10))).toEqual([
      '05',
      '12',
      '19',
      '26',
    ]);
    expect(times('0 0 */10 * 1', 'UTC', '2012-11-04T03:30:00Z').map((time) => time.slice(8, 10))).toEqual([
      '05',
      '11',
      '12',
      '19',
    ]);
  });
});

describe('where the clock on the wall is set', () => {
  test('times that it skips are skipped', () => {
    expect(times('30 2 * * *', 'America/New_York', '2012-03-10T12:00:00Z').slice(0, 2)).toEqual([
      '2012-03-12T06:30',
      '2012-03-13T06:30',
    ]);
    expect(times('0 * * * *', 'America/New_York', '2012-03-11T05:30:00Z').slice(0, 3)).toEqual([
      '2012-03-11T06:00',
      '2012-03-11T07:00',
      '2012-03-11T08:00',
    ]);
  });

  test('times that it shows twice come twice', () => {
    expect(times('0 1 * * *', 'America/New_York', '2012-11-04T03:30:00Z').slice(0, 3)).toEqual([
      '2012-11-04T05:00',
      '2012-11-04T06:00',
      '2012-11-05T06:00',
    ]);
  });

  test('half hours count: Lord Howe Island sets it by thirty minutes', () => {
    expect(times('0 2 * * *', 'Australia/Lord_Howe', '2024-04-06T00:00:00Z').slice(0, 2)).toEqual([
      '2024-04-06T15:30',
      '2024-04-07T15:30',
    ]);
  });
});

test('the times of one schedule are those at which the clock shows it, whatever the zone', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Australia/Sydney'];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 59 }),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 20_000 }),
      (timeZone, minute, hour, day) => {
        const afterMs = day * 86_400_000;
        const dueMs = createCronTimes(`${minute} ${hour} * * *`, { timeZone }).nextMs(afterMs) ?? 0;
        expect(dueMs).toBeGreaterThan(afterMs);
        expect(dueMs).toBeLessThanOrEqual(afterMs + 2.1 * 86_400_000);
        const text = toZonedTimestamp(dueMs, { timeZone });
        expect(text.slice(11, 19)).toBe(`${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00`);
        expect(Date.parse(text)).toBe(dueMs);
      },
    ),
    { numRuns: 60 },
  );
});
