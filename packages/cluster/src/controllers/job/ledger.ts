import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { isTracked, jobCondition } from '../../resources/batch/facts.ts';
import {
  countIndexes,
  hasIndex,
  type Indexes,
  noIndexes,
  parseIndexes,
  withIndexes,
} from '../../resources/batch/indexes.ts';
import { isPodActive } from '../../resources/core/pod/facts.ts';
import { judgeFailure } from './failure-policy.ts';
import { endsIndex, failuresBefore, hasLimitPerIndex, indexOf, isIndexed } from './indexed.ts';

/**
 * How many pods have ended, exactly, whatever dies in between. A pod carries a finalizer until it is counted, and is counted in three
 * writes that each may be the last: its uid is noted in the Job's status, its finalizer is taken off, and what is noted
 * and has no finalizer any more moves into the numbers. What succeeded of an Indexed Job needs no uid: its index is noted for good.
 */
export interface Ledger {
  readonly active: readonly Pod[];
  /** On their way out, and still there. */
  readonly terminating: readonly Pod[];
  /** As far as they can be seen, counted or not: for the back-off. */
  readonly ended: { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] };
  /** Pods that the status has to note before they may go. */
  readonly noting: { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] };
  /** Pods whose finalizer has no purpose any more, as the status stands. */
  readonly settled: readonly Pod[];
  readonly completedIndexes: Indexes;
  readonly failedIndexes: Indexes;
  /** With what is seen and not yet noted. */
  readonly succeeded: number;
  readonly failed: number;
  /** The last failed pod of each index that has to be tried again: it says how often, so it stays until another says it. */
  readonly toReplace: ReadonlyMap<number, Pod>;
}

/** As many uids at most are noted at a time. */
const uncountedMax = 500;

export function ledgerOf(job: Job, pods: readonly Pod[]): Ledger {
  const noted = notedOf(job);
  const isEnding = isDecided(job);
  // From the decision on that the Job fails, whatever has not succeeded has failed. What is stopped because it succeeds has not.
  const fails = jobCondition(job, 'FailureTarget') !== undefined;
  const tracked = pods.filter(isTracked);
  const isLost = (pod: Pod): boolean => pod.status.phase !== 'Succeeded' && (fails || hasFailed(job, pod));
  const succeededPods = tracked.filter(
    (pod) => pod.status.phase === 'Succeeded' && !noted.failed.has(pod.metadata.uid),
  );
  const lostPods = tracked.filter((pod) => isLost(pod) && !noted.succeeded.has(pod.metadata.uid));
  const valid = (pod: Pod): boolean => !isIndexed(job) || indexOf(job, pod) !== undefined;
  const failing = lostPods.filter(
    (pod) => valid(pod) && !noted.failed.has(pod.metadata.uid) && judgeFailure(job, pod).action !== 'Ignore',
  );
  const known = knownIndexes(job);
  const indexes = withNew(job, { known, succeededPods, lostPods, isEnding });
  const active = pods.filter(isPodActive);
  const toReplace = isEnding ? new Map<number, Pod>() : replaceable(job, { lostPods, active, indexes });
  const kept = new Set([...toReplace.values()].map(({ metadata }) => metadata.uid));
  const succeeding = isIndexed(job) ? [] : succeededPods.filter(({ metadata }) => !noted.succeeded.has(metadata.uid));
  const room = uncountedMax - noted.succeeded.size - noted.failed.size;
  const notingSucceeded = succeeding.slice(0, Math.max(0, room));
  const notingFailed = failing.slice(0, Math.max(0, room - notingSucceeded.length));
  const due = new Set([...succeeding, ...failing]);
  return {
    active,
    terminating: pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !hasEnded(pod)),
    ended: {
      succeeded: pods.filter(({ status }) => status.phase === 'Succeeded'),
      failed: pods.filter((pod) => pod.status.phase === 'Failed' || (isTracked(pod) && hasFailed(job, pod))),
    },
    noting: { succeeded: notingSucceeded, failed: notingFailed },
    settled: tracked.filter(
      (pod) =>
        !due.has(pod) &&
        !kept.has(pod.metadata.uid) &&
        isSettled(job, { pod, known, noted, isLost: isLost(pod), isEnding }),
    ),
    ...indexes,
    succeeded: isIndexed(job)
      ? countIndexes(indexes.completedIndexes)
      : (job.status.succeeded ?? 0) + noted.succeeded.size + succeeding.length,
    failed: (job.status.failed ?? 0) + noted.failed.size + failing.length,
    toReplace,
  };
}

/** Whether it is written down that the Job ends, and how. */
export function isDecided(job: Job): boolean {
  return jobCondition(job, 'FailureTarget') !== undefined || jobCondition(job, 'SuccessCriteriaMet') !== undefined;
}

