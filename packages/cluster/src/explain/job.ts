import type { Job } from '../api/generated/batch-v1.ts';
import { jobs, pods as podsType } from '../api/generated/kinds.ts';
import { toTimestamp } from '../base/clock.ts';
import { agreeing, counted } from '../base/counted.ts';
import { formatDuration } from '../base/duration.ts';
import { failuresSinceSuccess } from '../controllers/job/backoff.ts';
import { observe } from '../controllers/job/controller.ts';
import { hasLimitPerIndex } from '../controllers/job/indexed.ts';
import { type Ledger, ledgerOf } from '../controllers/job/ledger.ts';
import { scale } from '../controllers/job/scale.ts';
import { deadlineInMs, verdictOn } from '../controllers/job/verdict.ts';
import { jobEnd } from '../resources/batch/facts.ts';
import { countIndexes } from '../resources/batch/indexes.ts';
import { podReady } from '../resources/core/pod/facts.ts';
import type { Cause, Explanation } from './explanation.ts';
import { goingCauses } from './going.ts';
import { namesOf } from './groups.ts';
import { inNamespace } from './in-namespace.ts';
import { podCauses, podGroups } from './pods.ts';
import { refusalMend } from './refusals.ts';
import { toldOf } from './told.ts';
import type { ExplainWorld, Subject } from './world.ts';

/** Why it goes on, waits, or has failed. */
export function explainJob(
  { namespace = '', name }: Subject,
  { world }: { readonly world: ExplainWorld },
): Explanation | undefined {
  const { caches } = world;
  const key = `${namespace}/${name}`;
  const job = caches.of(jobs).get(key);
  if (job === undefined) return undefined;
  const observed = observe(key, caches);
  // Undefined where somebody else answers for it.
  const pods = observed?.pods.claimed ?? caches.of(podsType).ownedBy(job.metadata.uid);
  const ledger = ledgerOf(job, pods);
  const asking: Asking = { job, ledger, pods, world, isForeign: observed === undefined };
  const groups = podGroups(pods, { world });
  const end = jobEnd(job);
  const succeeded = `${ledger.succeeded}${job.spec.completions === undefined ? '' : ` of ${job.spec.completions}`}`;
  return {
    subject: { kind: 'Job', namespace, name },
    outcome: end === undefined ? 'waits' : end.type === 'Complete' ? 'settled' : 'failed',
    summary:
      end === undefined
        ? `has ${succeeded} succeeded, ${ledger.active.length} active, ${ledger.failed} failed`
        : end.type === 'Complete'
          ? `is complete: ${succeeded} succeeded`
          : `has failed: ${end.reason ?? ''}`,
    causes:
      end === undefined
        ? [...causesOf(asking), ...podCauses(groups.filter(({ state }) => state !== 'has failed'))]
        : end.type === 'Complete'
          ? []
          : [{ cause: end.message ?? end.reason ?? '', mend: failureMend(job, end.reason) }, ...podCauses(groups)],
    facts: numbers(asking),
    groups,
  };
}

interface Asking {
  readonly job: Job;
  readonly ledger: Ledger;
  readonly pods: Parameters<typeof ledgerOf>[1];
  readonly world: ExplainWorld;
  readonly isForeign: boolean;
}

