import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { makePod } from '../../testing/makers.ts';
import { type Measurement, proposeReplicas, type Target } from './replicas.ts';
import { amountUsed, requestsOf, type UsageOf, usageByPod } from './usage.ts';

const nowMs = Date.UTC(2026, 0, 1, 12);
const longAgoMs = nowMs - 3_600_000;

interface Case {
  /** Milli cores that it uses; undefined: nobody knows. */
  readonly used?: number;
  /** Milli cores that it requests. */
  readonly cpu?: string;
  readonly isReady?: boolean;
  readonly startedMs?: number;
  readonly changedMs?: number;
  readonly phase?: string;
  readonly isEnding?: boolean;
}

let counter = 0;
const uses = new Map<string, number>();

function pod({ used, cpu = '1', isReady = true, phase = 'Running', isEnding = false, ...times }: Case): Pod {
  const name = `p${counter++}`;
  const { startedMs = longAgoMs, changedMs = startedMs } = times;
  if (used !== undefined) uses.set(`uid-default-${name}`, used);
  const condition = { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: toTimestamp(changedMs) };
  return makePod(name, {
    ...(cpu !== '' && { cpu }),
    metadata: { uid: `uid-default-${name}`, ...(isEnding && { deletionTimestamp: toTimestamp(nowMs) }) },
    status: { phase, startTime: toTimestamp(startedMs), conditions: [condition] },
  });
}

const utilization = (percent: number): Target => ({ kind: 'utilization', percent });

function propose(cases: readonly Case[], more: Partial<Measurement> = {}): ReturnType<typeof proposeReplicas> {
  return proposeReplicas({
    resource: 'cpu',
    pods: cases.map(pod),
    usageOf: ({ metadata }) => {
      const used = uses.get(metadata.uid);
      return used === undefined ? undefined : new Map([['main', { cpuMilli: used, memoryBytes: used }]]);
    },
    target: utilization(50),
    currentReplicas: cases.length,
    tolerance: { up: 0.1, down: 0.1 },
    nowMs,
    ...more,
  });
}

const times = (count: number, each: Case): readonly Case[] => Array.from({ length: count }, () => each);
const fresh = { startedMs: nowMs - 60_000 };

test.each([
  ['a measurement that began before the pod was ready does not count', nowMs - 10_000, 30_000, 500],
  ['one that began afterwards does', nowMs - 10_000, 10_000, 666],
])('%s', (_, takenMs, windowMs, average) => {
  const cases = [...times(2, { used: 500 }), { used: 1_000, ...fresh, changedMs: nowMs - 20_000 }];
  const proposal = propose(cases, { windowOf: () => ({ takenMs, windowMs }), tolerance: { up: 0, down: 0 } });
  // Two pods on target, and one that is twice above it or unknown.
  expect(proposal).toMatchObject({ ok: true, average });
});

