import type { CronJob, CronJobStatus, Job } from '../../api/generated/batch-v1.ts';
import type { ObjectReference } from '../../api/generated/core-v1.ts';
import { cronjobs, jobs as jobsType } from '../../api/generated/kinds.ts';
import { fromTimestamp, toTimestamp } from '../../base/clock.ts';
import { jobEnd } from '../../resources/batch/facts.ts';
import type { Action, Emit, Plan } from '../../runtime/plan.ts';
import { statusIfChanged } from '../../workloads/actions.ts';
import { deleteJob, surplusJobs } from './history.ts';
import { jobName, jobOf } from './job.ts';
import { dueOf, scheduleOf } from './schedule.ts';

export interface Observed {
  readonly cronjob: CronJob;
  /** Those that it owns, by its reference. */
  readonly jobs: readonly Job[];
  /** Who has the name that the next Job would get is asked of the cache, whoever owns it. */
  jobNamed(name: string): Job | undefined;
}

export function plan(observed: Observed, nowMs: number): Plan {
  const { cronjob, jobs } = observed;
  const surplus = cronjob.metadata.deletionTimestamp === undefined ? surplusJobs(cronjob, jobs) : [];
  const book = keepBook(cronjob, { jobs, surplus });
  if (cronjob.metadata.deletionTimestamp !== undefined)
    return { actions: written(cronjob, { book, status: book.status }) };
  const start = startOf(observed, { status: book.status, nowMs });
  const removals = surplus.map((job) => deleteJob(cronjob, job));
  return {
    actions: [...removals, ...start.actions, ...written(cronjob, { book, status: start.status })],
    againInMs: start.againInMs,
  };
}

interface Book {
  readonly status: CronJobStatus;
  readonly events: readonly Emit[];
}

/** Which Jobs are active, and when the last one succeeded. Of those that are cleared away nothing more is said. */
function keepBook(
  cronjob: CronJob,
  { jobs, surplus }: { readonly jobs: readonly Job[]; readonly surplus: readonly Job[] },
): Book {
  const cleared = new Set(surplus.map(({ metadata }) => metadata.uid));
  const byUid = new Map(jobs.map((job) => [job.metadata.uid, job]));
  const { active = [], ...before } = cronjob.status;
  const events: Emit[] = [];
  const say = (reason: string, note: string): void =>
    void events.push({
      do: 'emit',
      regarding: cronjob,
      type: reason === 'UnexpectedJob' ? 'Warning' : 'Normal',
      reason,
      note,
    });
  const still = active.filter(({ uid = '', name = '' }) => {
    if (cleared.has(uid)) return false;
    const job = byUid.get(uid);
    if (job === undefined) say('MissingJob', `Active job went missing: ${name}`);
    const end = job && jobEnd(job);
    if (end !== undefined) say('SawCompletedJob', `Saw completed job: ${name}, condition: ${end.type}`);
    return job !== undefined && end === undefined;
  });
  const known = new Set(active.map(({ uid }) => uid));
  const strangers = jobs.filter((job) => jobEnd(job) === undefined && !known.has(job.metadata.uid));
  // Made by us before we died, and not yet written down: it is known by its name.
  const found = strangers.filter((job) => isOurs(cronjob, job));
  for (const job of strangers)
    if (!found.includes(job))
      say('UnexpectedJob', `Saw a job that the controller did not create or forgot: ${job.metadata.name}`);
  const running = [...still, ...found.map(referenceTo)];
  const lastSuccessfulTime = latestSuccess(before.lastSuccessfulTime, jobs);
  return {
    events,
    status: {
      ...before,
      ...(running.length > 0 && { active: running }),
      ...(lastSuccessfulTime !== undefined && { lastSuccessfulTime }),
    },
  };
}

function isOurs({ metadata }: CronJob, job: Job): boolean {
  return new RegExp(`^${metadata.name.replaceAll('.', '\\.')}-\\d+$`).test(job.metadata.name);
}

function latestSuccess(before: string | undefined, jobs: readonly Job[]): string | undefined {
  let latest = before;
  for (const job of jobs) {
    const { completionTime } = job.status;
    if (completionTime === undefined || jobEnd(job)?.type !== 'Complete') continue;
    if (latest === undefined || fromTimestamp(completionTime) > fromTimestamp(latest)) latest = completionTime;
  }
  return latest;
}

interface Start {
  readonly actions: readonly Action[];
  readonly status: CronJobStatus;
  readonly againInMs?: number | undefined;
}

interface Standing {
  readonly status: CronJobStatus;
  readonly nowMs: number;
}

