import type { CronJob, Job } from '../api/generated/batch-v1.ts';
import { jobs as jobsType } from '../api/generated/kinds.ts';
import { keyOf } from '../api/meta.ts';
import { toTimestamp } from '../base/clock.ts';
import { agreeing, counted } from '../base/counted.ts';
import { formatDuration } from '../base/duration.ts';
import { cronjobController } from '../controllers/cronjob/controller.ts';
import type { Observed } from '../controllers/cronjob/plan.ts';
import { dueOf, scheduleOf } from '../controllers/cronjob/schedule.ts';
import { toZonedTimestamp } from '../resources/batch/cron-times.ts';
import { jobEnd } from '../resources/batch/facts.ts';
import type { Action } from '../runtime/plan.ts';
import type { Cause, Explanation, Group } from './explanation.ts';
import { goingCauses } from './going.ts';
import { grouped, namesOf, type Said } from './groups.ts';
import { inNamespace } from './in-namespace.ts';
import { explainJob } from './job.ts';
import { refusalMend } from './refusals.ts';
import { toldOf } from './told.ts';
import type { ExplainWorld, Subject } from './world.ts';

/** When it starts the next Job, or why it does not, and what became of the last one. */
export function explainCronJob(
  { namespace = '', name }: Subject,
  { world }: { readonly world: ExplainWorld },
): Explanation | undefined {
  const observed = cronjobController.observe(`${namespace}/${name}`, world.caches, undefined);
  if (observed === undefined) return undefined;
  const { cronjob, jobs } = observed;
  const timing = timingOf(cronjob, world);
  const held = heldBack(observed, { timing, world });
  const failure = lastFailure(jobs);
  const isBroken = timing.fault !== undefined;
  const groups = grouped(
    'job',
    jobs.map((job) => ({ name: keyOf(job), said: jobSaid(job, world) })),
  );
  const waiting = waitingJobs(groups);
  return {
    subject: { kind: 'CronJob', namespace, name },
    outcome: isBroken || failure !== undefined ? 'failed' : held.length + waiting.length > 0 ? 'waits' : 'settled',
    summary: summaryOf(cronjob, timing),
    causes: [...held, ...missedStart(cronjob, timing), ...waiting, ...(failure === undefined ? [] : [failure])],
    facts: factsOf(cronjob, timing),
    groups,
  };
}

interface Timing {
  /** Why it will never start anything. */
  readonly fault?: string;
  /** The last moment that has come and whose Job is not noted yet. */
  readonly dueMs?: number | undefined;
  /** The last moment that came and went without a Job, because its deadline passed. */
  readonly missedMs?: number | undefined;
  readonly missedTooMany?: boolean;
  readonly nextMs?: number | undefined;
  readonly nowMs: number;
}

function timingOf(cronjob: CronJob, { nowMs }: ExplainWorld): Timing {
  const schedule = scheduleOf(cronjob);
  if ('fault' in schedule) return { fault: schedule.fault.note, nowMs };
  const { atMs, missedTooMany, againInMs } = dueOf(cronjob, { times: schedule.times, nowMs });
  if (againInMs === undefined && atMs === undefined)
    return { fault: `its schedule ${cronjob.spec.schedule} never comes due`, nowMs };
  const { startingDeadlineSeconds: _, ...spec } = cronjob.spec;
  const missedMs = atMs === undefined ? dueOf({ ...cronjob, spec }, { times: schedule.times, nowMs }).atMs : undefined;
  return {
    dueMs: atMs,
    missedMs,
    missedTooMany,
    nextMs: againInMs === undefined ? undefined : nowMs + againInMs,
    nowMs,
  };
}

function summaryOf({ metadata, spec }: CronJob, { fault, nextMs, nowMs }: Timing): string {
  if (metadata.deletionTimestamp !== undefined) return 'is being deleted';
  if (fault !== undefined) return 'never starts a Job';
  if (spec.suspend === true) return 'is suspended';
  return nextMs === undefined
    ? 'is due for the last time'
    : `comes due in ${formatDuration(nextMs - nowMs)}, at ${toTimestamp(nextMs)}`;
}

/** Why a Job that is due is not there, or none will be: by what the controller's plan would do now. */
function heldBack(
  observed: Observed,
  { timing, world }: { readonly timing: Timing; readonly world: ExplainWorld },
): readonly Cause[] {
  const { cronjob } = observed;
  const { metadata, spec } = cronjob;
  const { name } = metadata;
  const where = inNamespace(metadata);
  if (metadata.deletionTimestamp !== undefined) return goingCauses(cronjob);
  if (timing.fault !== undefined)
    return [{ cause: timing.fault, mend: `kubectl edit cronjob ${name}${where}: mend spec.schedule or spec.timeZone` }];
  if (spec.suspend === true)
    return [
      {
        cause: 'it is suspended',
        mend: `kubectl patch cronjob ${name}${where} -p '{"spec":{"suspend":false}}'${afterwards(cronjob, timing)}`,
      },
    ];
  const { dueMs } = timing;
  if (dueMs === undefined) return [];
  const due = toTimestamp(dueMs);
  const tooMany = timing.missedTooMany === true ? [tooManyMissed] : [];
  const { actions } = cronjobController.plan(observed, timing.nowMs);
  const all = actions.flatMap((action) => (action.do === 'inOrder' ? action.actions : [action]));
  const said = new Set(all.flatMap((action) => (action.do === 'emit' ? [action.reason] : [])));
  if (said.has('JobAlreadyActive')) return [...tooMany, stillActive(observed, due)];
  if (!all.some(creates)) return tooMany;
  const told = toldOf(cronjob, { world, reasons: ['FailedCreate'] });
  return [
    ...tooMany,
    told === undefined
      ? { cause: `it is due since ${due}, and its controller is about to make the Job`, mend: '' }
      : { cause: `it is due since ${due}, and its Job cannot be made: ${told}`, mend: refusalMend(told) },
  ];
}

