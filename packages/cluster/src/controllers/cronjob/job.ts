import type { CronJob, Job } from '../../api/generated/batch-v1.ts';
import { jobs } from '../../api/generated/kinds.ts';
import type { New } from '../../api/meta.ts';
import { toZonedTimestamp } from '../../resources/batch/cron-times.ts';
import type { Create } from '../../runtime/plan.ts';
import { controllerReference } from '../../workloads/owner.ts';

const scheduledKey = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The minute for which it was to be made stands in its name, so that none is made twice. */
export function jobName({ metadata }: CronJob, atMs: number): string {
  return `${metadata.name}-${Math.floor(atMs / 60_000)}`;
}

export function jobOf(cronjob: CronJob, atMs: number): Create {
  const { jobTemplate, timeZone = 'UTC' } = cronjob.spec;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const { namespace } = cronjob.metadata;
  const object = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(cronjob, atMs),
      ...(namespace !== undefined && { namespace }),
      ...(labels !== undefined && { labels }),
      annotations: { ...annotations, [scheduledKey]: toZonedTimestamp(atMs, { timeZone }) },
      ownerReferences: [controllerReference(cronjob)],
    },
    spec: jobTemplate.spec ?? {},
  } as New<Job>;
  return {
    do: 'create',
    type: jobs,
    object,
    announce: {
      regarding: cronjob,
      done: { reason: 'SuccessfulCreate', note: 'Created job {name}' },
      failed: { reason: 'FailedCreate', note: 'Error creating job: {error}' },
    },
  };
}
