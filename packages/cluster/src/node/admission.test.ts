import { describe, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { pods } from '../api/generated/kinds.ts';
import { makeNode, makePod, type PodParts } from '../testing/makers.ts';
import { createTestCluster } from '../testing/test-cluster.ts';
import { isToBeJudged, whyRefused } from './admission.ts';

const node = makeNode('node-1', {
  cpu: '4',
  pods: '3',
  labels: { disk: 'ssd' },
  allocatable: { 'example.com/gpu': '1' },
});
const here = (name: string, parts: PodParts = {}): Pod =>
  makePod(name, { node: 'node-1', status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' }, ...parts });
const fresh = (parts: PodParts = {}): Pod => makePod('new', { node: 'node-1', status: { phase: 'Pending' }, ...parts });

function refusal(pod: Pod, others: readonly Pod[] = [], on = node): string | undefined {
  const hasBegun = ({ metadata }: Pod): boolean => metadata.name.startsWith('begun');
  const found = whyRefused(pod, { node: on, here: [pod, ...others], hasBegun });
  if (found !== undefined) expect(found.failed.message).toBe(`Pod was rejected: ${found.event.note}`);
  return found && `${found.failed.reason}: ${found.event.note}`;
}

describe('a node refuses', () => {
  test.each<[string, Pod, readonly Pod[], string | undefined]>([
    ['nothing that fits', fresh({ cpu: '4' }), [], undefined],
    [
      'what does not fit beside the others',
      fresh({ cpu: '2' }),
      [here('a', { cpu: '2500m' })],
      "OutOfcpu: Node didn't have enough resource: cpu, requested: 2000, used: 2500, capacity: 4000",
    ],
    [
      'nobody for those that have ended',
      fresh({ cpu: '2' }),
      [here('a', { cpu: '3', status: { phase: 'Failed' } })],
      undefined,
    ],
    [
      'one more than it may have',
      fresh(),
      [here('a'), here('b'), here('c')],
      "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    ],
    [
      'nobody for those that wait themselves',
      fresh({ hostPort: 80 }),
      [{ ...fresh({ hostPort: 80 }), metadata: here('z').metadata }],
      undefined,
    ],
    [
      'a port that is taken',
      fresh({ hostPort: 80 }),
      [here('a', { hostPort: 80 })],
      'NodePorts: Predicate NodePorts failed',
    ],
    [
      'a port that somebody takes who has begun and is not told of yet',
      fresh({ hostPort: 80 }),
      [{ ...fresh({ hostPort: 80 }), metadata: here('begun').metadata }],
      'NodePorts: Predicate NodePorts failed',
    ],
    ['no other port', fresh({ hostPort: 81 }), [here('a', { hostPort: 80 })], undefined],
    [
      'a foreign selector',
      fresh({ spec: { nodeSelector: { disk: 'hdd' } } }),
      [],
      'NodeAffinity: Predicate NodeAffinity failed',
    ],
    ['not its own', fresh({ spec: { nodeSelector: { disk: 'ssd' } } }), [], undefined],
  ])('%s', (_, pod, others, expected) => expect(refusal(pod, others)).toBe(expected));

  test('what its taints would drive out, not what they would keep from being placed', () => {
    const tainted = (effect: string): typeof node => makeNode('node-1', { taints: [{ key: 'k', effect }] });
    expect(refusal(fresh(), [], tainted('NoExecute'))).toBe('TaintToleration: Predicate TaintToleration failed');
    expect(refusal(fresh(), [], tainted('NoSchedule'))).toBeUndefined();
    const tolerations = [{ key: 'k', operator: 'Exists' }];
    expect(refusal(fresh({ spec: { tolerations } }), [], tainted('NoExecute'))).toBeUndefined();
  });

  test('an amount that it counts, none that it does not know', () => {
    const asking = (name: string): Pod =>
      fresh({ spec: { containers: [{ name: 'main', image: 'a', resources: { requests: { [name]: '2' } } }] } });
    expect(refusal(asking('example.com/gpu'))).toBe(
      "OutOfexample.com/gpu: Node didn't have enough resource: example.com/gpu, requested: 2, used: 0, capacity: 1",
    );
    expect(refusal(asking('example.com/other'))).toBeUndefined();
  });
});

test('those are judged whom nobody has placed and who have not begun', () => {
  expect(isToBeJudged(fresh())).toBe(true);
  expect(isToBeJudged(here('a'))).toBe(false);
  expect(isToBeJudged(fresh({ status: { conditions: [{ type: 'PodScheduled', status: 'True' }] } }))).toBe(false);
  expect(isToBeJudged(fresh({ metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }))).toBe(false);
});

test('who makes refused pods anew does not hold up the clock', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  const spec = {
    replicas: 1,
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: {
        nodeName: 'node-1',
        containers: [{ name: 'a', image: 'a', resources: { requests: { cpu: '99' } } }],
      },
    },
  };
  await cluster.advance(1_000);
  await cluster.applyYaml(JSON.stringify({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'a' }, spec }));
  await cluster.advance(10_000);
  const { items } = await cluster.client.list(pods, { namespace: 'default' });
  expect(items.length).toBeGreaterThan(5);
  expect(items.length).toBeLessThan(15);
  expect(items[0]?.status).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
  await cluster.close();
});
