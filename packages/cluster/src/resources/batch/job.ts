import type { Job, JobSpec } from '../../api/generated/batch-v1.ts';
import { jobs } from '../../api/generated/kinds.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { selectorColumn, templateColumns } from '../apps/workload-columns.ts';
import { column, humanDuration } from '../columns.ts';
import { amend, amendPart, each, fill } from '../core/pod/fill.ts';
import { defaultPodTemplate } from '../core/pod/template.ts';
import { nameWarnings, templateWarnings } from '../core/pod/warnings.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { validateJobStatus } from './job-status-validation.ts';
import { validateJob, validateJobUpdate, validateNewJob } from './job-validation.ts';

/** Pods that run until they have succeeded often enough (`controllers/job/`). */
export const jobDefinition: ResourceDefinition<Job> = defineResource(jobs, {
  schema: 'io.k8s.api.batch.v1.Job',
  traits: { counted: true, orphansByDefault: true },
  hasStatus: true,
  categories: ['all'],
  columns: [
    column('Status', statusText),
    column('Completions', completionsText),
    column('Duration', durationText),
    ...templateColumns<Job>(({ spec }) => spec.template),
    selectorColumn(({ spec }) => spec.selector),
  ],
  selectableFields: [{ path: 'status.successful', of: ({ status }) => String(status?.succeeded ?? 0) }],
  defaults: defaultJob,
  prepareForCreate: (job) => ({ ...withTemplateLabels(withOwnSelector(job)), status: {} }),
  validate: validateJob,
  validateCreate: validateNewJob,
  warnings: (next, current) => templateWarnings(next.spec?.template, { path: 'spec.template', next, current }),
  deleteWarnings: ({ propagationPolicy }) => (propagationPolicy === undefined ? [podsStay] : []),
  validateUpdate: validateJobUpdate,
  validateStatusUpdate: validateJobStatus,
  warningsOfNew: ({ metadata }) => nameWarnings(metadata.name),
});

const podsStay =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

const specFields = Object.freeze({
  completionMode: 'NonIndexed',
  manualSelector: false,
  suspend: false,
});
const unlimited = 2_147_483_647;

function defaultJob(given: Job): Job {
  return withTemplateLabels(amendPart(given, 'spec', defaultSpec));
}

/** A job without labels wears those of its pods. */
function withTemplateLabels(job: Job): Job {
  const labels = job.spec.template.metadata?.labels ?? {};
  const labelled = Object.keys(job.metadata.labels ?? {}).length > 0 || Object.keys(labels).length === 0;
  return labelled ? job : { ...job, metadata: { ...job.metadata, labels } };
}

function defaultSpec(given: JobSpec): JobSpec {
  const { completions, parallelism, backoffLimitPerIndex, podFailurePolicy } = given;
  const once = completions === undefined && parallelism === undefined;
  const spec = fill<JobSpec>(given, {
    ...specFields,
    ...(once && { completions: 1 }),
    ...(parallelism === undefined && { parallelism: 1 }),
    backoffLimit: backoffLimitPerIndex === undefined ? 6 : unlimited,
    podReplacementPolicy: podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  });
  return amend(amendPart(spec, 'template', defaultPodTemplate), 'podFailurePolicy', (policy) =>
    amend(policy, 'rules', (rules) =>
      each(rules, (rule) =>
        amend(rule, 'onPodConditions', (patterns) => each(patterns, (pattern) => fill(pattern, { status: 'True' }))),
      ),
    ),
  );
}

const uidLabel = 'batch.kubernetes.io/controller-uid';

/** Unless the user insists on a selector of their own, a job selects the pods that carry its uid. */
function withOwnSelector(job: Job): Job {
  if (job.spec.manualSelector === true) return job;
  const { uid, name } = job.metadata;
  const { selector, template } = job.spec;
  const labels = {
    [uidLabel]: uid,
    'controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'job-name': name,
    ...template.metadata?.labels,
  };
  return {
    ...job,
    spec: {
      ...job.spec,
      selector: { ...selector, matchLabels: { [uidLabel]: uid, ...selector?.matchLabels } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

const tellingConditions = ['SuccessCriteriaMet', 'FailureTarget', 'Suspended', 'Failed', 'Complete'];

function statusText({ metadata, status }: Job): string {
  const has = (type: string): boolean =>
    (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  return tellingConditions.findLast(has) ?? 'Running';
}

function completionsText({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText({ status }: Job, nowMs: number): string {
  if (status?.startTime === undefined) return '';
  const endMs = status.completionTime === undefined ? nowMs : fromTimestamp(status.completionTime);
  return humanDuration(endMs - fromTimestamp(status.startTime));
}
