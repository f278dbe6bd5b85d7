import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HorizontalPodAutoscalerBehavior } from '../../api/generated/autoscaling-v2.ts';
import { limitReplicas, type Wish } from './limits.ts';
import { firstMemory, type Memory, remembering, rememberingChange } from './memory.ts';

const nowMs = 10_000_000;
const spec = { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: 2, maxReplicas: 30 };
const none: Memory = { recommendations: [], ups: [], downs: [] };

function limit(from: number, wanted: number, more: Partial<Wish> = {}): string {
  const wish: Wish = { spec, currentReplicas: from, wantedReplicas: wanted, memory: none, nowMs, ...more };
  const { replicas, stabilization, limit: why } = limitReplicas(wish);
  return `${replicas} ${stabilization.reason} ${why.reason} ${why.isLimited}`;
}

const ago = (seconds: number, replicas: number): { atMs: number; replicas: number } => ({
  atMs: nowMs - seconds * 1_000,
  replicas,
});

describe('without a behavior', () => {
  test.each<[string, number, number, Memory, string]>([
    ['goes where it wants within the bounds', 5, 7, none, '7 ReadyForNewScale DesiredWithinRange false'],
    ['not below the minimum', 5, 1, none, '2 ReadyForNewScale TooFewReplicas true'],
    ['not above the maximum', 20, 35, none, '30 ReadyForNewScale TooManyReplicas true'],
    ['up to twice as many at once', 5, 25, none, '10 ReadyForNewScale ScaleUpLimit true'],
    ['or up to four', 1, 9, none, '4 ReadyForNewScale ScaleUpLimit true'],
    [
      'down only as far as every recommendation of five minutes',
      9,
      3,
      { ...none, recommendations: [ago(301, 9), ago(200, 6), ago(10, 4)] },
      '6 ScaleDownStabilized DesiredWithinRange false',
    ],
    [
      'up at once, whatever was recommended',
      5,
      9,
      { ...none, recommendations: [ago(1, 2)] },
      '9 ReadyForNewScale DesiredWithinRange false',
    ],
  ])('%s', (_, from, wanted, memory, expected) => expect(limit(from, wanted, { memory })).toBe(expected));

  test('a restart holds the present number for five minutes', () => {
    expect(limit(9, 2, { memory: firstMemory(9, nowMs - 299_000) })).toMatch(/^9 ScaleDownStabilized/);
    expect(limit(9, 2, { memory: firstMemory(9, nowMs - 300_000) })).toMatch(/^2 ReadyForNewScale/);
  });
});

