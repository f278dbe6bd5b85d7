import { beforeEach, expect, test } from 'vitest';
import type { CronJob, Job } from '../api/generated/batch-v1.ts';
import { cronjobs, events, jobs } from '../api/generated/kinds.ts';
import { toTimestamp } from '../base/clock.ts';
import { cronjobController } from '../controllers/cronjob/controller.ts';
import { asked, causesOf, rowsOf } from '../testing/asked.ts';
import { createWorld, meta, podSpec, reconcile, startMs, terminating, type World } from '../testing/plan-world.ts';
import type { Explanation } from './explanation.ts';

const minuteMs = 60_000;
const jobAt = (atMs: number): string => `report-${atMs / minuteMs}`;
let world: World;
beforeEach(() => {
  world = createWorld();
});

function put(spec: Partial<CronJob['spec']> = {}, status: CronJob['status'] = {}): CronJob {
  return world.put(cronjobs, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: meta('report', { creationTimestamp: toTimestamp(startMs) }),
    spec: {
      schedule: '*/10 * * * *',
      jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
      ...spec,
    },
    status,
  });
}

/** All that falls due happens until then. */
function run(untilMs: number): void {
  for (; world.nowMs <= untilMs; world.nowMs += minuteMs)
    for (let round = 0; round < 4; round++) {
      reconcile(world, { controller: cronjobController, key: 'default/report' });
      for (const job of world.list(jobs)) if (job.status === undefined) world.put(jobs, asStored(job));
    }
  world.nowMs = untilMs;
}

/** With what the API adds. */
function asStored(job: Job): Job {
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': job.metadata.uid } };
  return { ...job, spec: { ...job.spec, selector }, status: {} };
}

function end(job: Job, type: 'Complete' | 'Failed'): void {
  const condition = { type, status: 'True', reason: type === 'Failed' ? 'BackoffLimitExceeded' : 'CompletionsReached' };
  world.put(jobs, { ...job, status: { conditions: [condition] } });
}

const told = (): Explanation => asked(world, { type: cronjobs, name: 'report' });

test('one that goes on says when it comes due, and what became of its Jobs', () => {
  put();
  expect(told()).toMatchObject({
    outcome: 'settled',
    summary: 'comes due in 10m, at 2024-01-01T00:10:00Z',
    causes: [],
    facts: { schedule: '*/10 * * * *', timeZone: 'UTC', concurrencyPolicy: 'Allow', active: 0 },
  });
  run(startMs + 12 * minuteMs);
  const explanation = told();
  expect(explanation.summary).toBe('comes due in 8m, at 2024-01-01T00:20:00Z');
  expect(explanation.facts).toMatchObject({ lastScheduleTime: '2024-01-01T00:10:00Z', active: 1 });
  expect(rowsOf(explanation)).toEqual([`${jobAt(startMs + 10 * minuteMs)}: runs`]);
});

test('a time zone is told with the time there', () => {
  put({ schedule: '30 9 * * *', timeZone: 'Asia/Tokyo' });
  expect(told()).toMatchObject({
    summary: 'comes due in 30m, at 2024-01-01T00:30:00Z',
    facts: { timeZone: 'Asia/Tokyo', nextThere: '2024-01-01T09:30:00+09:00' },
  });
});

test('a suspended one waits, and says what comes at once when it goes on', () => {
  put({ suspend: true });
  expect(told()).toMatchObject({ outcome: 'waits', summary: 'is suspended' });
  expect(causesOf(told())).toEqual([
    'it is suspended → kubectl patch cronjob report -p \'{"spec":{"suspend":false}}\'',
  ]);
  world.nowMs = startMs + 25 * minuteMs;
  const patch = 'kubectl patch cronjob report -p \'{"spec":{"suspend":false}}\'';
  expect(told().causes[0]?.mend).toBe(`${patch} (it starts the Job of 2024-01-01T00:20:00Z at once then)`);
  put({ suspend: true, startingDeadlineSeconds: 60 });
  expect(told().causes[0]?.mend).toBe(patch);
});

test('Forbid: the one that runs is named', () => {
  put({ concurrencyPolicy: 'Forbid' });
  run(startMs + 21 * minuteMs);
  const running = jobAt(startMs + 10 * minuteMs);
  expect(causesOf(told())).toEqual([
    `the Job of 2024-01-01T00:20:00Z is not started while ${running} runs (concurrencyPolicy Forbid) → signalbox explain job ${running}; or let them overlap: concurrencyPolicy Allow, or Replace`,
  ]);
  expect(told().outcome).toBe('waits');
});

