/**
 * Upstream's scheduler on our API server, and ours beside it: the same pods on the same nodes, by chance. What upstream says of a
 * pod that fits nowhere is what ours says, preemption included; where it puts one is among the nodes that ours gives the most.
 */
import {
  type Cluster,
  type KubeObject,
  type New,
  namespaces,
  nodes,
  type Pod,
  persistentvolumeclaims,
  persistentvolumes,
  pods,
  type ResourceType,
  services,
  storageclasses,
} from '@signalbox/cluster';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../packages/cluster/src/base/random.ts';
import { createObjectCache } from '../../packages/cluster/src/client/object-cache.ts';
import { beginCycle, objection } from '../../packages/cluster/src/scheduler/cycle.ts';
import { defaultPlugins } from '../../packages/cluster/src/scheduler/default-plugins.ts';
import { unplacedMessage } from '../../packages/cluster/src/scheduler/message.ts';
import { podView } from '../../packages/cluster/src/scheduler/pod-view.ts';
import { preempt } from '../../packages/cluster/src/scheduler/preempt.ts';
import { schedule } from '../../packages/cluster/src/scheduler/schedule.ts';
import { totalScores } from '../../packages/cluster/src/scheduler/scoring.ts';
import { createSnapshot, type LiveSnapshot } from '../../packages/cluster/src/scheduler/snapshot.ts';
import { makePod } from '../../packages/cluster/src/testing/makers.ts';
import { nodeParts, podParts } from '../../packages/cluster/src/testing/scheduler/worlds.ts';
import { findPrograms } from './plane/programs.ts';
import { bare, startTheirScheduler, type TheirScheduler } from './plane/their-scheduler.ts';

const { programs, missing = '' } = findPrograms(process.env);
const { signal } = new AbortController();
const nodeCount = 7;
const podCount = 160;
const seed = Number(process.env['FC_SEED'] ?? '7');
const teams = { default: 'blue', other: 'red' };

let there: TheirScheduler;
let cluster: Cluster;
let create: TheirScheduler['create'];

beforeAll(async () => {
  if (programs === undefined) return;
  there = await startTheirScheduler(programs);
  ({ cluster, create } = there);
});

afterAll(() => there?.close());

async function furnish(): Promise<LiveSnapshot> {
  for (const [name, team] of Object.entries(teams)) {
    const body = { metadata: { labels: { team } } };
    if (name === 'default') await cluster.client.patch(namespaces, { name, signal, patchType: 'merge', body });
    else
      await create(namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, labels: { team } },
      } as New<KubeObject>);
  }
  await create(services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'x', namespace: 'default' },
    spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
  } as New<KubeObject>);
  const caches = new Map<object, { put(object: KubeObject): unknown }>();
  for (const type of [namespaces, services] as readonly ResourceType[]) {
    const cache = createObjectCache(type);
    const { items } = await cluster.client.list(type, { signal });
    for (const item of items) cache.put(item);
    caches.set(type, cache);
  }
  const snapshot = createSnapshot({ of: (type) => (caches.get(type) as never) ?? createObjectCache(type) });
  for (const [index, parts] of fc.sample(nodeParts, { seed, numRuns: nodeCount }).entries())
    snapshot.setNode(await there.createNode(`n${index}`, parts));
  return snapshot;
}

/**
 * In words that both use: upstream has left the taint out of its reason since 1.34.2, and says beforehand that there is no
 * claim of a device to give back. With the taints away several reasons may be one.
 */
function inCommon(message: string): string {
  const plain = message.replaceAll(/untolerated taint(\(s\)| \{[^}]*\})/g, 'untolerated taint');
  return plain
    .replace('no new claims to deallocate, ', '')
    .split(' preemption: ')
    .map((part) => part.replace(/(?<=are available: ).*(?=\.$)/, summed))
    .join(' preemption: ');
}

function summed(list: string): string {
  const counts = new Map<string, number>();
  for (const each of list.split(', ')) {
    const [, count = '1', reason = ''] = /^(\d+) (.*)$/.exec(each) ?? [];
    counts.set(reason, (counts.get(reason) ?? 0) + Number(count));
  }
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}

/** What ours says of the same pod: the nodes that have the most points, or the message. */
function ours(pod: Pod, snapshot: LiveSnapshot): { readonly best: readonly string[] } | { readonly message: string } {
  const view = podView(pod);
  const random = seededRandom('');
  const unplaced = schedule(view, snapshot, { plugins: defaultPlugins, random, startAt: 0 });
  if (unplaced.node === undefined) {
    const preemption = unplaced.cycle && preempt(unplaced.cycle, unplaced, { random });
    return { message: unplacedMessage(unplaced, { nodeCount: snapshot.nodes.length, preemption }) };
  }
  const begun = beginCycle(view, snapshot, defaultPlugins);
  if (begun.rejected !== undefined) throw new Error(begun.rejected);
  const fitting = snapshot.nodes.filter((node) => objection(begun.cycle, node) === undefined);
  const totals = totalScores(begun.cycle, fitting);
  const most = Math.max(...totals);
  return { best: fitting.filter((_, index) => totals[index] === most).map(({ name }) => name) };
}

