import { describe, expect, test } from 'vitest';
import type { CronJob, Job } from '../../api/generated/batch-v1.ts';
import { root } from '../../api/issue.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { freeze } from '../../base/freeze.ts';
import { cronjobDefinition } from './cronjob.ts';
import { jobDefinition } from './job.ts';

const nowMs = fromTimestamp('2026-01-01T01:00:00Z');
const metadata = {
  name: 'run',
  namespace: 'd',
  uid: 'u1',
  resourceVersion: '',
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const template = { spec: { containers: [{ name: 'c', image: 'busybox:1' }], restartPolicy: 'Never' } };
const lines = (issues: Iterable<{ readonly field: string; readonly message: string }> | undefined): string[] =>
  [...(issues ?? [])].map(({ field, message }) => `${field}: ${message}`);

function job(spec: object = {}, status?: object): Job {
  const given = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template, ...spec } } as unknown as Job;
  const created = jobDefinition.prepareForCreate?.(jobDefinition.defaults?.(given) ?? given, { nowMs: 0 }) ?? given;
  return freeze(status === undefined ? created : ({ ...created, status } as Job));
}

function cronjob(spec: object = {}, more: object = {}): CronJob {
  const given = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { ...metadata, ...more },
    spec: { schedule: '@daily', jobTemplate: { spec: { template } }, ...spec },
  } as unknown as CronJob;
  return cronjobDefinition.defaults?.(given) ?? given;
}

