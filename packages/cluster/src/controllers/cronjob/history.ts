import type { CronJob, Job } from '../../api/generated/batch-v1.ts';
import { jobs as jobsType } from '../../api/generated/kinds.ts';
import { jobEnd } from '../../resources/batch/facts.ts';
import type { Delete } from '../../runtime/plan.ts';

/** Ended Jobs beyond those that are kept, the oldest first: succeeded and failed ones are counted apart. */
export function surplusJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  return [
    ...beyond(
      spec.successfulJobsHistoryLimit,
      jobs.filter((job) => jobEnd(job)?.type === 'Complete'),
    ),
    ...beyond(
      spec.failedJobsHistoryLimit,
      jobs.filter((job) => jobEnd(job)?.type === 'Failed'),
    ),
  ];
}

function beyond(limit: number | undefined, jobs: readonly Job[]): readonly Job[] {
  if (limit === undefined || jobs.length <= limit) return [];
  return [...jobs]
    .sort(byStart)
    .slice(0, jobs.length - limit)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

function byStart(a: Job, b: Job): number {
  const [left, right] = [a, b].map(({ metadata, status }) => `${status.startTime ?? '~'} ${metadata.name}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

export function deleteJob(cronjob: CronJob, job: Job): Delete {
  const { name } = job.metadata;
  return {
    do: 'delete',
    type: jobsType,
    target: job,
    options: { propagationPolicy: 'Background' },
    announce: {
      regarding: cronjob,
      done: { reason: 'SuccessfulDelete', note: `Deleted job ${name}` },
      failed: { reason: 'FailedDelete', note: 'Deleted job: {error}' },
    },
  };
}
