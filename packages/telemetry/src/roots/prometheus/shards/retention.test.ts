import { type StatefulSet, toTimestamp } from '@signalbox/cluster';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PrometheusSpec } from '../../../resources/prometheus.ts';
import { formatKept, keptAnnotation, labelOf, parseKept } from './kept-text.ts';
import {
  deadlineAnnotation,
  deadlineMs,
  type Grace,
  graceOf,
  neverDeadline,
  nextDeadlineInMs,
  planRemovedShards,
  type ShardFate,
} from './retention.ts';

const nowMs = Date.parse('2030-01-01T00:00:00Z');
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

function shard(deadline?: string, kept?: string, written?: string): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name: 'prometheus-main-shard-2',
      namespace: 'monitoring',
      uid: 'a',
      resourceVersion: '1',
      creationTimestamp: '2029-01-01T00:00:00Z',
      ...(deadline !== undefined && {
        annotations: { [deadlineAnnotation]: deadline, ...(kept !== undefined && { [keptAnnotation]: kept }) },
      }),
      ...(written !== undefined && {
        managedFields: [
          { time: '2031-01-01T00:00:00Z', fieldsV1: { 'f:status': {} } },
          { time: written, fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${keptAnnotation}`]: {} } } } },
        ],
      }),
    },
    spec: { serviceName: '', selector: {}, template: {} },
  } as unknown as StatefulSet;
}

function spell(ms: number): string {
  return ms % hourMs === 0 ? `${ms / hourMs}h` : `${ms / 60_000}m`;
}

function line(fate: ShardFate): string {
  if (fate.fate === 'delete') return 'delete';
  const left = fate.leftMs === undefined ? 'for ever' : `for ${spell(fate.leftMs)}`;
  const isNew = fate.set.metadata.annotations?.[deadlineAnnotation] !== fate.deadline;
  const flags = [fate.isUnreadable && 'unreadable', fate.goesMs !== undefined && 'due', fate.isDoubted && 'doubted'];
  return [isNew ? 'mark' : 'keep', fate.deadline, left, ...flags.filter(Boolean)].join(' ');
}

test.each<[string, string | undefined, Grace | undefined, string]>([
  ['goes at once without a policy', undefined, undefined, 'delete'],
  ['goes when the policy goes, also after it was kept', '2030-01-02T00:00:00Z', undefined, 'delete'],
  ['is marked with its deadline', undefined, { forMs: 3 * dayMs }, 'mark 2030-01-04T00:00:00Z for 72h'],
  ['is marked for ever', undefined, { forMs: undefined }, `mark ${neverDeadline} for ever`],
  ['is kept until its deadline', '2030-01-01T06:00:00Z', { forMs: dayMs }, 'keep 2030-01-01T06:00:00Z for 6h'],
  ['waits a minute at its deadline', '2030-01-01T00:00:00Z', { forMs: dayMs }, 'keep 2030-01-01T00:00:00Z for 1m due'],
  ['waits a minute after it', '2029-12-31T00:00:00Z', { forMs: undefined }, 'keep 2029-12-31T00:00:00Z for 1m due'],
  [
    'has a deadline in another time zone',
    '2030-01-01T02:00:00+01:00',
    { forMs: dayMs },
    'keep 2030-01-01T02:00:00+01:00 for 1h',
  ],
  ['is kept for ever by year one', neverDeadline, { forMs: dayMs }, `keep ${neverDeadline} for ever`],
  ['is kept when nobody can read its deadline', 'tomorrow', { forMs: 0 }, 'keep tomorrow for ever unreadable'],
  ['is kept when its deadline is empty', '', { forMs: 0 }, 'keep  for ever unreadable'],
  ['is kept when its deadline is no full time', '2029-01-01', { forMs: 0 }, 'keep 2029-01-01 for ever unreadable'],
  [
    'is kept when its deadline is no day',
    '2029-13-01T00:00:00Z',
    { forMs: 0 },
    'keep 2029-13-01T00:00:00Z for ever unreadable',
  ],
])('a removed shard %s', (_, deadline, grace, expected) => {
  expect(planRemovedShards([shard(deadline)], { grace, nowMs, knownMs: 0 }).map(line)).toEqual([expected]);
});

test.each<[string, PrometheusSpec, Grace | undefined]>([
  ['nothing is said', {}, undefined],
  ['the policy deletes', { shardRetentionPolicy: { whenScaled: 'Delete' }, retention: '3d' }, undefined],
  [
    'the policy has its own period',
    { shardRetentionPolicy: { whenScaled: 'Retain', retain: { retentionPeriod: '3d' } }, retention: '1d' },
    { forMs: 3 * dayMs },
  ],
  [
    'that period is 0: for ever',
    { shardRetentionPolicy: { whenScaled: 'Retain', retain: { retentionPeriod: '0s' } } },
    { forMs: undefined },
  ],
  [
    'the data has a period',
    { shardRetentionPolicy: { whenScaled: 'Retain' }, retention: '2d', retentionSize: '1GB' },
    { forMs: 2 * dayMs },
  ],
  [
    'the data only has a size: for ever',
    { shardRetentionPolicy: { whenScaled: 'Retain' }, retentionSize: '1GB' },
    { forMs: undefined },
  ],
  ['nothing but the policy is said', { shardRetentionPolicy: { whenScaled: 'Retain' } }, { forMs: dayMs }],
])('how long a shard is kept when %s', (_, spec, expected) => {
  expect(graceOf(spec)).toEqual(expected);
});

test('it is looked at again when the first deadline falls due, but within the hour', () => {
  const fates = (...deadlines: string[]): readonly ShardFate[] =>
    planRemovedShards(
      deadlines.map((each) => shard(each)),
      { grace: { forMs: dayMs }, nowMs, knownMs: 0 },
    );
  expect(nextDeadlineInMs(fates('2030-01-01T00:10:00Z', '2030-01-01T00:05:00Z'))).toBe(5 * 60_000);
  expect(nextDeadlineInMs(fates('2031-01-01T00:00:00Z'))).toBe(hourMs);
  expect(nextDeadlineInMs(fates(neverDeadline, 'garbage'))).toBeUndefined();
  expect(nextDeadlineInMs(fates())).toBeUndefined();
});

const forTwoDays = 'since=2029-12-30T00:00:00Z until=2030-01-01T00:00:00Z';

test.each<[string, StatefulSet, number | undefined, string]>([
  [
    'of ours waits an hour after it',
    shard('2030-01-01T00:00:00Z', forTwoDays),
    2,
    'keep 2030-01-01T00:00:00Z for 1h due',
  ],
  [
    'that was seen to be over waits for what is left of that hour',
    shard('2030-01-01T00:00:00Z', `${forTwoDays} due=2029-12-31T23:30:00Z`),
    2,
    'keep 2030-01-01T00:00:00Z for 30m due',
  ],
  [
    'that was over for an hour has its shard deleted',
    shard('2030-01-01T00:00:00Z', `${forTwoDays} due=2029-12-31T23:00:00Z`),
    2,
    'delete',
  ],
  [
    'that was over for a clock that has been put back is not over',
    shard('2030-01-01T06:00:00Z', 'since=2029-12-30T06:00:00Z until=2030-01-01T06:00:00Z due=2035-01-01T00:00:00Z'),
    2,
    'keep 2030-01-01T06:00:00Z for 6h',
  ],
  [
    'that is over also for a clock that has been put back is looked at anew',
    shard('2030-01-01T00:00:00Z', `${forTwoDays} due=2035-01-01T00:00:00Z`),
    2,
    'keep 2030-01-01T00:00:00Z for 1h due',
  ],
  [
    'that the API server’s clock has not reached is doubted',
    shard('2030-01-01T00:00:00Z', `${forTwoDays} due=2029-12-31T23:00:00Z`, '2029-12-31T22:00:00Z'),
    2,
    'keep 2030-01-01T00:00:00Z for 1h doubted',
  ],
  [
    'that the API server’s clock has reached is not',
    shard('2030-01-01T00:00:00Z', `${forTwoDays} due=2029-12-31T23:00:00Z`, '2029-12-31T23:00:00Z'),
    2,
    'delete',
  ],
  ['moves with the policy', shard('2030-01-01T00:00:00Z', forTwoDays), 5, 'mark 2030-01-04T00:00:00Z for 72h'],
  [
    'becomes none with the policy',
    shard('2030-01-01T00:00:00Z', forTwoDays),
    undefined,
    `mark ${neverDeadline} for ever`,
  ],
  [
    'that was none gets one with the policy',
    shard(neverDeadline, `since=2029-12-30T00:00:00Z until=${neverDeadline}`),
    5,
    'mark 2030-01-04T00:00:00Z for 72h',
  ],
  [
    'that people have changed stays as they wrote it',
    shard('2030-01-01T12:00:00Z', forTwoDays),
    5,
    'keep 2030-01-01T12:00:00Z for 12h',
  ],
])('a deadline %s', (_, set, days, expected) => {
  const grace = { forMs: days === undefined ? undefined : days * dayMs };
  expect(planRemovedShards([set], { grace, nowMs, knownMs: 0 }).map(line)).toEqual([expected]);
});

test('a clock that is behind what has happened already does not begin the time that a shard is kept', () => {
  const [fate] = planRemovedShards([shard()], { grace: { forMs: dayMs }, nowMs: 0, knownMs: nowMs });
  expect(fate).toMatchObject({ deadline: '2030-01-02T00:00:00Z' });
});

const stretch = fc.record({
  /** What really passes. */
  passesMs: fc.integer({ min: 0, max: 2 * hourMs }),
  /** By how much the clock is wrong then; it is put right within the hour. */
  isWrongByMs: fc.constantFrom(0, 0, 0, -20 * dayMs, -hourMs, hourMs, 5 * dayMs, 400 * dayMs),
  wrongForMs: fc.integer({ min: 1, max: hourMs - 60_000 }),
});

test('however a clock leaps, a shard is never deleted before its time, and it is after it', () => {
  fc.assert(
    fc.property(fc.array(stretch, { minLength: 1, maxLength: 60 }), (stretches) => {
      const grace = { forMs: 2 * dayMs };
      let realMs = nowMs;
      let set: StatefulSet | undefined = shard();
      const look = (wrongMs: number): void => {
        if (set === undefined) return;
        const seenMs = realMs + wrongMs;
        const [fate]: readonly ShardFate[] = planRemovedShards([set], { grace, nowMs: seenMs, knownMs: nowMs });
        if (fate?.fate === 'retain') set = shard(fate.deadline, formatKept(fate.record));
        else {
          expect(realMs).toBeGreaterThanOrEqual(nowMs + 2 * dayMs);
          set = undefined;
        }
      };
      look(0);
      for (const { passesMs, isWrongByMs, wrongForMs } of stretches) {
        realMs += passesMs;
        look(isWrongByMs);
        realMs += wrongForMs;
        look(isWrongByMs);
        look(0);
      }
      realMs += 3 * dayMs;
      look(0);
      realMs += hourMs;
      look(0);
      expect(set).toBeUndefined();
    }),
  );
});

test('a deadline that is written can be read', () => {
  expect(deadlineMs(toTimestamp(nowMs))).toBe(nowMs);
  expect(deadlineMs(neverDeadline)).toBe('never');
});

test('what is remembered of a kept shard can be read again; what nobody can read is not remembered', () => {
  const record = { sinceMs: nowMs, until: '2030-01-02T00:00:00Z', dueMs: nowMs + dayMs };
  expect(parseKept(formatKept(record))).toEqual(record);
  expect(parseKept(formatKept({}))).toEqual({});
  expect(parseKept('since=yesterday x == due')).toEqual({});
  expect([nowMs, 'never' as const, undefined].map(labelOf)).toEqual(['2030-01-01T00.00.00Z', 'forever', 'unreadable']);
});
