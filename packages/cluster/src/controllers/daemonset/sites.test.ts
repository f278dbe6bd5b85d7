import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { meta, node, podSpec, ready, startMs, terminating, unready } from '../../testing/plan-world.ts';
import { daemonPod, isAvailable } from './daemon-pod.ts';
import type { Verdict } from './eligibility.ts';
import { sitesOf } from './sites.ts';

const runs: Verdict = { runs: true, stays: true };
const judge = (): Verdict => runs;

function pod(
  name: string,
  { on, aimed, createdMs = startMs }: { on?: string; aimed?: string; createdMs?: number },
): Pod {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [aimed ?? ''] }];
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta(name, { creationTimestamp: toTimestamp(createdMs) }),
    spec: {
      ...podSpec,
      ...(on !== undefined && { nodeName: on }),
      ...(aimed !== undefined && { affinity: { nodeAffinity: required } }),
    },
    status: { phase: 'Running' },
  };
}

function names(pods: readonly Pod[]): {
  readonly sites: Readonly<Record<string, string>>;
  readonly strays: readonly string[];
} {
  const sites = sitesOf([node('a'), node('b')], { pods, judge, minReadySeconds: 0 });
  return {
    sites: Object.fromEntries(
      sites.all().map((site) => [site.node, site.pods.map((each) => each.pod.metadata.name).join(' ')]),
    ),
    strays: sites.strays().map((each) => each.pod.metadata.name),
  };
}

describe('pods are grouped by node', () => {
  test('on it or meant for it', () => {
    expect(names([pod('x', { on: 'a' }), pod('y', { aimed: 'b' })])).toEqual({ sites: { a: 'x', b: 'y' }, strays: [] });
  });

  test('bound first, then the oldest, then by name', () => {
    const pods = [
      pod('unbound', { aimed: 'a', createdMs: startMs - 9_000 }),
      pod('young', { on: 'a', createdMs: startMs + 1_000 }),
      pod('old-2', { on: 'a' }),
      pod('old-1', { on: 'a' }),
    ];
    expect(names(pods).sites.a).toBe('old-1 old-2 young unbound');
  });

  test('a name that says nothing is no node that it is bound to', () => {
    const pods = [pod('unbound', { on: '', aimed: 'a' }), pod('bound', { on: 'a', createdMs: startMs + 9_000 })];
    expect(names(pods).sites.a).toBe('bound unbound');
    expect(names([pod('stray', { on: '', aimed: 'gone' })]).strays).toEqual(['stray']);
  });

  test('a pod that aims nowhere belongs nowhere', () => {
    expect(names([pod('x', {})])).toEqual({ sites: { a: '', b: '' }, strays: [] });
  });

  test('a pod that is over and ending holds no place; one that is only ending does', () => {
    const over = terminating({ ...pod('over', { on: 'a' }), status: { phase: 'Succeeded' } });
    expect(names([over, terminating(pod('ending', { on: 'b' }))]).sites).toEqual({ a: '', b: 'ending' });
  });

  test('strays aim at a node that is gone, are not bound and not ending', () => {
    const pods = [
      pod('stray', { aimed: 'gone' }),
      pod('bound', { on: 'gone' }),
      terminating(pod('ending', { aimed: 'gone' })),
      pod('fine', { aimed: 'a' }),
    ];
    expect(names(pods).strays).toEqual(['stray']);
  });
});

describe('availability', () => {
  test.each([
    ['not ready', unready(pod('x', {})), 0, false],
    ['ready, no time needed', ready(pod('x', {})), 0, true],
    ['ready for too short', ready(pod('x', {})), 11, false],
    ['ready for exactly long enough', ready(pod('x', {})), 10, true],
  ])('%s', (_, each, minReadySeconds, expected) => {
    expect(isAvailable(daemonPod(each), { minReadySeconds, nowMs: startMs + 10_000 })).toBe(expected);
  });
});