test('a start that was missed by its deadline', () => {
  put({ startingDeadlineSeconds: 700, schedule: '0 * * * *' }, { lastScheduleTime: toTimestamp(startMs) });
  world.nowMs = startMs + 70 * minuteMs;
  expect(causesOf(told())).toEqual([
    'it is due since 2024-01-01T01:00:00Z, and its controller is about to make the Job',
  ]);
  world.nowMs = startMs + 80 * minuteMs;
  // What is older than the deadline is not due any more at all.
  expect(told()).toMatchObject({ outcome: 'settled', summary: 'comes due in 40m, at 2024-01-01T02:00:00Z' });
  expect(causesOf(told())).toEqual([
    'the start of 2024-01-01T01:00:00Z was missed: startingDeadlineSeconds 700 are over → run it now: kubectl create job --from=cronjob/report report-by-hand',
  ]);
  put({ startingDeadlineSeconds: 700, schedule: '0 * * * *' }, { lastScheduleTime: '2024-01-01T01:00:00Z' });
  expect(causesOf(told())).toEqual([]);
});

test('more than a hundred missed starts', () => {
  put({ schedule: '* * * * *' });
  world.nowMs = startMs + 200 * minuteMs;
  expect(told().causes.map(({ cause }) => cause)).toEqual([
    'more than 100 starts were missed; only the last of them counts',
    'it is due since 2024-01-01T03:20:00Z, and its controller is about to make the Job',
  ]);
});

test('a Job that the API refuses', () => {
  const cronjob = put();
  world.nowMs = startMs + 10 * minuteMs;
  const message = 'jobs.batch is forbidden: exceeded quota: few';
  world.put(events, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: meta('report.1'),
    involvedObject: { uid: cronjob.metadata.uid },
    type: 'Warning',
    reason: 'FailedCreate',
    message: `Error creating job: ${message}`,
  });
  expect(causesOf(told())).toEqual([
    `it is due since 2024-01-01T00:10:00Z, and its Job cannot be made: ${message} → raise the ResourceQuota, or request less`,
  ]);
});

test('the last Job that has ended counts', () => {
  put();
  run(startMs + 21 * minuteMs);
  for (const job of world.list(jobs)) end(job, 'Failed');
  const last = jobAt(startMs + 20 * minuteMs);
  world.put(jobs, {
    ...world.list(jobs).find(({ metadata }) => metadata.name === last),
    metadata: {
      ...world.list(jobs).find(({ metadata }) => metadata.name === last)?.metadata,
      creationTimestamp: toTimestamp(world.nowMs),
    },
  } as Job);
  expect(told()).toMatchObject({ outcome: 'failed' });
  expect(causesOf(told())).toEqual([
    `its last Job ${last} failed: BackoffLimitExceeded, and so did the 1 one before that is still there → signalbox explain job ${last}`,
  ]);
  for (const job of world.list(jobs)) end(job, 'Complete');
  expect(told()).toMatchObject({ outcome: 'settled', causes: [] });
});

test.each<[Partial<CronJob['spec']>, string]>([
  [{ schedule: '61 * * * *' }, 'unparseable schedule: "61 * * * *"'],
  [{ timeZone: 'Nowhere/City' }, 'invalid timeZone: "Nowhere/City"'],
  [{ schedule: '0 0 30 2 *' }, 'its schedule 0 0 30 2 * never comes due'],
])('one that never comes due has failed: %j', (spec, words) => {
  put(spec);
  const explanation = told();
  expect(explanation).toMatchObject({ outcome: 'failed', summary: 'never starts a Job' });
  expect(explanation.causes[0]?.cause).toContain(words);
  expect(explanation.causes[0]?.mend).toContain('kubectl edit cronjob report');
});

test('one that is going', () => {
  const cronjob = put();
  world.put(
    cronjobs,
    terminating({ ...cronjob, metadata: { ...cronjob.metadata, finalizers: ['foregroundDeletion'] } }),
  );
  expect(told()).toMatchObject({ outcome: 'waits', summary: 'is being deleted' });
  expect(causesOf(told())).toEqual(['it is being deleted, and what it owns goes first (foregroundDeletion)']);
});

test('a Job of it that gets nowhere is told, with what keeps it', () => {
  put();
  run(startMs + 10 * minuteMs);
  expect(told()).toMatchObject({ outcome: 'settled', causes: [] });
  const name = jobAt(startMs + 10 * minuteMs);
  const refuse = (): void => {
    for (const { metadata } of world.list(jobs))
      world.put(events, {
        ...{ apiVersion: 'v1', kind: 'Event', metadata: meta(`${metadata.name}.told`), type: 'Warning' },
        ...{ reason: 'FailedCreate', involvedObject: { kind: 'Job', name: metadata.name, uid: metadata.uid } },
        message: `Error creating: pods "${metadata.name === name ? 'x' : 'y'}" is forbidden: exceeded quota: few`,
      });
  };
  refuse();
  const why = 'its pods cannot be made: pods "x" is forbidden: exceeded quota: few';
  expect(told().outcome).toBe('waits');
  expect(causesOf(told())).toEqual([`1 Job waits: ${why} → signalbox explain job ${name}`]);
  expect(rowsOf(told())).toEqual([`${name}: waits: ${why}`]);
  run(startMs + 20 * minuteMs);
  refuse();
  expect(causesOf(told())).toEqual([`2 Jobs wait: ${why} → signalbox explain job ${name}`]);
});
