import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { isTracked, jobCondition } from '../../resources/batch/facts.ts';
import { countCommon, countIndexes, parseIndexes } from '../../resources/batch/indexes.ts';
import { judgeFailure } from './failure-policy.ts';
import { hasLimitPerIndex, isIndexed } from './indexed.ts';
import { hasFailed, type Ledger } from './ledger.ts';
import { endedIndexes } from './scale.ts';

/** That the Job ends, and why. It is written down before anything follows from it. */
export interface Verdict {
  readonly type: 'FailureTarget' | 'SuccessCriteriaMet';
  readonly reason: string;
  readonly message: string;
}

export interface Seen {
  readonly ledger: Ledger;
  readonly pods: readonly Pod[];
  readonly nowMs: number;
}

/** The first that holds; what is written down already stays. Undefined: the Job goes on. */
export function verdictOn(job: Job, seen: Seen): Verdict | undefined {
  return (
    decided(job) ??
    failedByPolicy(job, seen) ??
    failedTooOften(job, seen) ??
    tookTooLong(job, seen) ??
    indexesFailed(job, seen.ledger) ??
    succeededByPolicy(job, seen.ledger) ??
    completed(job, seen.ledger)
  );
}

function decided(job: Job): Verdict | undefined {
  for (const type of ['FailureTarget', 'SuccessCriteriaMet'] as const) {
    const condition = jobCondition(job, type);
    if (condition !== undefined) return { type, reason: condition.reason ?? '', message: condition.message ?? '' };
  }
  return undefined;
}

function failedByPolicy(job: Job, { pods }: Seen): Verdict | undefined {
  if (job.spec.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    if (!isTracked(pod) || !hasFailed(job, pod)) continue;
    const judgement = judgeFailure(job, pod);
    if (judgement.action === 'FailJob') return failure('PodFailurePolicy', judgement.message);
  }
  return undefined;
}

function failedTooOften(job: Job, { ledger, pods }: Seen): Verdict | undefined {
  const { backoffLimit = 6, template } = job.spec;
  const isOver =
    ledger.failed > backoffLimit ||
    (template.spec?.restartPolicy === 'OnFailure' && restartedTooOften(pods, backoffLimit));
  return isOver ? failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit') : undefined;
}

/** Containers that start again in their pods count, too; also where the pod is being stopped. */
function restartedTooOften(pods: readonly Pod[], limit: number): boolean {
  let restarts = 0;
  for (const { status } of pods) {
    if (status.phase !== 'Running' && status.phase !== 'Pending') continue;
    for (const { restartCount } of [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])])
      restarts += restartCount;
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function tookTooLong(job: Job, { nowMs }: Seen): Verdict | undefined {
  const leftMs = deadlineInMs(job, nowMs);
  return leftMs !== undefined && leftMs <= 0
    ? failure('DeadlineExceeded', 'Job was active longer than specified deadline')
    : undefined;
}

/** Until the Job has been active for too long; undefined when there is no such moment. */
export function deadlineInMs(job: Job, nowMs: number): number | undefined {
  const { activeDeadlineSeconds, suspend } = job.spec;
  const { startTime } = job.status;
  if (activeDeadlineSeconds === undefined || suspend === true) return undefined;
  // One that is taken up again begins anew.
  const begins = startTime === undefined || jobCondition(job, 'Suspended') !== undefined;
  return (begins ? nowMs : fromTimestamp(startTime)) + activeDeadlineSeconds * 1_000 - nowMs;
}

function indexesFailed(job: Job, ledger: Ledger): Verdict | undefined {
  if (!hasLimitPerIndex(job)) return undefined;
  const { maxFailedIndexes, completions = 0 } = job.spec;
  const failed = countIndexes(ledger.failedIndexes);
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes)
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  return failed > 0 && endedIndexes(ledger) >= completions
    ? failure('FailedIndexes', 'Job has failed indexes')
    : undefined;
}

function succeededByPolicy(job: Job, { completedIndexes }: Ledger): Verdict | undefined {
  if (job.spec.successPolicy === undefined || !isIndexed(job)) return undefined;
  const { completions = 0 } = job.spec;
  const index = job.spec.successPolicy.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return countIndexes(completedIndexes) >= (succeededCount ?? completions);
    const wanted = parseIndexes(succeededIndexes, completions);
    return countCommon(wanted, completedIndexes) >= (succeededCount ?? countIndexes(wanted));
  });
  return index < 0
    ? undefined
    : { type: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message: `Matched rules at index ${index}` };
}

function completed({ spec }: Job, { succeeded, active }: Ledger): Verdict | undefined {
  const isDone = spec.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
  if (!isDone || active.length > 0) return undefined;
  return {
    type: 'SuccessCriteriaMet',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  };
}

function failure(reason: string, message: string): Verdict {
  return { type: 'FailureTarget', reason, message };
}