test.skipIf(programs === undefined)(`upstream’s scheduler decides as ours does ${missing}`, async () => {
  const snapshot = await furnish();
  let placed = 0;
  let rejected = 0;
  for (const [index, parts] of fc.sample(podParts, { seed: seed + 1, numRuns: podCount }).entries()) {
    const wanted = makePod(`p${index}`, parts);
    const made = await create(pods, bare(wanted));
    const pod = await there.decided(made);
    const expected = ours(made, snapshot);
    const said = pod.status.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? '';
    const context = JSON.stringify({ labels: made.metadata.labels, spec: made.spec, expected });
    if ('best' in expected) {
      expect(expected.best, `${said} ${context}`).toContain(pod.spec.nodeName);
      snapshot.setPod(pod);
      placed++;
    } else {
      expect(inCommon(said), context).toBe(inCommon(expected.message));
      rejected++;
      await cluster.client.delete(pods, { ...made.metadata, signal, gracePeriodSeconds: 0 });
    }
  }
  // Else the worlds say nothing.
  expect(placed).toBeGreaterThan(10);
  expect(rejected).toBeGreaterThan(5);
});

test.skipIf(programs === undefined)('a volume keeps pods where it is, in the same words', async () => {
  const metadata = { namespace: 'default', name: 'here' };
  const term = { matchExpressions: [{ key: 'rack', operator: 'In', values: ['none'] }] };
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: '', volumeName: 'here' };
  const resources = { requests: { storage: '1Gi' } };
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
  const claim = await create(persistentvolumeclaims, {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { ...metadata, annotations } },
    spec: { ...spec, resources },
  } as New<KubeObject>);
  const { uid } = claim.metadata;
  const volume = await create(persistentvolumes, {
    ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'here' } },
    spec: {
      ...{ accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' } },
      claimRef: { ...metadata, kind: 'PersistentVolumeClaim', apiVersion: 'v1', uid },
      nodeAffinity: { required: { nodeSelectorTerms: [term] } },
    },
  } as New<KubeObject>);
  const body = { status: { phase: 'Bound' } };
  const at = { ...metadata, signal, patchType: 'merge', subresource: 'status', body } as const;
  const bound = await cluster.client.patch(persistentvolumeclaims, at);
  const mounting = makePod('mounting', {
    spec: {
      tolerations: [{ operator: 'Exists' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'here' } }],
    },
  });
  const made = await create(pods, bare(mounting));
  const said =
    (await there.decided(made)).status.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? '';
  const caches = new Map<object, { put(object: KubeObject): unknown }>([
    [persistentvolumeclaims, createObjectCache(persistentvolumeclaims)],
    [persistentvolumes, createObjectCache(persistentvolumes)],
  ]);
  caches.get(persistentvolumeclaims)?.put(bound);
  caches.get(persistentvolumes)?.put(volume);
  const snapshot = createSnapshot({ of: (type) => (caches.get(type) as never) ?? createObjectCache(type) });
  for (const node of (await cluster.client.list(nodes, { signal })).items) snapshot.setNode(node);
  for (const pod of (await cluster.client.list(pods, { signal })).items) snapshot.setPod(pod);
  const expected = ours(made, snapshot);
  expect(inCommon(said)).toBe('message' in expected ? inCommon(expected.message) : '');
  expect(said).toContain("node(s) didn't match PersistentVolume's node affinity");
});

test.skipIf(programs === undefined)('a claim that waits for its pod finds no volume in the same words', async () => {
  const metadata = { namespace: 'default', name: 'open' };
  const storageClass = await create(storageclasses, {
    ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'local' } },
    ...{ provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' },
  } as New<KubeObject>);
  const claim = await create(persistentvolumeclaims, {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'local', resources: { requests: { storage: '1Gi' } } },
  } as New<KubeObject>);
  const tolerations = [{ operator: 'Exists' }];
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'open' } }];
  const made = await create(pods, bare(makePod('opening', { spec: { tolerations, volumes } })));
  const said =
    (await there.decided(made)).status.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? '';
  const caches = new Map<object, { put(object: KubeObject): unknown }>([
    [persistentvolumeclaims, createObjectCache(persistentvolumeclaims)],
    [storageclasses, createObjectCache(storageclasses)],
  ]);
  caches.get(persistentvolumeclaims)?.put(claim);
  caches.get(storageclasses)?.put(storageClass);
  const snapshot = createSnapshot({ of: (type) => (caches.get(type) as never) ?? createObjectCache(type) });
  for (const node of (await cluster.client.list(nodes, { signal })).items) snapshot.setNode(node);
  for (const pod of (await cluster.client.list(pods, { signal })).items) snapshot.setPod(pod);
  const expected = ours(made, snapshot);
  expect(inCommon(said)).toBe('message' in expected ? inCommon(expected.message) : '');
  expect(said).toContain("node(s) didn't find available persistent volumes to bind");
});
