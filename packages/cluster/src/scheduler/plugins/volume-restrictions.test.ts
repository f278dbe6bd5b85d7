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

type Disk = Omit<NonNullable<Pod['spec']['volumes']>[number], 'name'>;

function using(name: string, disk: Disk, parts: PodParts = {}): Pod {
  const spec = { volumes: [{ name: 'disk', ...disk }], ...(parts.node !== undefined && { nodeName: parts.node }) };
  return makePod(name, { ...parts, spec });
}

const gce = (pdName: string, readOnly = false): Disk => ({ gcePersistentDisk: { pdName, readOnly } });
const ebs = (volumeID: string, readOnly = false): Disk => ({ awsElasticBlockStore: { volumeID, readOnly } });
const iscsi = (iqn: string, readOnly = false): Disk => ({
  iscsi: { iqn, readOnly, lun: 0, targetPortal: '10.0.0.1', iscsiInterface: 'default' },
});
const rbd = (monitors: readonly string[], readOnly = false, pool = 'rbd'): Disk => ({
  rbd: { monitors, image: 'i', pool, readOnly },
});
const taken = (count: number): string =>
  `0/2 nodes are available: ${count} node(s) had no available disk. 0/2 nodes are available: ${count} No preemption victims found for incoming pod.`;

test.each<[string, Disk, Disk, string]>([
  ['of GCE', gce('d'), gce('d'), taken(2)],
  ['of GCE that both only read', gce('d', true), gce('d', true), 'placed'],
  ['of GCE that one of them writes to', gce('d', true), gce('d'), taken(2)],
  ['of GCE, and another one', gce('d'), gce('e'), 'placed'],
  ['of EBS', ebs('d'), ebs('d'), taken(2)],
  ['of EBS, also where both only read', ebs('d', true), ebs('d', true), taken(2)],
  ['of EBS, and another one', ebs('d'), ebs('e'), 'placed'],
  ['of iSCSI', iscsi('d'), iscsi('d', true), taken(2)],
  ['of iSCSI that both only read', iscsi('d', true), iscsi('d', true), 'placed'],
  ['of Ceph, one of whose monitors is the same', rbd(['a', 'b']), rbd(['b', 'c']), taken(2)],
  ['of Ceph with other monitors', rbd(['a']), rbd(['b']), 'placed'],
  ['of Ceph in another pool', rbd(['a']), rbd(['a'], false, 'other'), 'placed'],
  ['of Ceph that both only read', rbd(['a'], true), rbd(['a'], true), 'placed'],
  ['of another kind', gce('d'), ebs('d'), 'placed'],
])('a disk that is on all nodes: %s', (_, disk, held, expected) => {
  expect(decide(using('p', disk), [using('q', held, { node: 'a' }), using('r', held, { node: 'b' })])).toBe(expected);
});

test('a disk goes where it is not yet, or in the place of pods that matter less', () => {
  expect(decide(using('p', gce('d')), [using('q', gce('d'), { node: 'a' })])).toBe('placed');
  const all = [using('q', gce('d'), { node: 'a', priority: 9 }), using('r', gce('d'), { node: 'b' })];
  expect(decide(using('p', gce('d'), { priority: 5 }), all)).toBe('b instead of default/r');
});