describe('the new count', () => {
  test.each<[string, readonly Case[], number]>([
    ['is the same on target', times(3, { used: 500 }), 3],
    ['is the same at the edge of the tolerance', times(10, { used: 550 }), 10],
    ['grows just beyond it', times(10, { used: 560 }), 12],
    ['is the same at the lower edge', times(10, { used: 450 }), 10],
    ['shrinks below it', times(10, { used: 440 }), 9],
    ['grows with the ratio, rounded up', times(3, { used: 900 }), 6],
    ['shrinks with the ratio, rounded up', times(3, { used: 100 }), 1],
    ['can be none at all for idle pods', times(3, { used: 0 }), 0],
    ['takes a missing pod as idle on the way up', [...times(3, { used: 1_000 }), {}], 6],
    ['takes a missing pod as fully used on the way down', [...times(4, { used: 200 }), {}], 4],
    ['does not turn around because of missing pods', [{ used: 400 }, ...times(3, {})], 4],
    ['never scales down on little but missing data', [{ used: 10 }, ...times(9, {})], 10],
    [
      'takes pods that are starting as idle on the way up',
      [...times(2, { used: 1_000 }), { used: 900, isReady: false, ...fresh }],
      4,
    ],
    [
      'leaves pods that are starting out on the way down',
      [...times(2, { used: 100 }), { used: 900, isReady: false, ...fresh }],
      1,
    ],
    [
      'leaves pods out that became ready within the measurement',
      [...times(2, { used: 100 }), { used: 900, ...fresh, changedMs: nowMs - 5_000 }],
      1,
    ],
    [
      'counts pods that were measured since they became ready',
      [...times(2, { used: 500 }), { used: 1_000, ...fresh, changedMs: nowMs - 20_000 }],
      4,
    ],
    [
      'counts old pods that broke later',
      [...times(2, { used: 500 }), { used: 1_000, isReady: false, changedMs: nowMs - 60_000 }],
      4,
    ],
    [
      'leaves old pods out that never were ready',
      [...times(2, { used: 100 }), { used: 1_000, isReady: false, changedMs: longAgoMs + 10_000 }],
      1,
    ],
    ['takes pending pods as idle on the way up', [...times(2, { used: 1_000 }), { phase: 'Pending' }], 4],
    [
      'ignores pods that are ending or have failed',
      [...times(2, { used: 500 }), { used: 9_000, isEnding: true }, { used: 9_000, phase: 'Failed' }],
      4,
    ],
    ['ignores numbers that make no sense', [...times(2, { used: 500 }), { used: Number.NaN }, { used: -5 }], 4],
  ])('%s', (_, cases, expected) => {
    expect(propose(cases)).toMatchObject({ ok: true, replicas: expected });
  });

  test('counts the pods that the selector finds, not what the target calls replicas', () => {
    // Three shards of two replicas each: the ratio applies to six pods.
    expect(propose(times(6, { used: 600 }), { currentReplicas: 3 })).toMatchObject({ replicas: 8 });
    expect(propose(times(6, { used: 520 }), { currentReplicas: 3 })).toMatchObject({ replicas: 3 });
  });

  test('an average target divides by pods', () => {
    const target: Target = { kind: 'average', amount: 100 };
    expect(propose(times(2, { used: 300, cpu: '' }), { target })).toEqual({ ok: true, replicas: 6, average: 300 });
    expect(propose([{ used: 40 }, {}], { target })).toMatchObject({ replicas: 2 });
    expect(propose(times(2, { used: 105 }), { target })).toMatchObject({ replicas: 2 });
  });

  test('memory counts pods that are starting', () => {
    const cases = [{ used: 100, isReady: false, ...fresh }];
    const target: Target = { kind: 'average', amount: 50 };
    expect(propose(cases, { resource: 'memory', target })).toMatchObject({ replicas: 2 });
  });

  test('another tolerance holds for each direction', () => {
    expect(propose(times(10, { used: 540 }), { tolerance: { up: 0, down: 0.1 } })).toMatchObject({ replicas: 11 });
    expect(propose(times(10, { used: 300 }), { tolerance: { up: 0, down: 0.5 } })).toMatchObject({ replicas: 10 });
  });

  test('tells what was measured', () => {
    expect(propose([{ used: 300 }, { used: 401 }])).toEqual({
      ok: true,
      replicas: 2,
      average: 350,
      averageUtilization: 35,
    });
  });
});

describe('refusals', () => {
  test.each<[string, readonly Case[], string]>([
    ['no pods', [], 'no pods returned by selector while calculating replica count'],
    [
      'nothing is known',
      [{}, {}],
      'unable to get metrics for resource cpu: no metrics returned from resource metrics API',
    ],
    [
      'all are starting',
      [{ used: 5, isReady: false, ...fresh }],
      'did not receive metrics for targeted pods (pods might be unready)',
    ],
    ['a request is zero', [{ used: 5, cpu: '0' }], 'no metrics returned matched known pods'],
  ])('%s', (_, cases, message) => expect(propose(cases)).toEqual({ ok: false, message }));

  test('a container without a request', () => {
    const answer = propose([{ used: 5 }, { used: 5, cpu: '' }]);
    expect(answer.ok).toBe(false);
    expect(!answer.ok && answer.message).toMatch(/^missing request for cpu in container main of Pod p\d+$/);
  });

  test('nobody could be asked', () => {
    const unread = 'unable to fetch metrics from resource metrics API: the server is away';
    expect(propose([{}], { unread })).toEqual({
      ok: false,
      message: `unable to get metrics for resource cpu: ${unread}`,
    });
  });

  test('a resource that nobody measures', () => {
    expect(propose(times(1, { used: 1 }), { resource: 'ephemeral-storage' })).toMatchObject({ ok: false });
  });
});

