import type { Job } from '../../api/generated/batch-v1.ts';
import { jobs } from '../../api/generated/kinds.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { jobEnd } from '../../resources/batch/facts.ts';
import { nothingToDo, type Plan } from '../../runtime/plan.ts';

export interface Observed {
  readonly job: Job;
}

export function plan({ job }: Observed, nowMs: number): Plan {
  const { ttlSecondsAfterFinished } = job.spec;
  const endMs = fromTimestamp(jobEnd(job)?.lastTransitionTime ?? '');
  if (ttlSecondsAfterFinished === undefined || Number.isNaN(endMs)) return nothingToDo;
  if (job.metadata.deletionTimestamp !== undefined) return nothingToDo;
  const leftMs = endMs + ttlSecondsAfterFinished * 1_000 - nowMs;
  if (leftMs > 0) return { actions: [], againInMs: leftMs };
  // Its pods go with it, and before it. Whoever changes the time to live at this moment is heard: the version has to be this one.
  const options = {
    propagationPolicy: 'Foreground',
    preconditions: { resourceVersion: job.metadata.resourceVersion },
  } as const;
  return { actions: [{ do: 'delete', type: jobs, target: job, options }] };
}
