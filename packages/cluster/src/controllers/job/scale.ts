import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { countIndexes, hasIndex } from '../../resources/batch/indexes.ts';
import type { Action } from '../../runtime/plan.ts';
import { createPod } from '../../workloads/actions.ts';
import { sooner } from '../../workloads/phase.ts';
import { leastUsefulFirst } from '../../workloads/ranking.ts';
import { failuresSinceSuccess, finishedMs, waitMs } from './backoff.ts';
import { failuresAfter, failuresBefore, hasLimitPerIndex, indexOf, isIndexed } from './indexed.ts';
import type { Ledger } from './ledger.ts';
import { newIndexedPod, newPod, takeBack } from './pods.ts';

/** At most so many creates or deletes in one plan. */
const burst = 500;

export interface Scaling {
  readonly actions: readonly Action[];
  readonly againInMs?: number | undefined;
}

const nothing: Scaling = Object.freeze({ actions: [] });

/** Brings the number of running pods where it should be: either takes pods back, or makes some. */
export function scale(job: Job, { ledger, nowMs }: { readonly ledger: Ledger; readonly nowMs: number }): Scaling {
  const { active } = ledger;
  const wanted = wantedActive(job, ledger);
  const surplus = surplusPods(job, { ledger, wanted, nowMs });
  if (surplus.length > 0) return { actions: surplus.slice(0, burst).map((pod) => takeBack(job, pod)) };
  if (job.spec.suspend === true) return nothing;
  // By this policy nobody takes a place before the one who has it is gone.
  const held = job.spec.podReplacementPolicy === 'Failed' ? ledger.terminating.length : 0;
  const missing = Math.min(wanted - held - active.length, burst);
  if (missing <= 0) return nothing;
  if (hasLimitPerIndex(job)) return replaceEach(job, { ledger, missing, nowMs });
  const leftMs = waitMs({ ...failuresSinceSuccess(ledger.ended), nowMs });
  if (leftMs > 0) return { actions: [], againInMs: leftMs };
  if (!isIndexed(job)) {
    const pod = newPod(job);
    return { actions: Array.from({ length: missing }, () => createPod(job, pod)) };
  }
  const indexes = firstPending(job, { ledger, count: missing, isDue: () => true });
  return {
    actions: indexes.map((index) => createPod(job, newIndexedPod(job, { index, failures: undefined }))),
  };
}

function wantedActive({ spec }: Job, { succeeded, active }: Ledger): number {
  if (spec.suspend === true) return 0;
  const { parallelism = 1, completions } = spec;
  // The pods of a work queue know when it is empty: after the first success none is added, and none taken back.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** Of an Indexed Job first the pods whose index is done, foreign or taken by another. */
function surplusPods(
  job: Job,
  { ledger, wanted, nowMs }: { readonly ledger: Ledger; readonly wanted: number; readonly nowMs: number },
): readonly Pod[] {
  const { active } = ledger;
  const misplaced = isIndexed(job) ? misplacedPods(job, ledger) : [];
  const atLeast = Math.max(0, active.length - wanted);
  if (misplaced.length >= atLeast) return misplaced;
  const others = active.filter((pod) => !misplaced.includes(pod));
  const ranked = leastUsefulFirst(others, { related: [], nowMs });
  return [...misplaced, ...ranked.slice(0, atLeast - misplaced.length)];
}

function misplacedPods(job: Job, { active, completedIndexes, failedIndexes }: Ledger): readonly Pod[] {
  const taken = new Set<number>();
  const byAge = [...active].sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1));
  return byAge.filter((pod) => {
    const index = indexOf(job, pod);
    if (index === undefined || taken.has(index)) return true;
    taken.add(index);
    return hasIndex(completedIndexes, index) || hasIndex(failedIndexes, index);
  });
}

interface Pending {
  readonly ledger: Ledger;
  readonly count: number;
  readonly isDue: (index: number) => boolean;
}

/** The lowest indexes that have neither ended nor a pod. */
function firstPending(job: Job, { ledger, count, isDue }: Pending): readonly number[] {
  const { active, terminating, completedIndexes, failedIndexes } = ledger;
  const holding = job.spec.podReplacementPolicy === 'Failed' ? [...active, ...terminating] : active;
  const taken = new Set(holding.map((pod) => indexOf(job, pod)));
  const { completions = 0 } = job.spec;
  const found: number[] = [];
  for (let index = 0; index < completions && found.length < count; index++)
    if (!taken.has(index) && !hasIndex(completedIndexes, index) && !hasIndex(failedIndexes, index) && isDue(index))
      found.push(index);
  return found;
}

/** Each index waits for itself. */
function replaceEach(
  job: Job,
  { ledger, missing, nowMs }: { readonly ledger: Ledger; readonly missing: number; readonly nowMs: number },
): Scaling {
  const { toReplace } = ledger;
  let againInMs: number | undefined;
  const isDue = (index: number): boolean => {
    const failed = toReplace.get(index);
    if (failed === undefined) return true;
    const { counted, ignored } = failuresBefore(failed);
    const leftMs = waitMs({ failures: counted + ignored + 1, lastMs: finishedMs(failed), nowMs });
    if (leftMs > 0) againInMs = sooner(againInMs, leftMs);
    return leftMs <= 0;
  };
  const indexes = firstPending(job, { ledger, count: missing, isDue });
  const actions = indexes.map((index) =>
    createPod(job, newIndexedPod(job, { index, failures: failuresAfter(job, toReplace.get(index)) })),
  );
  return { actions, againInMs };
}

/** Indexes that have ended, one way or the other. */
export function endedIndexes({ completedIndexes, failedIndexes }: Ledger): number {
  return countIndexes(completedIndexes) + countIndexes(failedIndexes);
}