describe('containers', () => {
  const container = (name: string, cpu: string): Pod['spec']['containers'][number] => ({
    name,
    image: 'x',
    ...(cpu !== '' && { resources: { requests: { cpu } } }),
  });
  const sidecar = { ...container('proxy', '300m'), restartPolicy: 'Always' };
  const spec = { containers: [container('app', '100m')], initContainers: [container('once', ''), sidecar] };
  const two = makePod('two', { spec });
  const usageOf = () =>
    new Map([
      ['app', { cpuMilli: 50, memoryBytes: 0 }],
      ['proxy', { cpuMilli: 150, memoryBytes: 0 }],
    ]);

  test('sidecars count, other init containers do not', () => {
    const requests = requestsOf([two], { resource: 'cpu' });
    expect(requests.ok && [...requests.byUid.values()]).toEqual([400]);
  });

  test('a single one counts alone, with what it uses itself', () => {
    const measured = { resource: 'cpu', container: 'app' };
    const requests = requestsOf([two], measured);
    expect(requests.ok && [...requests.byUid.values()]).toEqual([100]);
    expect(amountUsed(two, measured, usageOf)).toBe(50);
    expect(amountUsed(two, { resource: 'cpu' }, usageOf)).toBe(200);
    expect(amountUsed(two, { resource: 'cpu', container: 'x' }, usageOf)).toBeUndefined();
    expect(requestsOf([two], { resource: 'cpu', container: 'x' })).toEqual({
      ok: false,
      message: 'container x not found in Pod two',
    });
  });

  test('requests of the whole pod stand for those of its containers', () => {
    const whole = makePod('whole', {
      spec: { containers: [container('app', '')], resources: { requests: { cpu: '2' } } },
    });
    const requests = requestsOf([whole], { resource: 'cpu' });
    expect(requests.ok && [...requests.byUid.values()]).toEqual([2_000]);
  });
});

test('what the API says is read by the pod, and adds up to the last millionth', () => {
  const [measured] = [{ ...makePod('p'), apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics' }];
  const containers = ['33333333n', '33333333n', '33333334n'].map((cpu, index) => ({
    name: `c${index}`,
    usage: { cpu, memory: '1Ki' },
  }));
  const usage = usageByPod([{ ...measured, timestamp: '', window: '15s', containers }]);
  const usageOf: UsageOf = ({ metadata }) => usage.get(metadata.name);
  expect(amountUsed(makePod('p'), { resource: 'cpu' }, usageOf)).toBe(100);
  expect(amountUsed(makePod('p'), { resource: 'memory' }, usageOf)).toBe(3 * 1024);
  expect(amountUsed(makePod('q'), { resource: 'cpu' }, usageOf)).toBeUndefined();
});

test('law: pods about which nothing is known never turn the direction around', () => {
  const cases = fc.record({
    used: fc.integer({ min: 0, max: 3_000 }),
    count: fc.integer({ min: 1, max: 20 }),
    missing: fc.nat(20),
  });
  fc.assert(
    fc.property(cases, ({ used, count, missing }) => {
      const sure = propose(times(count, { used }));
      const unsure = propose([...times(count, { used }), ...times(missing, {})]);
      if (!sure.ok || !unsure.ok) throw new Error('expected proposals');
      if (sure.replicas >= count) expect(unsure.replicas).toBeGreaterThanOrEqual(count);
      if (sure.replicas <= count) expect(unsure.replicas).toBeLessThanOrEqual(count + missing);
    }),
  );
});