/** Whether the pod counts as failed: by default as soon as it is being deleted, by `podReplacementPolicy: Failed` when it is over. */
export function hasFailed({ spec }: Job, { metadata, spec: podSpec, status }: Pod): boolean {
  if (status.phase === 'Failed') return true;
  if (metadata.deletionTimestamp === undefined || status.phase === 'Succeeded') return false;
  // What was never given to a node will not say how it ended.
  return spec.podReplacementPolicy !== 'Failed' || (podSpec.nodeName ?? '') === '';
}

function hasEnded({ status, spec }: Pod): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed' || (spec.nodeName ?? '') === '';
}

interface Noted {
  readonly succeeded: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
}

function notedOf({ status }: Job): Noted {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return { succeeded: new Set(succeeded), failed: new Set(failed) };
}

function isNoted({ succeeded, failed }: Noted, uid: string): boolean {
  return succeeded.has(uid) || failed.has(uid);
}

type Known = Pick<Ledger, 'completedIndexes' | 'failedIndexes'>;

function knownIndexes(job: Job): Known {
  if (!isIndexed(job)) return { completedIndexes: noIndexes, failedIndexes: noIndexes };
  const { completions = 0 } = job.spec;
  const { completedIndexes, failedIndexes } = job.status;
  return {
    completedIndexes: parseIndexes(completedIndexes, completions),
    failedIndexes: parseIndexes(failedIndexes, completions),
  };
}

interface Ended {
  readonly known: Known;
  readonly isEnding: boolean;
  readonly succeededPods: readonly Pod[];
  readonly lostPods: readonly Pod[];
}

function withNew(job: Job, { known, succeededPods, lostPods, isEnding }: Ended): Known {
  if (!isIndexed(job)) return known;
  const indexesOf = (pods: readonly Pod[]): readonly number[] =>
    pods.map((pod) => indexOf(job, pod)).filter((index) => index !== undefined);
  const completedIndexes = withIndexes(known.completedIndexes, indexesOf(succeededPods));
  if (!hasLimitPerIndex(job)) return { ...known, completedIndexes };
  // When the Job ends all of a sudden its running indexes have not failed: they were stopped.
  const wasStopped = ({ metadata, status }: Pod): boolean =>
    isEnding && (metadata.deletionTimestamp !== undefined || status.phase !== 'Failed');
  const ending = lostPods.filter((pod) => !wasStopped(pod) && endsIndex(job, pod));
  const failed = indexesOf(ending).filter((index) => !hasIndex(completedIndexes, index));
  return { completedIndexes, failedIndexes: withIndexes(known.failedIndexes, failed) };
}

/** By index the failed pod that knows of the most failures, where nothing runs yet and something has to. */
function replaceable(
  job: Job,
  {
    lostPods,
    active,
    indexes,
  }: {
    readonly lostPods: readonly Pod[];
    readonly active: readonly Pod[];
    readonly indexes: Known;
  },
): ReadonlyMap<number, Pod> {
  const found = new Map<number, Pod>();
  if (!hasLimitPerIndex(job)) return found;
  const running = new Set(active.map((pod) => indexOf(job, pod)));
  const failuresOf = (pod: Pod): number => {
    const { counted, ignored } = failuresBefore(pod);
    return counted + ignored;
  };
  for (const pod of lostPods) {
    const index = indexOf(job, pod);
    if (index === undefined || running.has(index)) continue;
    if (hasIndex(indexes.completedIndexes, index) || hasIndex(indexes.failedIndexes, index)) continue;
    const other = found.get(index);
    if (other === undefined || failuresOf(pod) > failuresOf(other)) found.set(index, pod);
  }
  return found;
}

/** Whether the status, as it is stored, says all that has to be known of the pod. */
function isSettled(
  job: Job,
  {
    pod,
    known,
    noted,
    isLost,
    isEnding,
  }: {
    readonly pod: Pod;
    readonly known: Known;
    readonly noted: Noted;
    readonly isLost: boolean;
    readonly isEnding: boolean;
  },
): boolean {
  if (isNoted(noted, pod.metadata.uid)) return true;
  // Of a Job that has succeeded nobody waits to hear how the last ones end.
  if (!isLost && pod.status.phase !== 'Succeeded') return isEnding && pod.metadata.deletionTimestamp !== undefined;
  const index = indexOf(job, pod);
  // An index that the Job does not have, or an end that does not count, is never noted.
  if (isIndexed(job) && index === undefined) return true;
  if (pod.status.phase === 'Succeeded') return index !== undefined && hasIndex(known.completedIndexes, index);
  return judgeFailure(job, pod).action === 'Ignore';
}
