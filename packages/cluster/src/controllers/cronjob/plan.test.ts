import { beforeEach, describe, expect, test } from 'vitest';
import type { CronJob, Job } from '../../api/generated/batch-v1.ts';
import { cronjobs, jobs } from '../../api/generated/kinds.ts';
import { toTimestamp } from '../../base/clock.ts';
import { createWorld, line, meta, podSpec, startMs, type World } from '../../testing/plan-world.ts';
import { cronjobController } from './controller.ts';

let world: World;
const key = 'default/report';
const minuteMs = 60_000;
const name = (atMs: number): string => `report-${atMs / minuteMs}`;

beforeEach(() => {
  world = createWorld();
});

function put(spec: Partial<CronJob['spec']> = {}, status: CronJob['status'] = {}): CronJob {
  return world.put(cronjobs, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: meta('report'),
    spec: {
      schedule: '*/10 * * * *',
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
        spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } },
      },
      ...spec,
    },
    status,
  });
}

/** What one plan does, events with their notes. */
function sync(): readonly string[] {
  const observed = cronjobController.observe(key, world, undefined);
  if (observed === undefined) return [];
  const { actions } = cronjobController.plan(observed, world.nowMs);
  for (const action of actions) world.apply(action);
  for (const made of world.list(jobs)) if (made.status === undefined) world.put(jobs, { ...made, status: {} });
  return actions.map((action) => (action.do === 'emit' ? `${line(action)}: ${action.note}` : line(action)));
}

const settle = (): readonly string[] => {
  const done: string[] = [];
  for (let round = 0; round < 20; round++) {
    const lines = sync();
    done.push(...lines);
    if (lines.every((text) => text.startsWith('emit'))) return done;
  }
  throw new Error('does not settle');
};
const againInMs = (): number | undefined => {
  const observed = cronjobController.observe(key, world, undefined);
  return observed && cronjobController.plan(observed, world.nowMs).againInMs;
};
const current = (): CronJob => world.of(cronjobs).get(key) as CronJob;
const jobNames = (): readonly string[] => world.list(jobs).map(({ metadata }) => metadata.name);
const activeNames = (): readonly (string | undefined)[] => (current().status.active ?? []).map((one) => one.name);

function end(job: string, type: 'Complete' | 'Failed'): void {
  const found = world.of(jobs).get(`default/${job}`) as Job;
  const now = toTimestamp(world.nowMs);
  const conditions = [{ type, status: 'True', lastTransitionTime: now }];
  const times = { startTime: now, ...(type === 'Complete' && { completionTime: now }) };
  world.put(jobs, { ...found, status: { ...times, conditions } });
}

describe('a Job', () => {
  test('is made when its time has come, by the minute of it', () => {
    put();
    expect(settle()).toEqual([]);
    expect(againInMs()).toBe(10 * minuteMs);
    world.nowMs += 10 * minuteMs;
    const atMs = world.nowMs;
    expect(settle()).toEqual([`create jobs ${name(atMs)}`, 'setStatus cronjobs report']);
    const [job] = world.list(jobs);
    expect(job?.metadata).toMatchObject({
      labels: { a: 'b' },
      annotations: { c: 'd', 'batch.kubernetes.io/cronjob-scheduled-timestamp': toTimestamp(atMs) },
      ownerReferences: [{ kind: 'CronJob', name: 'report', controller: true }],
    });
    expect(current().status).toMatchObject({ lastScheduleTime: toTimestamp(atMs), active: [{ name: name(atMs) }] });
    expect(againInMs()).toBe(10 * minuteMs);
  });

  test('has the time of its zone in its annotation', () => {
    put({ schedule: '0 5 * * *', timeZone: 'Asia/Kathmandu' });
    world.nowMs += 24 * 60 * minuteMs;
    settle();
    expect(world.list(jobs)[0]?.metadata.annotations).toMatchObject({
      'batch.kubernetes.io/cronjob-scheduled-timestamp': '2024-01-02T05:00:00+05:45',
    });
  });

  test('of those that were missed only the last is made', () => {
    put();
    world.nowMs += 45 * minuteMs;
    expect(settle().filter((text) => text.startsWith('create'))).toEqual([
      `create jobs ${name(startMs + 40 * minuteMs)}`,
    ]);
  });

  test.each([
    [100, 0],
    [101, 1],
  ])('of %i missed ones %i are', (count, warnings) => {
    put();
    world.nowMs += count * 10 * minuteMs;
    expect(sync().filter((text) => text.includes('TooManyMissedTimes'))).toHaveLength(warnings);
  });

  test('a schedule that never comes due is told of in the words of upstream', () => {
    put({ schedule: '0 0 30 2 *' });
    expect(sync()).toEqual([
      'emit InvalidSchedule: invalid schedule: 0 0 30 2 * : time difference between two schedules is less than 1 second',
    ]);
    expect(againInMs()).toBeUndefined();
  });

  test('more than a hundred missed ones are worth a warning', () => {
    put();
    world.nowMs += 3_000 * minuteMs + 30_000;
    expect(settle()).toEqual([
      'emit TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
      `create jobs ${name(startMs + 3_000 * minuteMs)}`,
      'setStatus cronjobs report',
    ]);
  });

  test('is not made when it is too late for it', () => {
    put({ startingDeadlineSeconds: 60 });
    world.nowMs += 12 * minuteMs;
    expect(settle()).toEqual([]);
    put({ schedule: '0 0 * * *', startingDeadlineSeconds: 600 }, { lastScheduleTime: toTimestamp(startMs) });
    world.nowMs = startMs + 24 * 60 * minuteMs + 9 * minuteMs;
    expect(settle().filter((text) => text.startsWith('create'))).toHaveLength(1);
  });

  test('is not made while the CronJob is suspended, and nothing waits', () => {
    put({ suspend: true });
    world.nowMs += 60 * minuteMs;
    expect(settle()).toEqual([]);
    expect(againInMs()).toBeUndefined();
  });

  test('that was made before a crash is found, not made again', () => {
    put();
    world.nowMs += 10 * minuteMs;
    const observed = cronjobController.observe(key, world, undefined);
    const [create] = (observed && cronjobController.plan(observed, world.nowMs).actions) ?? [];
    if (create) world.apply(create);
    for (const made of world.list(jobs)) world.put(jobs, { ...made, status: {} });
    expect(settle()).toEqual(['setStatus cronjobs report']);
    expect(activeNames()).toEqual([name(world.nowMs)]);
  });
});

