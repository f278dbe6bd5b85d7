import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cronScheduleFault, timeZoneFault } from './cron-schedule.ts';

test.each([
  '* * * * *',
  '*/15 0-6,22-23 1 jan-MAR sun',
  '0 0 ? * ?',
  '5/10 * * * *',
  '10-50/5 * * * *',
  '  0   3 * *  * ',
  '@daily',
  '@hourly',
  '@every 1h30m',
  '@every 1.5h',
  'TZ=Europe/Berlin 0 4 * * *',
])('%j is a schedule', (schedule) => expect(cronScheduleFault(schedule)).toBeUndefined());

test.each([
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['* * * 13 *', 'end of range (13) above maximum (12): 13'],
  ['* * * * 7', 'end of range (7) above maximum (6): 7'],
  ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['foo * * * *', 'failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax'],
  ['@weekends', 'unrecognized descriptor: @weekends'],
  ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
  ['TZ=Mars/Olympus * * * * *', 'provided bad location Mars/Olympus'],
])('%j is none: %s', (schedule, fault) => expect(cronScheduleFault(schedule)).toBe(fault));

test('every minute and hour there is can be named', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 }), (minute, hour) => {
      expect(cronScheduleFault(`${minute} ${hour} * * *`) === undefined).toBe(minute < 60 && hour < 24);
    }),
  );
});

test('no text makes it stumble', () => {
  fc.assert(fc.property(fc.string(), (text) => void cronScheduleFault(text)));
});

test('zones are those of the IANA', () => {
  expect(timeZoneFault('America/New_York')).toBeUndefined();
  expect(timeZoneFault('Etc/UTC')).toBeUndefined();
  expect(timeZoneFault('Mars/Olympus')).toBe('unknown time zone Mars/Olympus');
});
