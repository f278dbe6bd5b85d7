import type { Job, JobCondition, JobStatus } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { isTracked, jobCondition } from '../../resources/batch/facts.ts';
import { formatIndexes } from '../../resources/batch/indexes.ts';
import { podReady } from '../../resources/core/pod/facts.ts';
import type { Emit } from '../../runtime/plan.ts';
import { hasLimitPerIndex, isIndexed } from './indexed.ts';
import { isDecided, type Ledger } from './ledger.ts';
import type { Verdict } from './verdict.ts';

export interface StatusFacts {
  readonly ledger: Ledger;
  readonly pods: readonly Pod[];
  readonly verdict: Verdict | undefined;
  readonly nowMs: number;
}

export interface Told {
  readonly status: JobStatus;
  /** What is said when it is written. */
  readonly events: readonly Emit[];
}

/** What the status should say, from what it says and what there is. */
export function tell(job: Job, facts: StatusFacts): Told {
  const counts = countsOf(job, facts);
  const { conditions, events } = conditionsOf(job, { ...facts, counts });
  const { active, terminating } = facts.ledger;
  const startTime = startOf(job, facts.nowMs);
  const end = conditions.find(({ type }) => type === 'Complete');
  return {
    events,
    status: {
      ...(active.length > 0 && { active: active.length }),
      ready: active.filter(podReady).length,
      terminating: terminating.length,
      ...(startTime !== undefined && { startTime }),
      ...(end?.lastTransitionTime !== undefined && { completionTime: end.lastTransitionTime }),
      ...counts,
      ...(conditions.length > 0 && { conditions }),
    },
  };
}

/** One that is taken up again begins anew; one that waits has not begun. */
function startOf(job: Job, nowMs: number): string | undefined {
  const { startTime } = job.status;
  if (job.spec.suspend === true) return startTime;
  const isResumed = jobCondition(job, 'Suspended') !== undefined;
  return startTime === undefined || isResumed ? toTimestamp(nowMs) : startTime;
}

type Counts = Pick<
  JobStatus,
  'succeeded' | 'failed' | 'completedIndexes' | 'failedIndexes' | 'uncountedTerminatedPods'
>;

/** Moves into the numbers what is noted and has no finalizer any more, and notes what is new. */
function countsOf(job: Job, { ledger, pods }: StatusFacts): Counts {
  const tracked = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid));
  const before = job.status.uncountedTerminatedPods ?? {};
  const split = (uids: readonly string[] = []): { readonly open: readonly string[]; readonly done: number } => {
    const open = uids.filter((uid) => tracked.has(uid));
    return { open, done: uids.length - open.length };
  };
  const uidsOf = (noting: readonly Pod[]): readonly string[] => noting.map(({ metadata }) => metadata.uid);
  const succeededBefore = split(before.succeeded);
  const failedBefore = split(before.failed);
  const openSucceeded = [...succeededBefore.open, ...uidsOf(ledger.noting.succeeded)];
  const openFailed = [...failedBefore.open, ...uidsOf(ledger.noting.failed)];
  const succeeded = isIndexed(job) ? ledger.succeeded : (job.status.succeeded ?? 0) + succeededBefore.done;
  const failed = (job.status.failed ?? 0) + failedBefore.done;
  const completedIndexes = formatIndexes(ledger.completedIndexes);
  return {
    ...(succeeded > 0 && { succeeded }),
    ...(failed > 0 && { failed }),
    ...(completedIndexes !== '' && { completedIndexes }),
    ...(hasLimitPerIndex(job) && { failedIndexes: formatIndexes(ledger.failedIndexes) }),
    uncountedTerminatedPods: {
      ...(openSucceeded.length > 0 && { succeeded: openSucceeded }),
      ...(openFailed.length > 0 && { failed: openFailed }),
    },
  };
}

interface Conditions {
  readonly conditions: readonly JobCondition[];
  readonly events: readonly Emit[];
}

function conditionsOf(job: Job, facts: StatusFacts & { readonly counts: Counts }): Conditions {
  const { verdict, nowMs } = facts;
  const now = toTimestamp(nowMs);
  const before = job.status.conditions ?? [];
  if (verdict === undefined) return suspensionOf(job, { before, now });
  const condition = (type: string): JobCondition => ({
    type,
    status: 'True',
    lastProbeTime: now,
    lastTransitionTime: now,
    reason: verdict.reason,
    message: verdict.message,
  });
  const decision = isDecided(job) ? [] : [condition(verdict.type)];
  if (!isOver(facts)) return { conditions: [...before, ...decision], events: [] };
  const hasFailed = verdict.type === 'FailureTarget';
  return {
    conditions: [...before, ...decision, condition(hasFailed ? 'Failed' : 'Complete')],
    events: hasFailed
      ? [{ do: 'emit', regarding: job, type: 'Warning', reason: verdict.reason, note: verdict.message }]
      : [
          ...tooMany(job, facts.counts),
          { do: 'emit', regarding: job, type: 'Normal', reason: 'Completed', note: 'Job completed' },
        ],
  };
}

/** The end is told once everything is counted and nothing runs any more. */
function isOver({ counts, ledger, pods }: StatusFacts & { readonly counts: Counts }): boolean {
  const { succeeded = [], failed = [] } = counts.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length + ledger.active.length + ledger.terminating.length > 0) return false;
  return !pods.some(isTracked);
}

function tooMany(job: Job, { succeeded = 0 }: Counts): readonly Emit[] {
  if (job.spec.completions === undefined || succeeded <= job.spec.completions) return [];
  const note = 'Too many succeeded pods running after completion count reached';
  return [{ do: 'emit', regarding: job, type: 'Warning', reason: 'TooManySucceededPods', note }];
}

function suspensionOf(
  job: Job,
  { before, now }: { readonly before: readonly JobCondition[]; readonly now: string },
): Conditions {
  const old = before.find(({ type }) => type === 'Suspended');
  const isSuspended = job.spec.suspend === true;
  if ((old?.status === 'True') === isSuspended) return { conditions: before, events: [] };
  const [reason, message, event] = isSuspended
    ? (['JobSuspended', 'Job suspended', 'Suspended'] as const)
    : (['JobResumed', 'Job resumed', 'Resumed'] as const);
  const status = isSuspended ? 'True' : 'False';
  const next = { type: 'Suspended', status, lastProbeTime: now, lastTransitionTime: now, reason, message };
  return {
    conditions:
      old === undefined ? [...before, next] : before.map((condition) => (condition === old ? next : condition)),
    events: [{ do: 'emit', regarding: job, type: 'Normal', reason: event, note: message }],
  };
}