function startOf({ cronjob, jobs, jobNamed }: Observed, { status, nowMs }: Standing): Start {
  const idle = { actions: [], status };
  if (cronjob.spec.suspend === true) return idle;
  const schedule = scheduleOf(cronjob);
  if ('fault' in schedule) return { ...idle, actions: [warning(cronjob, schedule.fault)] };
  const due = dueOf({ ...cronjob, status }, { times: schedule.times, nowMs });
  const { againInMs } = due;
  if (due.atMs === undefined)
    return againInMs === undefined ? { ...idle, actions: [neverDue(cronjob)] } : { ...idle, againInMs };
  const warnings = due.missedTooMany ? [tooManyMissed(cronjob)] : [];
  const late = missedDeadline(cronjob, { atMs: due.atMs, nowMs });
  if (late !== undefined) return { ...idle, actions: [...warnings, late], againInMs };
  const { active = [] } = status;
  const { concurrencyPolicy } = cronjob.spec;
  if (concurrencyPolicy === 'Forbid' && active.length > 0 && jobNamed(jobName(cronjob, due.atMs)) === undefined)
    return { ...idle, actions: [...warnings, stillActive(cronjob)], againInMs };
  const starting = starts({ cronjob, jobNamed }, { atMs: due.atMs, status });
  const isNew = starting.actions.length > 0;
  const replaced = isNew && concurrencyPolicy === 'Replace' ? jobs.filter((job) => isIn(active, job)) : [];
  return {
    status: without(starting.status, replaced),
    actions: [
      // Once: what comes for this start was told when its Job was made.
      ...(isNew ? warnings : []),
      ...replaced.map((job) => deleteJob(cronjob, job)),
      ...starting.actions,
    ],
    againInMs,
  };
}

/** The Job is made first and noted when the cache shows it: one that a controller made that died in between is found by its name. */
function starts(
  { cronjob, jobNamed }: Pick<Observed, 'cronjob' | 'jobNamed'>,
  { atMs, status }: { readonly atMs: number; readonly status: CronJobStatus },
): Pick<Start, 'actions' | 'status'> {
  if (jobNamed(jobName(cronjob, atMs)) === undefined) return { actions: [jobOf(cronjob, atMs)], status };
  return { actions: [], status: { ...status, lastScheduleTime: toTimestamp(atMs) } };
}

/** Nobody misses what was deleted to make room. */
function without({ active = [], ...status }: CronJobStatus, replaced: readonly Job[]): CronJobStatus {
  const gone = new Set(replaced.map(({ metadata }) => metadata.uid));
  const left = active.filter(({ uid = '' }) => !gone.has(uid));
  return { ...status, ...(left.length > 0 && { active: left }) };
}

function isIn(active: readonly ObjectReference[], { metadata }: Job): boolean {
  return active.some(({ uid }) => uid === metadata.uid);
}

function referenceTo({ metadata }: Job): ObjectReference {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  return { apiVersion: 'batch/v1', kind: jobsType.kind, namespace, name, uid, resourceVersion };
}

function missedDeadline(
  cronjob: CronJob,
  { atMs, nowMs }: { readonly atMs: number; readonly nowMs: number },
): Emit | undefined {
  const { startingDeadlineSeconds } = cronjob.spec;
  if (startingDeadlineSeconds === undefined || atMs + startingDeadlineSeconds * 1_000 >= nowMs) return undefined;
  return warning(cronjob, {
    reason: 'MissSchedule',
    note: `Missed scheduled time to start a job: ${new Date(atMs).toUTCString().replace('GMT', 'UTC')}`,
  });
}

/** The 30th of February, in upstream's words. */
function neverDue(cronjob: CronJob): Emit {
  const note = `invalid schedule: ${cronjob.spec.schedule} : time difference between two schedules is less than 1 second`;
  return warning(cronjob, { reason: 'InvalidSchedule', note });
}

function tooManyMissed(cronjob: CronJob): Emit {
  const note = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
  return warning(cronjob, { reason: 'TooManyMissedTimes', note });
}

function stillActive(cronjob: CronJob): Emit {
  const note = 'Not starting job because prior execution is running and concurrency policy is Forbid';
  return { do: 'emit', regarding: cronjob, type: 'Normal', reason: 'JobAlreadyActive', note };
}

function warning(cronjob: CronJob, { reason, note }: { readonly reason: string; readonly note: string }): Emit {
  return { do: 'emit', regarding: cronjob, type: 'Warning', reason, note };
}

function written(
  cronjob: CronJob,
  { book, status }: { readonly book: Book; readonly status: CronJobStatus },
): readonly Action[] {
  const writes = statusIfChanged(cronjobs, { object: cronjob, status });
  if (writes.length === 0) return book.events;
  return book.events.length === 0 ? writes : [{ do: 'inOrder', actions: [...writes, ...book.events] }];
}
