/** Arithmetic and words of metrics that are no resource, case by case. */
import { describe, expect, test } from 'vitest';
import type { MetricSpec, MetricTarget } from '../../api/generated/autoscaling-v2.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { makePod } from '../../testing/makers.ts';
import { judgeMetrics, type Situation, type Verdict } from './metrics.ts';
import type { Reading } from './readings.ts';

const nowMs = Date.UTC(2026, 0, 1, 12);

interface PodCase {
  readonly name: string;
  readonly phase?: string;
  readonly isReady?: boolean;
  readonly isEnding?: boolean;
}

function pod({ name, phase = 'Running', isReady = true, isEnding = false }: PodCase): Pod {
  const at = toTimestamp(nowMs - 3_600_000);
  return makePod(name, {
    metadata: isEnding ? { deletionTimestamp: at } : {},
    status: {
      phase,
      startTime: at,
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: at }],
    },
  });
}

const running = (count: number): readonly Pod[] =>
  Array.from({ length: count }, (_, index) => pod({ name: `p${index}` }));

interface Case extends Partial<Pick<Situation, 'pods' | 'currentReplicas' | 'statusReplicas'>> {
  readonly tolerance?: string;
}

function judge(metric: MetricSpec, reading: Reading | undefined, more: Case = {}): Verdict {
  const { currentReplicas = 3, statusReplicas = currentReplicas, pods = running(currentReplicas), tolerance } = more;
  const rules = { policies: [], ...(tolerance !== undefined && { tolerance }) };
  const spec = {
    scaleTargetRef: { kind: 'Deployment', name: 'web' },
    maxReplicas: 100,
    metrics: [metric],
    behavior: { scaleUp: rules, scaleDown: rules },
  };
  const readings = new Map(reading === undefined ? [] : [[0, reading] as const]);
  const situation = { namespace: 'shop', pods, currentReplicas, statusReplicas, readings, nowMs };
  return judgeMetrics(spec, { ...situation, usageOf: () => undefined });
}

function replicas(verdict: Verdict): number | string {
  return verdict.ok ? verdict.replicas : verdict.message;
}

const average = (averageValue: string): MetricTarget => ({ type: 'AverageValue', averageValue });
const whole = (value: string): MetricTarget => ({ type: 'Value', value });
const perPod = (target: string): MetricSpec => ({
  type: 'Pods',
  pods: { metric: { name: 'rate' }, target: average(target) },
});
const ofObject = (target: MetricTarget): MetricSpec => ({
  type: 'Object',
  object: { describedObject: { apiVersion: 'v1', kind: 'Service', name: 'web' }, metric: { name: 'hits' }, target },
});
const outside = (target: MetricTarget): MetricSpec => ({
  type: 'External',
  external: { metric: { name: 'queue' }, target },
});
const each = (...milli: readonly number[]): Reading => ({
  ok: true,
  of: 'pods',
  milliByPod: new Map(milli.map((value, index) => [`p${index}`, value])),
});
const value = (milli: number): Reading => ({ ok: true, of: 'value', milli });

