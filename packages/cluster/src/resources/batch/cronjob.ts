import type { CronJob, CronJobSpec } from '../../api/generated/batch-v1.ts';
import { cronjobs } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { selectorColumn, templateColumns } from '../apps/workload-columns.ts';
import { validateNotNegative } from '../apps/workload-validation.ts';
import { ageOf, column, integerColumn } from '../columns.ts';
import { amend, amendPart, fill } from '../core/pod/fill.ts';
import { defaultPodTemplate } from '../core/pod/template.ts';
import { nameWarnings, templateWarnings } from '../core/pod/warnings.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { requiredOneOf } from '../validation/fields.ts';
import { cronScheduleFault, namesTimeZone, timeZoneFault } from './cron-schedule.ts';
import { validateJobTemplate } from './job-validation.ts';

const nameLengthMax = 52;

/** Jobs at certain times (`controllers/cronjob/`). */
export const cronjobDefinition: ResourceDefinition<CronJob> = defineResource(cronjobs, {
  schema: 'io.k8s.api.batch.v1.CronJob',
  traits: { counted: true },
  hasStatus: true,
  shortNames: ['cj'],
  categories: ['all'],
  columns: [
    column('Schedule', ({ spec }) => spec.schedule),
    column('Timezone', ({ spec }) => spec.timeZone ?? '<none>'),
    { name: 'Suspend', type: 'boolean', of: ({ spec }) => suspendText(spec.suspend) },
    integerColumn('Active', ({ status }) => status?.active?.length ?? 0),
    column('Last Schedule', ({ status }, nowMs) =>
      status?.lastScheduleTime === undefined ? '<none>' : ageOf(status.lastScheduleTime, nowMs),
    ),
    ...templateColumns<CronJob>(({ spec }) => spec.jobTemplate.spec?.template),
    selectorColumn(({ spec }) => spec.jobTemplate.spec?.selector),
  ],
  defaults: (job) => amendPart(job, 'spec', defaultSpec),
  prepareForCreate: (job) => ({ ...job, status: {} }),
  validate: validateCronJob,
  warnings: (next, current) =>
    templateWarnings(next.spec?.jobTemplate?.spec?.template, { path: 'spec.jobTemplate.spec.template', next, current }),
  warningsOfNew: ({ metadata }) => nameWarnings(metadata.name),
});

const specFields = Object.freeze({
  concurrencyPolicy: 'Allow',
  suspend: false,
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
});

/** Shown also where it says nothing. */
const templateFields = Object.freeze({ metadata: Object.freeze({}) });

function defaultSpec(given: CronJobSpec): CronJobSpec {
  // The job's own defaults wait until the job is made.
  return amendPart(fill<CronJobSpec>(given, specFields), 'jobTemplate', (jobTemplate) =>
    amend(fill(jobTemplate, templateFields), 'spec', (spec) =>
      amendPart(spec, 'template', (template) => defaultPodTemplate(fill(template, templateFields))),
    ),
  );
}

function* validateCronJob({ metadata, spec }: CronJob, root: FieldPath): Iterable<Issue> {
  const at = root('spec');
  yield* validateSchedule(spec, at);
  yield* validateNotNegative(spec, at, [
    'startingDeadlineSeconds',
    'successfulJobsHistoryLimit',
    'failedJobsHistoryLimit',
  ]);
  yield* requiredOneOf(spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace'], at('concurrencyPolicy'));
  yield* validateJobTemplate(spec.jobTemplate ?? {}, at('jobTemplate'));
  // The time of each run is appended to the name, and the whole must still be a name.
  if (metadata.name.length > nameLengthMax)
    yield root('metadata', 'name').invalid(metadata.name, `must be no more than ${nameLengthMax} characters`);
}

function* validateSchedule({ schedule = '', timeZone }: Partial<CronJobSpec>, at: FieldPath): Iterable<Issue> {
  if (schedule === '') yield at('schedule').required();
  else if (namesTimeZone(schedule))
    yield at('schedule').invalid(schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  else {
    const fault = cronScheduleFault(schedule);
    if (fault !== undefined) yield at('schedule').invalid(schedule, fault);
  }
  if (timeZone === undefined) return;
  if (timeZone === '') yield at('timeZone').invalid(timeZone, 'timeZone must be nil or non-empty string');
  else if (timeZone.toLowerCase() === 'local')
    yield at('timeZone').invalid(
      timeZone,
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    );
  else {
    const fault = timeZoneFault(timeZone);
    if (fault !== undefined) yield at('timeZone').invalid(timeZone, fault);
  }
}

function suspendText(suspend: boolean | undefined): string {
  if (suspend === undefined) return '<unset>';
  return suspend ? 'True' : 'False';
}
