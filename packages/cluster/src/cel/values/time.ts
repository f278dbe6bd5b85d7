import { intMax, intMin } from './uint.ts';

const nsPerMs = 1_000_000n;
const nsPerSecond = 1_000_000_000n;

/** A span in nanoseconds. */
export class Duration {
  readonly ns: bigint;

  constructor(ns: bigint) {
    this.ns = ns;
  }
}

/** A moment in nanoseconds since 1970, from the year 1 to 9999. */
export class Timestamp {
  readonly ns: bigint;

  constructor(ns: bigint) {
    this.ns = ns;
  }
}

const firstNs = BigInt(Date.parse('0001-01-01T00:00:00Z')) * nsPerMs;
const lastNs = BigInt(Date.parse('9999-12-31T23:59:59Z')) * nsPerMs + nsPerSecond - 1n;

/** Undefined beyond what a duration can hold. */
export function durationOf(ns: bigint): Duration | undefined {
  return ns > intMax || ns < intMin ? undefined : new Duration(ns);
}

export function timestampOf(ns: bigint): Timestamp | undefined {
  return ns > lastNs || ns < firstNs ? undefined : new Timestamp(ns);
}

const unitNs: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: nsPerMs,
  s: nsPerSecond,
  m: 60n * nsPerSecond,
  h: 3_600n * nsPerSecond,
};

/** `1h30m`, `-1.5s`, `0`. */
export function parseDuration(text: string): Duration | undefined {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return new Duration(0n);
  let ns = 0n;
  let at = 0;
  const part = /(\d*)(?:\.(\d*))?([^\d.]+)/y;
  while (at < rest.length) {
    part.lastIndex = at;
    const [found, whole = '', fraction = '', unit = ''] = part.exec(rest) ?? [];
    const factor = Object.hasOwn(unitNs, unit) ? unitNs[unit] : undefined;
    if (found === undefined || factor === undefined || whole + fraction === '') return undefined;
    ns += BigInt(whole || '0') * factor;
    if (fraction !== '') ns += (BigInt(fraction) * factor) / 10n ** BigInt(fraction.length);
    at += found.length;
  }
  return rest === '' ? undefined : durationOf(sign === '-' ? -ns : ns);
}

/** In seconds, as the language's conversion to text has it. */
export function formatDuration({ ns }: Duration): string {
  const amount = ns < 0n ? -ns : ns;
  const fraction = fractionOf(amount % nsPerSecond);
  return `${ns < 0n ? '-' : ''}${amount / nsPerSecond}${fraction}s`;
}

function fractionOf(ns: bigint): string {
  return ns === 0n ? '' : `.${String(ns).padStart(9, '0').replace(/0+$/, '')}`;
}

const moment = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** RFC 3339. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const parts = moment.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = parts;
  const base = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const ms = Date.parse(`${base}Z`);
  // A day that does not exist would read as one of the next month.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== base) return undefined;
  const ns = BigInt(ms) * nsPerMs + BigInt(fraction.slice(0, 9).padEnd(9, '0')) - offsetNs(zone);
  return timestampOf(ns);
}

function offsetNs(zone: string): bigint {
  if (zone.toUpperCase() === 'Z') return 0n;
  const minutes = BigInt(zone.slice(1, 3)) * 60n + BigInt(zone.slice(4, 6));
  return (zone.startsWith('-') ? -minutes : minutes) * 60n * nsPerSecond;
}

export function formatTimestamp({ ns }: Timestamp): string {
  const nanos = ((ns % nsPerSecond) + nsPerSecond) % nsPerSecond;
  const ms = Number((ns - nanos) / nsPerMs);
  return `${new Date(ms).toISOString().slice(0, 19)}${fractionOf(nanos)}Z`;
}

export interface Calendar {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  readonly day: number;
  readonly dayOfYear: number;
  readonly dayOfWeek: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly ms: number;
}

/** Undefined when there is no such zone: UTC, `America/New_York`, `+02:00`. */
export function calendarOf({ ns }: Timestamp, zone: string): Calendar | undefined {
  const utcMs = Math.floor(Number(ns / 1000n) / 1000);
  const offset = zoneOffsetMs(utcMs, zone);
  if (offset === undefined) return undefined;
  const date = new Date(utcMs + offset);
  const year = date.getUTCFullYear();
  return {
    year,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    dayOfYear: Math.floor((date.getTime() - new Date(0).setUTCFullYear(year, 0, 1)) / 86_400_000),
    dayOfWeek: date.getUTCDay(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    ms: date.getUTCMilliseconds(),
  };
}

function zoneOffsetMs(utcMs: number, zone: string): number | undefined {
  if (zone === '' || zone === 'UTC') return 0;
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
    return (fixed[1] === '-' ? -minutes : minutes) * 60_000;
  }
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    const parts = new Map(format.formatToParts(new Date(utcMs)).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return local - Math.floor(utcMs / 1000) * 1000;
  } catch {
    return undefined;
  }
}
