import type { CronJob } from '../../api/generated/batch-v1.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { cronScheduleFault, timeZoneFault } from '../../resources/batch/cron-schedule.ts';
import { type CronTimes, createCronTimes } from '../../resources/batch/cron-times.ts';

export type Schedule =
  | { readonly times: CronTimes }
  | { readonly fault: { readonly reason: string; readonly note: string } };

/** The times of the schedule, or why there are none: what was valid once need not be so on this machine. */
export function scheduleOf({ spec: { schedule, timeZone } }: CronJob): Schedule {
  const zoneFault = timeZone === undefined ? undefined : timeZoneFault(timeZone);
  if (zoneFault !== undefined)
    return { fault: { reason: 'UnknownTimeZone', note: `invalid timeZone: "${timeZone}": ${zoneFault}` } };
  const fault = cronScheduleFault(schedule);
  if (fault !== undefined)
    return { fault: { reason: 'UnparseableSchedule', note: `unparseable schedule: "${schedule}" : ${fault}` } };
  return { times: createCronTimes(schedule, timeZone === undefined ? {} : { timeZone }) };
}

export interface Due {
  /** The last time that was to be kept and was not; those before it are given up. Undefined: none. */
  readonly atMs: number | undefined;
  readonly missedTooMany: boolean;
  /** Until the next time; undefined when there is none. */
  readonly againInMs: number | undefined;
}

/** More than so many in arrears are worth a warning. */
const missedMax = 100;

export function dueOf(
  { metadata, spec, status }: CronJob,
  { times, nowMs }: { readonly times: CronTimes; readonly nowMs: number },
): Due {
  const sinceMs = fromTimestamp(status.lastScheduleTime ?? metadata.creationTimestamp);
  const { startingDeadlineSeconds } = spec;
  const deadlineMs = startingDeadlineSeconds === undefined ? sinceMs : nowMs - startingDeadlineSeconds * 1_000;
  const nextMs = times.nextMs(nowMs);
  return {
    ...lastDue(times, { sinceMs: Math.max(sinceMs, deadlineMs), nowMs }),
    againInMs: nextMs === undefined ? undefined : nextMs - nowMs,
  };
}

interface Span {
  readonly sinceMs: number;
  readonly nowMs: number;
}

function lastDue(times: CronTimes, { sinceMs, nowMs }: Span): Pick<Due, 'atMs' | 'missedTooMany'> {
  let atMs: number | undefined;
  let dueMs = times.nextMs(sinceMs);
  for (let missed = 0; dueMs !== undefined && dueMs <= nowMs; missed++) {
    if (missed >= missedMax) return { atMs: lastBefore(times, { sinceMs: dueMs, nowMs }), missedTooMany: true };
    atMs = dueMs;
    dueMs = times.nextMs(dueMs);
  }
  return { atMs, missedTooMany: false };
}

/** After a long absence not every time is counted: it is looked back from now, ever further, until one is found. */
function lastBefore(times: CronTimes, { sinceMs, nowMs }: Span): number {
  for (let spanMs = 60_000; ; spanMs *= 4) {
    const fromMs = Math.max(sinceMs - 1_000, nowMs - spanMs);
    let atMs: number | undefined;
    for (let dueMs = times.nextMs(fromMs); dueMs !== undefined && dueMs <= nowMs; dueMs = times.nextMs(dueMs))
      atMs = dueMs;
    if (atMs !== undefined) return atMs;
    if (fromMs < sinceMs) return sinceMs;
  }
}