function causesOf({ job, ledger, pods, world, isForeign }: Asking): readonly Cause[] {
  const { spec, metadata } = job;
  if (isForeign) return [{ cause: `${spec.managedBy ?? ''} answers for it (spec.managedBy)`, mend: '' }];
  if (metadata.deletionTimestamp !== undefined) return goingCauses(job);
  const { nowMs } = world;
  const verdict = verdictOn(job, { ledger, pods, nowMs });
  if (verdict !== undefined) {
    const left = ledger.active.length + ledger.terminating.length;
    const rest =
      left === 0
        ? 'its controller is about to write it down'
        : `${counted(left, 'pod')} ${agreeing(left, 'has')} to end first`;
    return [{ cause: `it ends (${verdict.reason}: ${verdict.message}); ${rest}`, mend: '' }];
  }
  if (spec.suspend === true)
    return [
      {
        cause: 'it is suspended',
        mend: `kubectl patch job ${metadata.name}${inNamespace(metadata)} -p '{"spec":{"suspend":false}}'`,
      },
    ];
  const { againInMs, actions } = scale(job, { ledger, nowMs });
  if (againInMs !== undefined && againInMs > 0) {
    const { failures } = failuresSinceSuccess(ledger.ended);
    const until = toTimestamp(nowMs + againInMs);
    const after = hasLimitPerIndex(job)
      ? `for index ${namesOf(awaited(ledger))}`
      : `after ${counted(failures, 'failure')}`;
    const cause = `it backs off ${after}: the next pod comes in ${formatDuration(againInMs)}, at ${until}`;
    return [
      { cause, mend: `mend what makes its pods fail: kubectl logs job/${metadata.name}${inNamespace(metadata)}` },
      ...failed(ledger),
    ];
  }
  if (spec.podReplacementPolicy === 'Failed' && ledger.terminating.length > 0)
    return [
      {
        cause: `podReplacementPolicy Failed: ${counted(ledger.terminating.length, 'pod')} must have ended before others are made`,
        mend: '',
      },
    ];
  if (spec.parallelism === 0)
    return [
      {
        cause: 'its parallelism is 0',
        mend: `kubectl patch job ${metadata.name}${inNamespace(metadata)} -p '{"spec":{"parallelism":1}}'`,
      },
    ];
  if (!actions.some((action) => action.do === 'create')) return running(ledger);
  const told = toldOf(job, { world, reasons: ['FailedCreate'] });
  return [
    told === undefined
      ? { cause: 'its controller is about to make pods', mend: '' }
      : { cause: `its pods cannot be made: ${told}`, mend: refusalMend(told) },
  ];
}

/** Of pods that are not ready it is told besides what they wait for. */
function running({ active }: Ledger): readonly Cause[] {
  const { length } = active.filter(podReady);
  if (length === 0) return [];
  const cause = `${counted(length, 'pod')} ${agreeing(length, 'runs')}, and ${agreeing(length, 'has')} to end yet`;
  return [{ cause, mend: '' }];
}

function failureMend({ spec }: Job, reason: string | undefined): string {
  const forGood = 'a Job that has failed is not started again';
  return reason === 'DeadlineExceeded'
    ? `create it anew with more activeDeadlineSeconds than ${spec.activeDeadlineSeconds}: ${forGood}`
    : `mend what makes its pods fail, and create it anew: ${forGood}`;
}

/** Each index backs off by itself. */
function awaited({ toReplace }: Ledger): readonly string[] {
  return [...toReplace.keys()].sort((a, b) => a - b).map(String);
}

function failed({ ended }: Ledger): readonly Cause[] {
  const codes = new Map<number, number>();
  for (const pod of ended.failed)
    for (const { state } of pod.status.containerStatuses ?? []) {
      const code = state?.terminated?.exitCode ?? 0;
      if (code !== 0) codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  return [...codes].map(([code, times]) => ({
    cause: `${counted(times, 'container')} exited with code ${code}`,
    mend: '',
  }));
}

function numbers({ job, ledger, world }: Asking): Explanation['facts'] {
  const { completions, parallelism = 1, backoffLimit = 6, completionMode } = job.spec;
  const { backoffLimitPerIndex, maxFailedIndexes } = job.spec;
  const leftMs = jobEnd(job) === undefined ? deadlineInMs(job, world.nowMs) : undefined;
  const failedIndexes = countIndexes(ledger.failedIndexes);
  return {
    ...(completions !== undefined && { completions }),
    parallelism,
    succeeded: ledger.succeeded,
    active: ledger.active.length,
    failed: ledger.failed,
    // With a limit for each index the other one is as good as none.
    ...(backoffLimitPerIndex === undefined || backoffLimit < 2 ** 31 - 1 ? { backoffLimit } : {}),
    ...(backoffLimitPerIndex !== undefined && { backoffLimitPerIndex }),
    ...(maxFailedIndexes !== undefined && { maxFailedIndexes }),
    ...(completionMode === 'Indexed' && { completionMode }),
    ...(failedIndexes > 0 && { failedIndexes }),
    ...(leftMs !== undefined && { deadlineIn: formatDuration(Math.max(0, leftMs)) }),
  };
}
