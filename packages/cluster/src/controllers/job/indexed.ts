import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { completionIndexKey } from '../../resources/batch/facts.ts';
import { judgeFailure } from './failure-policy.ts';

/** How often the index has failed before this pod, as far as it counts, and how often it did not count. */
const failuresKey = 'batch.kubernetes.io/job-index-failure-count';
const ignoredKey = 'batch.kubernetes.io/job-index-ignored-failure-count';

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed';
}

export function hasLimitPerIndex({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed' && spec.backoffLimitPerIndex !== undefined;
}

/** Which index the pod is; undefined where it says none that the Job has. */
export function indexOf({ spec }: Job, { metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[completionIndexKey];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const index = Number(text);
  return index < (spec.completions ?? 0) ? index : undefined;
}

export interface IndexFailures {
  readonly counted: number;
  readonly ignored: number;
}

/** What was written on the pod when it was made. */
export function failuresBefore({ metadata }: Pod): IndexFailures {
  const read = (key: string): number => {
    const text = metadata.annotations?.[key] ?? '0';
    return /^\d+$/.test(text) ? Number(text) : 0;
  };
  return { counted: read(failuresKey), ignored: read(ignoredKey) };
}

/** Those before the pod that takes the place of a failed one. */
export function failuresAfter(job: Job, failed: Pod | undefined): IndexFailures {
  if (failed === undefined) return { counted: 0, ignored: 0 };
  const { counted, ignored } = failuresBefore(failed);
  return judgeFailure(job, failed).action === 'Ignore'
    ? { counted, ignored: ignored + 1 }
    : { counted: counted + 1, ignored };
}

export function failureAnnotations({ counted, ignored }: IndexFailures): Readonly<Record<string, string>> {
  return { [failuresKey]: String(counted), ...(ignored > 0 && { [ignoredKey]: String(ignored) }) };
}

/** Whether this failure is the index's last. */
export function endsIndex(job: Job, failed: Pod): boolean {
  const { action } = judgeFailure(job, failed);
  if (action === 'FailIndex') return true;
  return action !== 'Ignore' && failuresBefore(failed).counted >= (job.spec.backoffLimitPerIndex ?? 0);
}