describe('numbers of pods', () => {
  test.each<[string, Reading, Case, number | string]>([
    ['on target', each(10_000, 10_000, 10_000), {}, 3],
    ['at the edge of the tolerance', each(11_000, 11_000, 11_000), {}, 3],
    ['just beyond it', each(11_100, 11_100, 11_100), {}, 4],
    ['twice as much', each(20_000, 20_000, 20_000), {}, 6],
    ['a third', each(3_000, 3_000, 3_000), {}, 1],
    ['nothing at all', each(0, 0, 0), {}, 0],
    ['one pod is missing: it counts as idle on the way up', each(20_000, 20_000), {}, 4],
    ['one pod is missing: it counts as on target on the way down', each(4_000, 4_000), {}, 2],
    [
      'a pod that is pending counts as idle on the way up',
      each(20_000, 20_000),
      { pods: [...running(2), pod({ name: 'x', phase: 'Pending' })] },
      4,
    ],
    [
      'a pod that is pending does not count on the way down',
      each(2_000, 2_000),
      { pods: [...running(2), pod({ name: 'x', phase: 'Pending' })] },
      1,
    ],
    [
      'a pod that is not ready counts: its number is no start-up',
      each(20_000, 20_000),
      { currentReplicas: 2, pods: [pod({ name: 'p0' }), pod({ name: 'p1', isReady: false })] },
      4,
    ],
    [
      'pods that have failed or are going count as nothing',
      each(20_000, 90_000, 90_000),
      {
        currentReplicas: 1,
        pods: [pod({ name: 'p0' }), pod({ name: 'p1', phase: 'Failed' }), pod({ name: 'p2', isEnding: true })],
      },
      2,
    ],
    ['a wide tolerance', each(14_000, 14_000, 14_000), { tolerance: '0.5' }, 3],
    ['none', each(10_010, 10_010, 10_010), { tolerance: '0' }, 4],
    [
      'no pods',
      each(1),
      { pods: [] },
      'invalid metrics (1 invalid out of 1), first error is: failed to get pods metric value: no pods returned by selector while calculating replica count',
    ],
    [
      'none of them measured',
      { ok: true, of: 'pods', milliByPod: new Map([['other', 1]]) },
      {},
      'invalid metrics (1 invalid out of 1), first error is: failed to get pods metric value: did not receive metrics for targeted pods (pods might be unready)',
    ],
  ])('%s', (_, reading, more, expected) => expect(replicas(judge(perPod('10'), reading, more))).toBe(expected));

  test('are told with their average', () => {
    const verdict = judge(perPod('10'), each(20_500, 20_500, 20_501));
    expect(verdict).toMatchObject({ metricName: 'pods metric rate' });
    expect(verdict.statuses).toEqual([
      { type: 'Pods', pods: { metric: { name: 'rate' }, current: { averageValue: '20500m' } } },
    ]);
  });
});

describe('one value, as a whole', () => {
  const cases: readonly (readonly [string, number, Case, number | string])[] = [
    ['on target', 100_000, {}, 3],
    ['within the tolerance', 109_000, {}, 3],
    ['twice as much', 200_000, {}, 6],
    ['a fifth', 20_000, {}, 1],
    ['only ready pods are multiplied', 200_000, { pods: [...running(2), pod({ name: 'x', isReady: false })] }, 4],
    ['from nothing no tolerance and no pods count', 100_000, { currentReplicas: 0, pods: [] }, 1],
    ['from nothing to as many as the ratio', 250_000, { currentReplicas: 0, pods: [] }, 3],
    ['more than can be counted', 1e24, {}, 2 ** 31 - 1],
  ];
  test.each(cases)('of an object: %s', (_, milli, more, expected) =>
    expect(replicas(judge(ofObject(whole('100')), value(milli), more))).toBe(expected),
  );
  test.each(cases)('from outside: %s', (_, milli, more, expected) =>
    expect(replicas(judge(outside(whole('100')), value(milli), more))).toBe(expected),
  );
});

describe('one value, for each replica that the target says it has', () => {
  const cases: readonly (readonly [string, number, Case, number])[] = [
    ['on target', 300_000, {}, 3],
    ['within the tolerance', 320_000, {}, 3],
    ['more', 420_000, {}, 5],
    ['less', 150_000, {}, 2],
    ['pods do not matter', 600_000, { pods: running(1) }, 6],
    ['what it says that it has counts, not what it is to have', 500_000, { statusReplicas: 5 }, 5],
    ['from nothing', 250_000, { statusReplicas: 0, pods: [] }, 3],
  ];
  test.each(cases)('of an object: %s', (_, milli, more, expected) =>
    expect(replicas(judge(ofObject(average('100')), value(milli), more))).toBe(expected),
  );
  test.each(cases)('from outside: %s', (_, milli, more, expected) =>
    expect(replicas(judge(outside(average('100')), value(milli), more))).toBe(expected),
  );
});

/**
 * A Prometheus of three shards with two replicas each scales by its shards. Upstream's operator gives a selector of all six
 * pods, and the arithmetic, which is Kubernetes' own and ours, takes pods for shards: it grows when the load shrinks. Our
 * roots select the first pod of each active shard, so that pods are shards.
 */