/** It has passed: whatever comes next is as it should be. */
function missedStart({ metadata, spec }: CronJob, { missedMs }: Timing): readonly Cause[] {
  if (missedMs === undefined || spec.suspend === true || metadata.deletionTimestamp !== undefined) return [];
  const { name } = metadata;
  return [
    {
      cause: `the start of ${toTimestamp(missedMs)} was missed: startingDeadlineSeconds ${spec.startingDeadlineSeconds} are over`,
      mend: `run it now: kubectl create job --from=cronjob/${name} ${name}-by-hand${inNamespace(metadata)}`,
    },
  ];
}

const tooManyMissed: Cause = {
  cause: 'more than 100 starts were missed; only the last of them counts',
  mend: 'set startingDeadlineSeconds, or lower it',
};

/** What comes at once when it goes on: that surprises many. */
function afterwards({ spec }: CronJob, { dueMs, nowMs }: Timing): string {
  const { startingDeadlineSeconds } = spec;
  const isLate =
    dueMs !== undefined && startingDeadlineSeconds !== undefined && dueMs + startingDeadlineSeconds * 1_000 < nowMs;
  return dueMs === undefined || isLate ? '' : ` (it starts the Job of ${toTimestamp(dueMs)} at once then)`;
}

function creates(action: Action): boolean {
  return action.do === 'create';
}

function stillActive({ cronjob, jobs }: Observed, due: string): Cause {
  const active = jobs.filter((job) => jobEnd(job) === undefined).map(({ metadata }) => metadata.name);
  const which = active.length === 0 ? 'one that is noted as active' : namesOf(active);
  return {
    cause: `the Job of ${due} is not started while ${which} runs (concurrencyPolicy Forbid)`,
    mend: `signalbox explain job ${active[0] ?? 'NAME'}${inNamespace(cronjob.metadata)}; or let them overlap: concurrencyPolicy Allow, or Replace${cronjob.spec.startingDeadlineSeconds === undefined ? '' : '; it is given up when startingDeadlineSeconds are over'}`,
  };
}

function jobSaid(job: Job, world: ExplainWorld): Said {
  const end = jobEnd(job);
  if (job.metadata.deletionTimestamp !== undefined) return { state: 'is going' };
  if (end?.type === 'Complete') return { state: 'is complete' };
  if (end !== undefined) return { state: 'has failed', why: [end.reason, end.message].filter(Boolean).join(': ') };
  if (job.spec.suspend === true) return { state: 'is suspended' };
  const { namespace, name } = job.metadata;
  const { groups = [], causes = [] } = explainJob({ type: jobsType, namespace, name }, { world }) ?? {};
  const [first] = causes;
  const works = groups.some(({ state }) => state === 'ready');
  // What mends itself is a matter of a moment.
  if (works || first === undefined || first.mend === '') return { state: 'runs' };
  const why = first.cause;
  // What refuses pods names each, by a name that nobody else has.
  return {
    state: 'waits',
    why,
    alike: why.replace(/pods "[^"]*"/, 'pods'),
    mend: `signalbox explain job ${name}${inNamespace(job.metadata)}`,
  };
}

/** Those of which no pod runs: their own answer says more, and what was told of them. */
function waitingJobs(groups: readonly Group[]): readonly Cause[] {
  return groups
    .filter(({ state }) => state === 'waits')
    .map(({ names, why, mend }) => ({
      cause: `${counted(names.length, 'Job')} ${agreeing(names.length, 'waits')}: ${why}`,
      mend,
    }));
}

/** Of the last one that has ended, when it has failed. */
function lastFailure(jobs: readonly Job[]): Cause | undefined {
  const ended = jobs
    .filter((job) => jobEnd(job) !== undefined)
    .sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1));
  const [last] = ended;
  const end = last && jobEnd(last);
  if (end?.type !== 'Failed') return undefined;
  const failures = ended.findIndex((job) => jobEnd(job)?.type !== 'Failed');
  const times = failures === -1 ? ended.length : failures;
  const more =
    times > 1
      ? `, and so did the ${counted(times - 1, 'one')} before that ${agreeing(times - 1, 'is')} still there`
      : '';
  return {
    cause: `its last Job ${last?.metadata.name} failed: ${[end.reason, end.message].filter(Boolean).join(': ')}${more}`,
    mend: `signalbox explain job ${last?.metadata.name}${inNamespace(last?.metadata ?? {})}`,
  };
}

function factsOf({ spec, status }: CronJob, { nextMs }: Timing): Explanation['facts'] {
  const { schedule, timeZone, suspend, concurrencyPolicy = 'Allow', startingDeadlineSeconds } = spec;
  const shown = spec.suspend === true ? undefined : nextMs;
  return {
    schedule,
    timeZone: timeZone ?? 'UTC',
    ...(suspend === true && { suspended: true }),
    ...(shown !== undefined && timeZone !== undefined && { nextThere: toZonedTimestamp(shown, { timeZone }) }),
    ...(status.lastScheduleTime !== undefined && { lastScheduleTime: status.lastScheduleTime }),
    ...(status.lastSuccessfulTime !== undefined && { lastSuccessfulTime: status.lastSuccessfulTime }),
    concurrencyPolicy,
    ...(startingDeadlineSeconds !== undefined && { startingDeadlineSeconds }),
    active: status.active?.length ?? 0,
  };
}