describe('while another runs', () => {
  const twice = (concurrencyPolicy: string): readonly string[] => {
    put({ concurrencyPolicy });
    world.nowMs += 10 * minuteMs;
    settle();
    world.nowMs += 10 * minuteMs;
    return settle();
  };
  const [first, second] = [name(startMs + 10 * minuteMs), name(startMs + 20 * minuteMs)];

  test('Allow makes one beside it', () => {
    twice('Allow');
    expect(activeNames()).toEqual([first, second]);
  });

  test('Forbid makes none, and makes it when the other has ended', () => {
    expect(twice('Forbid')).toEqual([
      'emit JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
    ]);
    expect(jobNames()).toEqual([first]);
    end(first, 'Complete');
    settle();
    expect(activeNames()).toEqual([second]);
  });

  test('Replace leaves those alone that have ended', () => {
    put({ concurrencyPolicy: 'Replace' });
    world.nowMs += 10 * minuteMs;
    settle();
    end(first, 'Complete');
    settle();
    world.nowMs += 10 * minuteMs;
    expect(settle()).not.toContain(`delete jobs ${first}`);
    expect(jobNames()).toEqual([first, second]);
    expect(activeNames()).toEqual([second]);
  });

  test('Replace deletes it first', () => {
    const lines = twice('Replace');
    expect(lines.slice(0, 2)).toEqual([`delete jobs ${first}`, `create jobs ${second}`]);
    // It has not gone missing.
    expect(lines.join()).not.toContain('MissingJob');
    expect(activeNames()).toEqual([second]);
  });
});

describe('the book', () => {
  test('says nothing of what is cleared away as soon as it has ended', () => {
    put({ failedJobsHistoryLimit: 0 });
    world.nowMs += 10 * minuteMs;
    settle();
    const done = name(world.nowMs);
    end(done, 'Failed');
    expect(settle()).toEqual([`delete jobs ${done}`, 'setStatus cronjobs report']);
    expect(current().status.active).toBeUndefined();
  });

  test('says what has ended and when the last one succeeded', () => {
    put();
    world.nowMs += 10 * minuteMs;
    settle();
    const done = name(world.nowMs);
    world.nowMs += minuteMs;
    end(done, 'Complete');
    expect(settle()).toEqual(['setStatus cronjobs report then emit SawCompletedJob']);
    expect(current().status).toEqual({
      lastScheduleTime: toTimestamp(world.nowMs - minuteMs),
      lastSuccessfulTime: toTimestamp(world.nowMs),
    });
  });

  test('notices a Job that went missing, and one that it did not make', () => {
    put();
    world.nowMs += 10 * minuteMs;
    settle();
    const [job] = world.list(jobs);
    if (job) world.remove(jobs, job);
    expect(settle()).toEqual(['setStatus cronjobs report then emit MissingJob']);
    if (job) world.put(jobs, { ...job, metadata: { ...job.metadata, name: 'by-hand', uid: 'by-hand' } });
    expect(sync()).toEqual(['emit UnexpectedJob: Saw a job that the controller did not create or forgot: by-hand']);
  });

  test('keeps as many ended Jobs as it is told, the youngest', () => {
    put({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
    for (let round = 1; round <= 4; round++) {
      world.nowMs += 10 * minuteMs;
      settle();
      end(name(world.nowMs), round === 2 ? 'Failed' : 'Complete');
    }
    settle();
    expect(jobNames()).toEqual([name(startMs + 40 * minuteMs)]);
  });
});

test.each<[Partial<CronJob['spec']>, string]>([
  [
    { timeZone: 'Mars/Olympus' },
    'emit UnknownTimeZone: invalid timeZone: "Mars/Olympus": unknown time zone Mars/Olympus',
  ],
  [
    { schedule: 'daily' },
    'emit UnparseableSchedule: unparseable schedule: "daily" : expected exactly 5 fields, found 1: [daily]',
  ],
])('what cannot be read is told: %j', (spec, text) => {
  put(spec);
  expect(sync()).toEqual([text]);
});