describe('a job', () => {
  const issues = (spec: object): string[] => lines(jobDefinition.validate?.(job(spec), root));
  const changes = (next: object, current: object, status: object = {}): string[] =>
    lines(jobDefinition.validateUpdate?.(job(next), job(current, status), root));

  test('gets its defaults and the labels that select its pods', () => {
    const labels = {
      'batch.kubernetes.io/controller-uid': 'u1',
      'controller-uid': 'u1',
      'batch.kubernetes.io/job-name': 'run',
      'job-name': 'run',
    };
    expect(job().spec).toMatchObject({
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u1' } },
      template: { metadata: { labels } },
    });
    expect(issues({})).toEqual([]);
  });

  test.each<[object, object]>([
    [{ completions: 5 }, { completions: 5, parallelism: 1 }],
    [{ parallelism: 3 }, { parallelism: 3 }],
    [{ completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1 }, { backoffLimit: 2_147_483_647 }],
    [
      { podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] } },
      {
        podReplacementPolicy: 'Failed',
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
        },
      },
    ],
  ])('with %j has %j', (spec, expected) => expect(job(spec).spec).toMatchObject(expected));

  test('work queues have no number of completions', () => {
    expect(job({ parallelism: 3 }).spec).not.toHaveProperty('completions');
  });

  test('a defaulted job stays the same object', () => {
    const once = job();
    expect(jobDefinition.defaults?.(once)).toBe(once);
  });

  test('it selects the pods that it makes, unless it chooses by hand', () => {
    const of = (spec: object): string[] =>
      [
        ...(jobDefinition.validateCreate?.(jobDefinition.prepareForCreate?.(job(spec), { nowMs }) as Job, root) ?? []),
      ].map(({ field, message }) => `${field}: ${message.replace(/\{.*\}/, '…')}`);
    expect(of({})).toEqual([]);
    const selector = { matchLabels: { a: 'b' } };
    expect(of({ selector })).toEqual(['spec.selector: Invalid value: …: `selector` not auto-generated']);
    expect(of({ selector, manualSelector: true })).toEqual([]);
  });

  test('it takes the labels of its template when it has none', () => {
    expect(job({ template: { ...template, metadata: { labels: { a: 'b' } } } }).metadata.labels).toEqual({ a: 'b' });
  });

  test.each<[string, object, readonly unknown[]]>([
    [
      'pods that always run',
      { template: { spec: { ...template.spec, restartPolicy: 'Always' } } },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'negative counts',
      { parallelism: -1, completions: -2 },
      [
        'spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
        'spec.completions: Invalid value: -2: must be greater than or equal to 0',
      ],
    ],
    [
      'indexes without number',
      { completionMode: 'Indexed', parallelism: 1 },
      ['spec.completions: Required value: when completion mode is Indexed'],
    ],
    [
      'an unknown mode',
      { completionMode: 'All' },
      ['spec.completionMode: Unsupported value: "All": supported values: "NonIndexed", "Indexed"'],
    ],
    [
      'limits per index without indexes',
      { backoffLimitPerIndex: 1 },
      ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    ],
    [
      'a rule about nothing',
      { podFailurePolicy: { rules: [{ action: 'FailJob' }] } },
      [
        'spec.podFailurePolicy.rules[0]: Invalid value: null: specifying one of OnExitCodes and OnPodConditions is required',
      ],
    ],
    [
      'a selector of its own that selects others',
      { manualSelector: true, selector: { matchLabels: { a: 'b' } } },
      ['spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    ],
    [
      'no selector where one is promised',
      { manualSelector: true },
      [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
      ],
    ],
    [
      'an exit code that is no failure',
      { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [0, 80] } }] } },
      ['spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator'],
    ],
    [
      'a condition of a status that is none',
      { podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'A', status: 'In' }] }] } },
      [
        'spec.podFailurePolicy.rules[0].onPodConditions[0].status: Unsupported value: "In": supported values: "False", "True", "Unknown"',
      ],
    ],
    [
      'an index that fails for itself where none may',
      { podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }] } },
      [
        'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
      ],
    ],
    [
      'more failed indexes than indexes',
      { completionMode: 'Indexed', completions: 2, maxFailedIndexes: 3 },
      [
        'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
        'spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions',
      ],
    ],
    [
      'a success policy without indexes',
      { successPolicy: { rules: [{ succeededCount: 1 }] } },
      ['spec.successPolicy: Invalid value: {"rules":[{"succeededCount":1}]}: requires indexed completion mode'],
    ],
    [
      'rules of success that say nothing, or too much',
      {
        completionMode: 'Indexed',
        completions: 3,
        successPolicy: {
          rules: [
            {},
            { succeededIndexes: '0,x' },
            { succeededIndexes: '2,1' },
            { succeededIndexes: '0-1', succeededCount: 3 },
          ],
        },
      },
      [
        'spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified',
        'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "0,x": error parsing succeededIndexes: cannot convert string to integer for index: "x"',
        'spec.successPolicy.rules[2].succeededIndexes: Invalid value: "2,1": error parsing succeededIndexes: non-increasing order, previous: 2, current: 1',
        'spec.successPolicy.rules[3].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
      ],
    ],
    [
      'a container without image',
      { template: { spec: { containers: [{ name: 'c' }], restartPolicy: 'Never' } } },
      ['spec.template.spec.containers[0].image: Required value'],
    ],
  ])('may not have %s', (_, spec, expected) => expect(issues(spec)).toEqual(expected));

  const elsewhere = { template: { spec: { ...template.spec, nodeSelector: { a: 'b' } } } };
  const other = { template: { spec: { ...template.spec, hostNetwork: true } } };
  test.each<[string, object, object, object, readonly string[]]>([
    ['its parallelism', { parallelism: 3, completions: 5 }, { completions: 5 }, {}, []],
    ['its completions', { completions: 4 }, { completions: 5 }, {}, ['spec.completions']],
    [
      'both, when every index runs at once',
      { completionMode: 'Indexed', completions: 4, parallelism: 4 },
      { completionMode: 'Indexed', completions: 2, parallelism: 2 },
      {},
      [],
    ],
    [
      'both, so that every index runs at once from now on',
      { completionMode: 'Indexed', completions: 3, parallelism: 3 },
      { completionMode: 'Indexed', completions: 5, parallelism: 2 },
      {},
      [],
    ],
    [
      'completions of indexes alone',
      { completionMode: 'Indexed', completions: 4, parallelism: 2 },
      { completionMode: 'Indexed', completions: 2, parallelism: 2 },
      {},
      ['spec.completions'],
    ],
    ['its template', other, {}, {}, ['spec.template']],
    [
      'placement once it has begun',
      elsewhere,
      { suspend: true },
      { startTime: '2026-01-01T00:00:00Z' },
      ['spec.template'],
    ],
    ['placement while it waits', elsewhere, { suspend: true }, {}, []],
    ['anything else while it waits', other, { suspend: true }, {}, ['spec.template']],
  ])('changing %s', (_, next, current, status, fields) =>
    expect(changes(next, current, status).map((line) => line.slice(0, line.indexOf(':')))).toEqual(fields),
  );

  const row = (object: Job): string =>
    jobDefinition.columns
      .slice(0, 3)
      .map(({ of }) => String(of(object, nowMs)))
      .join('|');
  const has = (type: string): object => ({ conditions: [{ type, status: 'True' }] });
  test.each<[string, Job]>([
    ['Running|0/1|', job()],
    ['Running|1/3|60m', job({ completions: 3 }, { succeeded: 1, startTime: '2026-01-01T00:00:00Z' })],
    [
      'Complete|1/1|90s',
      job(
        {},
        { ...has('Complete'), succeeded: 1, startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:01:30Z' },
      ),
    ],
    ['Failed|0/1|', job({}, has('Failed'))],
    ['Suspended|0/1|', job({ suspend: true }, has('Suspended'))],
    ['Running|0/1 of 3|', job({ parallelism: 3 })],
  ])('is shown as %s', (expected, object) => expect(row(object)).toBe(expected));
});

