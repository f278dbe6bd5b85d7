import { parseGoDuration } from '../../base/duration.ts';

/**
 * The schedules of CronJobs: five fields (minute, hour, day of month, month, day of week), each a comma-separated list of
 * `*`, numbers, names, ranges and steps, or a descriptor such as `@daily` and `@every 90m`.
 */
interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const descriptors: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const number = /^\d{1,9}$/;
const zone = /^(?:CRON_)?TZ=(\S*)\s*/;

/** What is wrong with the schedule; undefined when nothing is. */
export function cronScheduleFault(schedule: string): string | undefined {
  const named = zone.exec(schedule);
  const text = (named === null ? schedule : schedule.slice(named[0].length)).trim();
  if (named !== null && timeZoneFault(named[1] ?? '') !== undefined) return `provided bad location ${named[1]}`;
  if (text.startsWith('@')) return descriptorFault(text);
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length)
    return `expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  for (const [index, part] of parts.entries()) {
    const fault = fieldFault(part, fields[index] as Bounds);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * The five fields of a schedule that has no fault, each as `*` or as a list of numbers: what the names, ranges and steps of
 * this dialect mean is decided here, and nowhere else.
 */
export function cronFields(schedule: string): readonly string[] {
  const text = schedule.trim();
  return (descriptors.get(text) ?? text).split(/\s+/).map((part, index) => valuesOf(part, fields[index] as Bounds));
}

function valuesOf(field: string, bounds: Bounds): string {
  const values = new Set<number>();
  for (const text of field.split(',')) {
    if (text === '') continue;
    const [range = '', step] = text.split('/');
    const [first = '', last] = range.split('-');
    const open = first === '*' || first === '?';
    const stride = step === undefined ? 1 : Number(step);
    // A star that skips nothing is what makes days of the month and of the week count together.
    if (open && stride === 1) return '*';
    const start = open ? bounds.min : Number(boundOf(first, bounds));
    const only = step === undefined ? start : bounds.max;
    const end = open ? bounds.max : last === undefined ? only : Number(boundOf(last, bounds));
    for (let value = start; value <= end; value += stride) values.add(value);
  }
  return [...values].join(',');
}

/** Whether the schedule names its own zone, which the API does not take. */
export function namesTimeZone(schedule: string): boolean {
  return schedule.includes('TZ');
}

/** What is wrong with the name of a time zone (IANA); undefined when nothing is. */
export function timeZoneFault(name: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return undefined;
  } catch {
    return `unknown time zone ${name}`;
  }
}

function descriptorFault(text: string): string | undefined {
  if (descriptors.has(text)) return undefined;
  const every = '@every ';
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const period = parseGoDuration(text.slice(every.length));
  return typeof period === 'number' ? undefined : `failed to parse duration ${text}: ${period}`;
}

function fieldFault(field: string, bounds: Bounds): string | undefined {
  for (const part of field.split(',')) {
    if (part === '') continue;
    const fault = rangeFault(part, bounds);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** `*`, `5`, `1-5`, `*\/15`, `10-50/5`. */
function rangeFault(text: string, bounds: Bounds): string | undefined {
  const [range = '', step, ...moreSteps] = text.split('/');
  const [first = '', last, ...moreEnds] = range.split('-');
  const open = first === '*' || first === '?';
  const start = open ? bounds.min : boundOf(first, bounds);
  if (typeof start === 'string') return start;
  if (!open && moreEnds.length > 0) return `too many hyphens: ${text}`;
  const only = step === undefined ? start : bounds.max;
  const end = open ? bounds.max : last === undefined ? only : boundOf(last, bounds);
  if (typeof end === 'string') return end;
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const stride = step === undefined ? 1 : numberOf(step);
  if (typeof stride === 'string') return stride;
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${text}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return stride === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

function boundOf(text: string, { names, min }: Bounds): number | string {
  const position = names?.indexOf(text.toLowerCase()) ?? -1;
  return position >= 0 ? position + min : numberOf(text);
}

/** The number, or what is wrong with it. */
function numberOf(text: string): number | string {
  if (number.test(text)) return Number(text);
  if (/^-\d+$/.test(text)) return `negative number (${text}) not allowed: ${text}`;
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}
