import { describe, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { toTimestamp } from '../base/clock.ts';
import { meta, podSpec, ready, startMs } from '../testing/plan-world.ts';
import { leastUsefulFirst } from './ranking.ts';

const nowMs = startMs + 1_000_000;

function pod(name: string, { createdMs = startMs, cost = '' } = {}): Pod {
  const annotations = cost === '' ? {} : { 'controller.kubernetes.io/pod-deletion-cost': cost };
  const metadata = meta(name, { annotations, creationTimestamp: toTimestamp(createdMs) });
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec, status: { phase: 'Running' } };
}

function on(nodeName: string, each: Pod, phase = 'Running'): Pod {
  return { ...each, spec: { ...each.spec, nodeName }, status: { ...each.status, phase } };
}

function restarted(each: Pod, restartCount: number): Pod {
  const status = { name: 'app', image: '', imageID: '', ready: true, restartCount };
  return { ...each, status: { ...each.status, containerStatuses: [status] } };
}

function order(pods: readonly Pod[]): readonly string[] {
  return leastUsefulFirst(pods, { related: pods, nowMs }).map(({ metadata }) => metadata.name);
}

const good = ready(pod('good'), { nodeName: 'a' });

describe('the first of two goes before the second', () => {
  test.each<[string, Pod, Pod]>([
    ['without a node', pod('x'), on('a', pod('good'), 'Pending')],
    ['pending before unknown', on('a', pod('x'), 'Pending'), on('b', pod('good'), 'Unknown')],
    ['unknown before running', on('a', pod('x'), 'Unknown'), on('b', pod('good'))],
    ['not ready', on('b', pod('x')), good],
    ['cheaper', ready(pod('x', { cost: '-5' }), { nodeName: 'b' }), good],
    [
      'a malformed cost counts as none',
      ready(pod('x', { cost: '-1' }), { nodeName: 'b' }),
      ready(pod('good', { cost: '-9x' }), { nodeName: 'a' }),
    ],
    ['ready for a shorter time', ready(pod('x'), { nodeName: 'b', sinceMs: nowMs - 1_000 }), good],
    ['restarted more often', restarted(ready(pod('x'), { nodeName: 'b' }), 3), restarted(good, 1)],
    ['younger', ready(pod('x', { createdMs: nowMs - 2_000 }), { nodeName: 'b' }), good],
    ['of like age: by uid', ready(pod('aaa', { createdMs: startMs + 1_000 }), { nodeName: 'b' }), good],
  ])('%s', (_, worse, better) => {
    expect(order([better, worse])).toEqual([worse.metadata.name, better.metadata.name]);
    expect(order([worse, better])).toEqual([worse.metadata.name, better.metadata.name]);
  });
});

test('a pod with neighbours on its node goes before one that is alone', () => {
  const crowd = ['x', 'y'].map((name) => ready(pod(name), { nodeName: 'b' }));
  const lonely = ready(pod('a-lonely'), { nodeName: 'c' });
  expect(order([lonely, ...crowd]).at(-1)).toBe('a-lonely');
});
