import { expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, persistentvolumes } from '../../api/generated/kinds.ts';
import { createObjectCache } from '../../client/object-cache.ts';
import { makeMeta, makeNode, makePod } from '../../testing/makers.ts';
import { preemptionOf, verdictIn } from '../../testing/scheduler/asking.ts';
import { createSnapshot, type LiveSnapshot } from '../snapshot.ts';

const zone = 'topology.kubernetes.io/zone';
const claim = (name: string, phase = 'Bound'): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: makeMeta({ name, namespace: 'default' }),
  spec: { volumeName: `volume-${name}` },
  status: { phase },
});

function volume(
  name: string,
  { on, labels }: { readonly on?: string; readonly labels?: Record<string, string> },
): PersistentVolume {
  const term = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [on ?? ''] }] };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: makeMeta({ name: `volume-${name}`, ...(labels && { labels }) }),
    spec: { ...(on !== undefined && { nodeAffinity: { required: { nodeSelectorTerms: [term] } } }) },
    status: { phase: 'Bound' },
  };
}

function world(claims: readonly PersistentVolumeClaim[], volumes: readonly PersistentVolume[]): LiveSnapshot {
  const claimCache = createObjectCache(persistentvolumeclaims);
  for (const each of claims) claimCache.put(each);
  const volumeCache = createObjectCache(persistentvolumes);
  for (const each of volumes) volumeCache.put(each);
  const caches = new Map<object, object>([
    [persistentvolumeclaims, claimCache],
    [persistentvolumes, volumeCache],
  ]);
  const snapshot = createSnapshot({ of: (type) => (caches.get(type) as never) ?? createObjectCache(type) });
  snapshot.setNode(makeNode('a', { labels: { [zone]: 'east' } }));
  snapshot.setNode(makeNode('b', { labels: { 'failure-domain.beta.kubernetes.io/zone': 'west' } }));
  snapshot.setNode(makeNode('c'));
  return snapshot;
}

const mounting = (...claims: readonly string[]): Pod =>
  makePod('p', { spec: { volumes: claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })) } });

const elsewhere = "node(s) didn't match PersistentVolume's node affinity";
const zoneless = 'node(s) had no available volume zone';

test('a pod goes where each of its volumes is', () => {
  const snapshot = world(
    [claim('x'), claim('y'), claim('z')],
    [volume('x', { on: 'a' }), volume('y', {}), volume('z', { on: 'b' })],
  );
  const on = (...claims: readonly string[]) =>
    verdictIn(snapshot, { pod: mounting(...claims), plugin: 'VolumeBinding' });
  expect(on('x', 'y')).toEqual({ a: '', b: elsewhere, c: elsewhere });
  expect(on('y')).toEqual({ a: '', b: '', c: '' });
  expect(on('x', 'z')).toEqual({ a: elsewhere, b: elsewhere, c: elsewhere });
  expect(preemptionOf(mounting('x', 'z'), snapshot)).toBe(
    '0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
  );
});

test('a volume with a zone is reached from that zone, and from nodes that know of none', () => {
  const snapshot = world(
    [claim('x'), claim('y')],
    [volume('x', { labels: { [zone]: 'west' } }), volume('y', { labels: { [zone]: 'east__west' } })],
  );
  const on = (name: string) => verdictIn(snapshot, { pod: mounting(name), plugin: 'VolumeZone' });
  expect(on('x')).toEqual({ a: zoneless, b: '', c: '' });
  expect(on('y')).toEqual({ a: '', b: '', c: '' });
});

test.each([
  ['Pending', 'pod has unbound immediate PersistentVolumeClaims'],
  ['Lost', 'persistentvolumeclaim "x" bound to non-existent persistentvolume "volume-x"'],
])('a claim that is %s keeps the pod from all nodes', (phase, message) => {
  expect(preemptionOf(mounting('x'), world([claim('x', phase)], []))).toBe(`rejected for all: ${message}`);
});

test('a claim of a pod alone is made by somebody else, which the pod is told', () => {
  const volumeClaimTemplate = { spec: { accessModes: ['ReadWriteOnce'] } };
  const pod = makePod('p', { spec: { volumes: [{ name: 'x', ephemeral: { volumeClaimTemplate } }] } });
  expect(preemptionOf(pod, world([], []))).toBe(
    'rejected for all: waiting for ephemeral volume controller to create the persistentvolumeclaim "p-x"',
  );
});

test('a claim of that name that was made for somebody else is not the pod’s', () => {
  const volumeClaimTemplate = { spec: { accessModes: ['ReadWriteOnce'] } };
  const pod = makePod('p', { spec: { volumes: [{ name: 'x', ephemeral: { volumeClaimTemplate } }] } });
  const made = (uid: string | undefined): PersistentVolumeClaim => {
    const found = claim('p-x');
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: uid ?? '', controller: true };
    return { ...found, metadata: { ...found.metadata, ...(uid !== undefined && { ownerReferences: [owner] }) } };
  };
  const on = (uid: string | undefined) => preemptionOf(pod, world([made(uid)], [volume('p-x', {})]));
  const foreign = 'rejected for all: PVC default/p-x was not created for pod default/p (pod is not owner)';
  expect(on(undefined)).toBe(foreign);
  expect(on('another')).toBe(foreign);
  expect(verdictIn(world([made(pod.metadata.uid)], [volume('p-x', {})]), { pod, plugin: 'VolumeBinding' })).toEqual({
    a: '',
    b: '',
    c: '',
  });
});