describe('a cron job', () => {
  const issues = (spec: object, more: object = {}): string[] =>
    lines(cronjobDefinition.validate?.(cronjob(spec, more), root));

  test('gets its defaults, its jobs get theirs later', () => {
    const { spec } = cronjob();
    expect(spec).toMatchObject({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    expect(spec.jobTemplate.spec).not.toHaveProperty('backoffLimit');
    expect(spec.jobTemplate.spec?.template.spec).toMatchObject({ dnsPolicy: 'ClusterFirst' });
    expect(issues({})).toEqual([]);
  });

  test.each<[string, object, readonly string[]]>([
    ['no schedule', { schedule: '' }, ['spec.schedule: Required value']],
    [
      'a schedule that is none',
      { schedule: 'daily' },
      ['spec.schedule: Invalid value: "daily": expected exactly 5 fields, found 1: [daily]'],
    ],
    [
      'a zone in the schedule',
      { schedule: 'TZ=UTC 0 0 * * *' },
      [
        'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    [
      'an unknown zone',
      { timeZone: 'Mars/Olympus' },
      ['spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus'],
    ],
    [
      'the zone of wherever',
      { timeZone: 'Local' },
      [
        'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ],
    ],
    [
      'an unknown policy',
      { concurrencyPolicy: 'Queue' },
      ['spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"'],
    ],
    [
      'negative limits',
      { failedJobsHistoryLimit: -1 },
      ['spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'a selector for its jobs',
      { jobTemplate: { spec: { template, selector: {} } } },
      ['spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated'],
    ],
    [
      'jobs that always run',
      { jobTemplate: { spec: { template: { spec: { containers: template.spec.containers } } } } },
      ['spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
  ])('may not have %s', (_, spec, expected) => expect(issues(spec)).toEqual(expected));

  test('leaves room in its name for the time', () => {
    expect(issues({}, { name: 'a'.repeat(52) })).toEqual([]);
    expect(issues({}, { name: 'a'.repeat(53) })).toEqual([
      `metadata.name: Invalid value: "${'a'.repeat(53)}": must be no more than 52 characters`,
    ]);
  });

  test('is shown with its last run', () => {
    const row = (object: CronJob): string =>
      cronjobDefinition.columns.map(({ name, of }) => `${name}=${of(object, nowMs)}`).join(' ');
    expect(row(cronjob())).toBe(
      'Schedule=@daily Timezone=<none> Suspend=False Active=0 Last Schedule=<none> Containers=c Images=busybox:1 Selector=<none>',
    );
    expect(
      row({
        ...cronjob({ timeZone: 'Etc/UTC', suspend: true }),
        status: { active: [{}], lastScheduleTime: '2026-01-01T00:58:00Z' },
      }),
    ).toContain('Timezone=Etc/UTC Suspend=True Active=1 Last Schedule=2m ');
  });
});
