import { Cron } from 'croner';
import { toTimestamp } from '../../base/clock.ts';
import { parseGoDuration } from '../../base/duration.ts';
import { cronFields } from './cron-schedule.ts';

/** When a schedule comes due. */
export interface CronTimes {
  /** The first moment after this one; undefined when there is none, as of a 30th of February. */
  nextMs(afterMs: number): number | undefined;
}

/** What {@link cronScheduleFault} has nothing against. Without a zone the times are those of UTC. */
export function createCronTimes(
  schedule: string,
  { timeZone = 'UTC' }: { readonly timeZone?: string } = {},
): CronTimes {
  if (schedule.trim().startsWith('@every ')) return everyOf(schedule.trim().slice('@every '.length));
  const cron = new Cron(`0 ${cronFields(schedule).join(' ')}`, { timezone: 'UTC', paused: true });
  const wall = wallOf(timeZone);
  return { nextMs: (afterMs) => nextOn(wall, { cron, afterMs }) };
}

/** A steady beat, in whole seconds. */
function everyOf(text: string): CronTimes {
  const parsed = parseGoDuration(text);
  const periodMs = Math.max(1_000, Math.floor((typeof parsed === 'number' ? parsed : 0) / 1_000) * 1_000);
  return { nextMs: (afterMs) => Math.floor(afterMs / 1_000) * 1_000 + periodMs };
}

/** A clock on the wall of some zone. */
interface Wall {
  /** How far it is ahead of UTC at that moment. */
  offsetMs(timeMs: number): number;
}

const weekMs = 7 * 86_400_000;

/**
 * The library finds the times as the clock on the wall shows them, as if that were never set. Where it is, times that it
 * skips are skipped, and those that it shows twice come twice: so does upstream's library.
 */
function nextOn(wall: Wall, { cron, afterMs }: { readonly cron: Cron; readonly afterMs: number }): number | undefined {
  let sinceMs = afterMs;
  let startMs = afterMs;
  for (;;) {
    const offsetMs = wall.offsetMs(startMs);
    const shown = cron.nextRun(new Date(sinceMs + offsetMs));
    if (shown === null) return undefined;
    const dueMs = shown.getTime() - offsetMs;
    const changeMs = nextChangeMs(wall, { fromMs: startMs, untilMs: dueMs });
    if (changeMs === undefined) return dueMs;
    // Look again from there on; its first moment counts.
    startMs = changeMs;
    sinceMs = changeMs - 1_000;
  }
}

/** The first moment in the span at which the clock is set; undefined when there is none. */
function nextChangeMs(
  wall: Wall,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): number | undefined {
  const before = wall.offsetMs(fromMs);
  let lowMs = fromMs;
  // No zone sets its clock forth and back within a week.
  while (lowMs < untilMs) {
    const highMs = Math.min(untilMs, lowMs + weekMs);
    if (wall.offsetMs(highMs) !== before) return changeWithin(wall, { lowMs, highMs, before });
    lowMs = highMs;
  }
  return undefined;
}

function changeWithin(
  wall: Wall,
  { lowMs, highMs, before }: { readonly lowMs: number; readonly highMs: number; readonly before: number },
): number {
  let low = Math.floor(lowMs / 1_000);
  let high = Math.ceil(highMs / 1_000);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wall.offsetMs(middle * 1_000) === before) low = middle;
    else high = middle;
  }
  return high * 1_000;
}

/** Making one takes as long as reading it a hundred times; there are no more than there are zones. */
const walls = new Map<string, Wall>();

function wallOf(timeZone: string): Wall {
  const wall = walls.get(timeZone) ?? createWall(timeZone);
  walls.set(timeZone, wall);
  return wall;
}

function createWall(timeZone: string): Wall {
  if (timeZone === 'UTC') return { offsetMs: () => 0 };
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return {
    offsetMs(timeMs) {
      const wholeMs = Math.floor(timeMs / 1_000) * 1_000;
      const part = new Map(format.formatToParts(wholeMs).map(({ type, value }) => [type, Number(value)]));
      const of = (type: Intl.DateTimeFormatPartTypes): number => part.get(type) ?? 0;
      return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - wholeMs;
    },
  };
}

/** RFC 3339 with the offset of the zone at that moment, as Go writes it. */
export function toZonedTimestamp(timeMs: number, { timeZone }: { readonly timeZone: string }): string {
  const minutes = Math.round(wallOf(timeZone).offsetMs(timeMs) / 60_000);
  if (minutes === 0) return toTimestamp(timeMs);
  const digits = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const far = Math.abs(minutes);
  const offset = `${minutes < 0 ? '-' : '+'}${digits(far / 60)}:${digits(far % 60)}`;
  return toTimestamp(timeMs + minutes * 60_000).replace('Z', offset);
}
