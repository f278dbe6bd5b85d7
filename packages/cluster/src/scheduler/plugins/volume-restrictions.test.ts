import { expect, test } from 'vitest';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims } from '../../api/generated/kinds.ts';
import { seededRandom } from '../../base/random.ts';
import { createObjectCache } from '../../client/object-cache.ts';
import { makeMeta, makeNode, makePod, type PodParts } from '../../testing/makers.ts';
import { defaultPlugins } from '../default-plugins.ts';
import { preemptionMessage, unplacedMessage } from '../message.ts';
import { podView } from '../pod-view.ts';
import { preempt } from '../preempt.ts';
import { schedule } from '../schedule.ts';
import { createSnapshot } from '../snapshot.ts';

function claim(name: string, mode: string): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: makeMeta({ namespace: 'default', name }),
    spec: { accessModes: [mode] },
    status: { phase: 'Bound' },
  };
}

function mounting(name: string, claimName: string, parts: PodParts = {}): Pod {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName } }];
  const spec = { volumes, ...(parts.node !== undefined && { nodeName: parts.node }) };
  return makePod(name, { ...parts, spec });
}

/** Where the pod goes, or why not and what preemption makes of it. */
function decide(pod: Pod, others: readonly Pod[]): string {
  const caches = createObjectCache(persistentvolumeclaims);
  caches.put(claim('own', 'ReadWriteOncePod'));
  caches.put(claim('shared', 'ReadWriteOnce'));
  const snapshot = createSnapshot({ of: () => caches as never });
  for (const name of ['a', 'b']) snapshot.setNode(makeNode(name));
  for (const other of others) snapshot.setPod(other);
  const random = seededRandom('');
  const placement = schedule(podView(pod), snapshot, { plugins: defaultPlugins, random, startAt: 0 });
  if (placement.node !== undefined) return 'placed';
  if (placement.cycle === undefined) return placement.rejectedForAll ?? '';
  const preemption = preempt(placement.cycle, placement, { random: seededRandom('') });
  if (preemption.outcome === 'makesRoom') return `${preemption.node} instead of ${preemption.victims[0]?.key}`;
  return `${unplacedMessage(placement, { nodeCount: 2, preemption: undefined })} ${preemptionMessage(preemption)}`;
}

const reason =
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';

test.each<[string, Pod, readonly Pod[], string]>([
  ['a claim that nobody uses', mounting('p', 'own'), [mounting('q', 'shared', { node: 'a' })], 'placed'],
  ['a claim of many pods', mounting('p', 'shared'), [mounting('q', 'shared', { node: 'a' })], 'placed'],
  [
    'a claim for one pod that another uses, on whatever node',
    mounting('p', 'own'),
    [mounting('q', 'own', { node: 'a' })],
    `0/2 nodes are available: 2 ${reason}. 0/2 nodes are available: 2 No preemption victims found for incoming pod.`,
  ],
  [
    'a claim of the same name in another namespace',
    mounting('p', 'own'),
    [mounting('q', 'own', { node: 'a', namespace: 'other' })],
    'placed',
  ],
  [
    'a pod that matters more takes the claim, on the node where it is used',
    mounting('p', 'own', { priority: 9 }),
    [mounting('q', 'own', { node: 'b' }), makePod('bystander', { node: 'a' })],
    'b instead of default/q',
  ],
])('%s', (_, pod, others, expected) => {
  expect(decide(pod, others)).toBe(expected);
});