describe('three shards with two replicas each', () => {
  const all = running(6);
  const first = running(3);
  test.each<[string, number, number, number, number]>([
    // ratio of load to target, what is right, with all pods selected, with the first of each shard
    ['a fifth more', 1.2, 4, 8, 4],
    ['half as much again', 1.5, 5, 9, 5],
    ['on target', 1, 3, 3, 3],
    ['a fifth less', 0.8, 3, 5, 3],
    ['half', 0.5, 2, 3, 2],
  ])('%s', (_, ratio, right, withAll, withFirst) => {
    const milli = ratio * 10_000;
    const perPodOf = (pods: readonly Pod[]): number | string =>
      replicas(judge(perPod('10'), each(...pods.map(() => milli)), { pods, currentReplicas: 3 }));
    const wholeOf = (pods: readonly Pod[]): number | string =>
      replicas(judge(outside(whole('10')), value(milli), { pods, currentReplicas: 3 }));
    expect([perPodOf(all), wholeOf(all)]).toEqual([withAll, withAll]);
    expect([perPodOf(first), wholeOf(first)]).toEqual([withFirst, withFirst]);
    expect(withFirst).toBe(right);
    // The average of a sum is right with either selector: no pod is counted.
    for (const pods of [all, first])
      expect(replicas(judge(outside(average('10')), value(3 * milli), { pods, currentReplicas: 3 }))).toBe(right);
  });
});

describe('what could not be read, in the words that people search for', () => {
  const unread: Reading = { ok: false, message: 'unable to fetch metrics from X' };
  const selector = {
    matchLabels: { b: '1', a: '2' },
    matchExpressions: [{ key: 'c', operator: 'In', values: ['x', 'y'] }],
  };
  test.each<[MetricSpec, string, string, string]>([
    [
      perPod('10'),
      'FailedGetPodsMetric',
      'unable to get metric rate: unable to fetch metrics from X',
      'failed to get pods metric value: ',
    ],
    [
      ofObject(whole('1')),
      'FailedGetObjectMetric',
      'unable to get metric hits: Service on shop web/unable to fetch metrics from X',
      'failed to get object metric value: ',
    ],
    [
      ofObject(average('1')),
      'FailedGetObjectMetric',
      'unable to get metric hits: Service on shop web/unable to fetch metrics from X',
      'failed to get object metric value: failed to get hits object metric: ',
    ],
    [
      outside(whole('1')),
      'FailedGetExternalMetric',
      'unable to get external metric shop/queue/nil: unable to fetch metrics from X',
      'failed to get queue external metric value: failed to get external metric queue: ',
    ],
    [
      { type: 'External', external: { metric: { name: 'queue', selector }, target: average('1') } },
      'FailedGetExternalMetric',
      'unable to get external metric shop/queue/&LabelSelector{MatchLabels:map[string]string{a: 2,b: 1,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:c,Operator:In,Values:[x y],},},}: unable to fetch metrics from X',
      'failed to get queue external metric value: failed to get queue external metric: ',
    ],
    [
      ofObject({ type: 'Value', averageValue: '1' }),
      'FailedGetObjectMetric',
      'invalid object metric source: neither a value target nor an average value target was set',
      'failed to get object metric value: ',
    ],
    [
      outside({ type: 'Value' }),
      'FailedGetExternalMetric',
      'invalid external metric source: neither a value target nor an average value target was set',
      'failed to get queue external metric value: ',
    ],
  ])('%j', (metric, reason, message, around) => {
    const verdict = judge(metric, unread);
    expect(verdict.failures).toMatchObject([{ reason, message }]);
    expect(replicas(verdict)).toBe(`invalid metrics (1 invalid out of 1), first error is: ${around}${message}`);
  });
});

test('what is told of values', () => {
  const found = (metric: MetricSpec): unknown => {
    const verdict = judge(metric, value(350_500), { currentReplicas: 3 });
    return [verdict.ok && verdict.metricName, ...verdict.statuses];
  };
  const { object } = ofObject(whole('100'));
  const { describedObject, metric } = object ?? {};
  expect(found(ofObject(whole('100')))).toEqual([
    'Service metric hits',
    { type: 'Object', object: { describedObject, metric, current: { value: '350500m' } } },
  ]);
  expect(found(ofObject(average('100')))).toEqual([
    'external metric hits(nil)',
    { type: 'Object', object: { describedObject, metric, current: { averageValue: '116834m' } } },
  ]);
  expect(found(outside(average('100')))).toEqual([
    'external metric queue(nil)',
    { type: 'External', external: { metric: { name: 'queue' }, current: { averageValue: '116834m' } } },
  ]);
});
