import { type StatefulSet, toTimestamp } from '@signalbox/cluster';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PrometheusSpec } from '../../../resources/prometheus.ts';
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

function shard(deadline?: string): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name: 'prometheus-main-shard-2',
      namespace: 'monitoring',
      uid: 'a',
      resourceVersion: '1',
      creationTimestamp: '2029-01-01T00:00:00Z',
      ...(deadline !== undefined && { annotations: { [deadlineAnnotation]: deadline } }),
    },
    spec: { serviceName: '', selector: {}, template: {} },
  } as unknown as StatefulSet;
}

function line(fate: ShardFate): string {
  if (fate.fate === 'delete') return 'delete';
  const left = fate.leftMs === undefined ? 'for ever' : `for ${fate.leftMs / hourMs}h`;
  return `${fate.isNew ? 'mark' : 'keep'} ${fate.deadline} ${left}${fate.isUnreadable ? ' unreadable' : ''}`;
}

test.each<[string, string | undefined, Grace | undefined, string]>([
  ['goes at once without a policy', undefined, undefined, 'delete'],
  ['goes when the policy goes, also after it was kept', '2030-01-02T00:00:00Z', undefined, 'delete'],
  ['is marked with its deadline', undefined, { forMs: 3 * dayMs }, 'mark 2030-01-04T00:00:00Z for 72h'],
  ['is marked for ever', undefined, { forMs: undefined }, `mark ${neverDeadline} for ever`],
  ['is kept until its deadline', '2030-01-01T06:00:00Z', { forMs: dayMs }, 'keep 2030-01-01T06:00:00Z for 6h'],
  ['goes at its deadline', '2030-01-01T00:00:00Z', { forMs: dayMs }, 'delete'],
  ['goes after its deadline', '2029-12-31T00:00:00Z', { forMs: undefined }, 'delete'],
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
  expect(planRemovedShards([shard(deadline)], { grace, nowMs }).map(line)).toEqual([expected]);
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
    planRemovedShards(deadlines.map(shard), { grace: { forMs: dayMs }, nowMs });
  expect(nextDeadlineInMs(fates('2030-01-01T00:10:00Z', '2030-01-01T00:05:00Z'))).toBe(5 * 60_000);
  expect(nextDeadlineInMs(fates('2031-01-01T00:00:00Z'))).toBe(hourMs);
  expect(nextDeadlineInMs(fates(neverDeadline, 'garbage'))).toBeUndefined();
  expect(nextDeadlineInMs(fates())).toBeUndefined();
});

test('whatever a clock does, a shard is kept at every moment before its deadline and never after', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -20 * dayMs, max: 20 * dayMs })), fc.nat(10 * dayMs), (jumps, grace) => {
      const [first] = planRemovedShards([shard()], { grace: { forMs: grace + 1_000 }, nowMs });
      const deadline = first?.fate === 'retain' ? first.deadline : '';
      for (const jump of jumps) {
        const seenMs = nowMs + jump;
        const [fate] = planRemovedShards([shard(deadline)], { grace: { forMs: grace + 1_000 }, nowMs: seenMs });
        expect(fate?.fate).toBe(seenMs < Date.parse(deadline) ? 'retain' : 'delete');
      }
    }),
  );
});

test('a deadline that is written can be read', () => {
  expect(deadlineMs(toTimestamp(nowMs))).toBe(nowMs);
  expect(deadlineMs(neverDeadline)).toBe('never');
});
