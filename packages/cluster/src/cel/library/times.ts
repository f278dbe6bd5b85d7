import { duration, int, string, timestamp } from '../types/type.ts';
import { type Calendar, calendarOf, Duration, Timestamp } from '../values/time.ts';
import { EvaluationError, type Value } from '../values/value.ts';
import { member, noOverload, type Overload, text } from './overload.ts';

function calendar(value: Value | undefined, zone: string): Calendar {
  if (!(value instanceof Timestamp)) throw noOverload();
  const found = calendarOf(value, zone);
  if (found === undefined) throw new EvaluationError(`unknown time zone ${zone}`);
  return found;
}

/** Of a moment, in UTC or in a zone that is named. */
function part(name: string, of: (calendar: Calendar) => number): readonly Overload[] {
  return [
    member(name, { parameters: [timestamp], result: int }, ([value]) => BigInt(of(calendar(value, 'UTC')))),
    member(name, { parameters: [timestamp, string], result: int }, ([value, zone]) =>
      BigInt(of(calendar(value, text(zone)))),
    ),
  ];
}

/** Of a span: the whole of it, in a unit. */
function span(name: string, unitNs: bigint): Overload {
  return member(name, { parameters: [duration], result: int }, ([value]) => {
    if (!(value instanceof Duration)) throw noOverload();
    return value.ns / unitNs;
  });
}

export const times: readonly Overload[] = [
  ...part('getFullYear', ({ year }) => year),
  ...part('getMonth', ({ month }) => month),
  ...part('getDate', ({ day }) => day),
  ...part('getDayOfMonth', ({ day }) => day - 1),
  ...part('getDayOfYear', ({ dayOfYear }) => dayOfYear),
  ...part('getDayOfWeek', ({ dayOfWeek }) => dayOfWeek),
  ...part('getHours', ({ hours }) => hours),
  ...part('getMinutes', ({ minutes }) => minutes),
  ...part('getSeconds', ({ seconds }) => seconds),
  ...part('getMilliseconds', ({ ms }) => ms),
  span('getHours', 3_600_000_000_000n),
  span('getMinutes', 60_000_000_000n),
  span('getSeconds', 1_000_000_000n),
  member('getMilliseconds', { parameters: [duration], result: int }, ([value]) => {
    if (!(value instanceof Duration)) throw noOverload();
    return value.ns / 1_000_000n;
  }),
];