describe('with a behavior', () => {
  const up = (
    ...policies: readonly [string, number, number][]
  ): NonNullable<HorizontalPodAutoscalerBehavior['scaleUp']> => ({
    policies: policies.map(([type, value, periodSeconds]) => ({ type, value, periodSeconds })),
  });
  const defaults: HorizontalPodAutoscalerBehavior = {
    scaleUp: { ...up(['Pods', 4, 15], ['Percent', 100, 15]), selectPolicy: 'Max', stabilizationWindowSeconds: 0 },
    scaleDown: { ...up(['Percent', 100, 15]), selectPolicy: 'Max', stabilizationWindowSeconds: 0 },
  };

  test.each<[string, HorizontalPodAutoscalerBehavior, number, number, Memory, string]>([
    ['the defaults add four', {}, 2, 20, none, '6 ReadyForNewScale ScaleUpLimit true'],
    ['or double', {}, 10, 29, none, '20 ReadyForNewScale ScaleUpLimit true'],
    [
      'what was added in the period counts',
      {},
      10,
      29,
      { ...none, ups: [ago(10, 5)] },
      '10 ReadyForNewScale ScaleUpLimit true',
    ],
    [
      'what was added before does not',
      {},
      10,
      29,
      { ...none, ups: [ago(15, 5)] },
      '20 ReadyForNewScale ScaleUpLimit true',
    ],
    ['the maximum still holds', {}, 20, 40, none, '30 ReadyForNewScale TooManyReplicas true'],
    ['all may go at once', {}, 20, 1, none, '2 ReadyForNewScale TooFewReplicas true'],
    [
      'a policy slows going down',
      { scaleDown: up(['Pods', 2, 60]) },
      20,
      5,
      { ...none, downs: [ago(30, 1)] },
      '19 ReadyForNewScale ScaleDownLimit true',
    ],
    [
      'per cent count from the start of the period',
      { scaleDown: up(['Percent', 10, 60]) },
      19,
      5,
      { ...none, downs: [ago(30, 1)] },
      '18 ReadyForNewScale ScaleDownLimit true',
    ],
    [
      'Min takes the slowest on the way up',
      { scaleUp: { ...up(['Pods', 1, 15], ['Percent', 100, 15]), selectPolicy: 'Min' } },
      10,
      20,
      none,
      '11 ReadyForNewScale ScaleUpLimit true',
    ],
    [
      'Min takes the slowest on the way down',
      { scaleDown: { ...up(['Pods', 1, 15], ['Percent', 50, 15]), selectPolicy: 'Min' } },
      10,
      2,
      none,
      '9 ReadyForNewScale ScaleDownLimit true',
    ],
    [
      'Disabled never goes up',
      { scaleUp: { ...up(['Pods', 9, 15]), selectPolicy: 'Disabled' } },
      10,
      20,
      none,
      '10 ReadyForNewScale ScaleUpLimit true',
    ],
    [
      'Disabled never goes down',
      { scaleDown: { ...up(['Pods', 9, 15]), selectPolicy: 'Disabled' } },
      10,
      2,
      none,
      '10 ReadyForNewScale ScaleDownLimit true',
    ],
    [
      'a window holds back going up',
      { scaleUp: { ...defaults.scaleUp, stabilizationWindowSeconds: 60 } },
      5,
      9,
      { ...none, recommendations: [ago(30, 6)] },
      '6 ScaleUpStabilized DesiredWithinRange false',
    ],
    [
      'a window holds back going down',
      { scaleDown: { ...defaults.scaleDown, stabilizationWindowSeconds: 60 } },
      9,
      3,
      { ...none, recommendations: [ago(61, 9), ago(30, 5)] },
      '5 ScaleDownStabilized DesiredWithinRange false',
    ],
    [
      'five minutes are the window unless one is set',
      { scaleDown: up(['Percent', 100, 15]) },
      9,
      3,
      { ...none, recommendations: [ago(299, 9)] },
      '9 ScaleDownStabilized DesiredWithinRange false',
    ],
  ])('%s', (_, behavior, from, wanted, memory, expected) => {
    const whole = { ...defaults, ...behavior };
    expect(limit(from, wanted, { memory, spec: { ...spec, behavior: whole } })).toBe(expected);
  });
});

test('memory forgets what no window and no policy looks at', () => {
  const behavior = { scaleUp: { stabilizationWindowSeconds: 600 } };
  let memory = firstMemory(1, 0);
  for (let atMs = 0; atMs < 3_600_000; atMs += 15_000)
    memory = remembering(memory, { atMs, replicas: 1 }, { ...spec, behavior });
  expect(memory.recommendations).toHaveLength(40);
  for (let atMs = 0; atMs < 7_200_000; atMs += 15_000)
    memory = rememberingChange(memory, { from: 1, to: 2, atMs }, { ...spec, behavior });
  expect(memory.ups).toHaveLength(120);
  expect(rememberingChange(memory, { from: 1, to: 2, atMs: 1 }, spec).ups).toEqual([]);
});

test('law: the number never leaves the bounds, and never moves against the wish', () => {
  const numbers = fc.record({ from: fc.integer({ min: 2, max: 30 }), wanted: fc.nat(100), behaves: fc.boolean() });
  fc.assert(
    fc.property(numbers, fc.array(fc.nat(60)), ({ from, wanted, behaves }, recommended) => {
      const recommendations = recommended.map((replicas, index) => ago(index * 15, replicas));
      const behavior = { scaleUp: { policies: [{ type: 'Pods', value: 2, periodSeconds: 60 }] }, scaleDown: {} };
      const { replicas } = limitReplicas({
        spec: { ...spec, ...(behaves && { behavior }) },
        currentReplicas: from,
        wantedReplicas: wanted,
        memory: { ...none, recommendations },
        nowMs,
      });
      expect(replicas).toBeGreaterThanOrEqual(spec.minReplicas);
      expect(replicas).toBeLessThanOrEqual(spec.maxReplicas);
      if (wanted >= from) expect(replicas).toBeGreaterThanOrEqual(from);
    }),
  );
});
