/** Upstream's end-to-end tests of StatefulSets and their claims: rows 2.2.18 to 2.2.25. */
import {
  type OwnerReference,
  type PersistentVolumeClaim,
  persistentvolumeclaims,
  persistentvolumes,
  poddisruptionbudgets,
  pods,
  services,
  statefulsets,
} from '@signalbox/cluster';
import { expect } from 'vitest';
import { imagesOf, namesOf, namespace, nodesOf, row, type Stage, serving } from './stage.ts';
import { at, change, create, follow, name, read, setImage } from './statefulset.ts';

async function claimsOf({ client }: Stage): Promise<readonly PersistentVolumeClaim[]> {
  return (await client.list(persistentvolumeclaims, { namespace })).items;
}

async function own({ client }: Stage, claim: string, ownerReferences: readonly OwnerReference[] | null): Promise<void> {
  const body = { metadata: { ownerReferences } };
  await client.patch(persistentvolumeclaims, { namespace, name: claim, patchType: 'merge', body });
}

async function ownersOf(stage: Stage, claim: string): Promise<readonly string[]> {
  const { metadata } = await stage.client.get(persistentvolumeclaims, { namespace, name: claim });
  return (metadata.ownerReferences ?? []).map((owner) => `${owner.kind} ${owner.name} ${owner.controller === true}`);
}

const retention = (whenDeleted: string, whenScaled: string): object => ({
  persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
});

async function removeSet(stage: Stage): Promise<void> {
  await stage.client.delete(statefulsets, at);
  await stage.advance(30_000);
}

/** What comes of the set without its pods, which then belong to nobody, and its successor, which adopts them. */
async function recreate(stage: Stage, policy: object): Promise<void> {
  await stage.client.delete(statefulsets, { ...at, propagationPolicy: 'Orphan' });
  await stage.advance(5_000);
  const before = await stage.podsOf(name);
  expect(before.flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
  await create(stage, { claims: 1, set: policy });
  const after = await stage.podsOf(name);
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  expect(after.every(({ metadata }) => metadata.ownerReferences?.length === 1)).toBe(true);
}

row('2.2.18', async (stage) => {
  const labels = { app: name };
  await stage.client.create(services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: at,
    spec: { clusterIP: 'None', selector: labels, ports: [{ name: 'peer', port: 3888 }] },
  });
  await stage.client.create(poddisruptionbudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: at,
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  });
  const term = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' };
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  await create(stage, { claims: 1, set: { podManagementPolicy: 'Parallel' }, pod: { affinity: { podAntiAffinity } } });
  expect(nodesOf(serving(await stage.podsOf(name)))).toEqual(['node-1', 'node-2', 'node-3']);
  const before = await claimsOf(stage);
  expect(before.map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound', 'Bound']);
  expect((await stage.client.list(persistentvolumes)).items).toHaveLength(3);
  await setImage(stage, 'example/app:2');
  await stage.watching(name, {
    seconds: 30,
    look: (found) => expect(serving(found).length).toBeGreaterThanOrEqual(2),
  });
  const after = serving(await stage.podsOf(name));
  expect(imagesOf(after)).toEqual(['example/app:2']);
  expect(nodesOf(after)).toEqual(['node-1', 'node-2', 'node-3']);
  await change(stage, { replicas: 1 });
  await stage.advance(20_000);
  await change(stage, { replicas: 3 });
  await stage.advance(20_000);
  expect(serving(await stage.podsOf(name))).toHaveLength(3);
  expect((await claimsOf(stage)).map(({ metadata }) => metadata.uid)).toEqual(
    before.map(({ metadata }) => metadata.uid),
  );
});

row('2.2.19', async (stage) => {
  await create(stage, { claims: 1, set: retention('Delete', 'Retain') });
  expect(await ownersOf(stage, 'data-0-web-0')).toEqual(['StatefulSet web true']);
  await change(stage, { replicas: 2 });
  await stage.advance(10_000);
  expect(await claimsOf(stage)).toHaveLength(3);
  await removeSet(stage);
  expect(await claimsOf(stage)).toEqual([]);
});

row('2.2.20', async (stage) => {
  await create(stage, { claims: 1, set: retention('Retain', 'Delete') });
  expect(await ownersOf(stage, 'data-0-web-2')).toEqual([]);
  await change(stage, { replicas: 1 });
  await stage.advance(20_000);
  expect(namesOf(await claimsOf(stage))).toEqual(['data-0-web-0']);
  await removeSet(stage);
  expect(namesOf(await claimsOf(stage))).toEqual(['data-0-web-0']);
});

row('2.2.21', async (stage) => {
  await create(stage, { claims: 1 });
  await recreate(stage, retention('Delete', 'Retain'));
  expect(await ownersOf(stage, 'data-0-web-1')).toEqual(['StatefulSet web true']);
  await removeSet(stage);
  expect(await claimsOf(stage)).toEqual([]);
});

row('2.2.22', async (stage) => {
  await create(stage, { claims: 1 });
  await recreate(stage, retention('Retain', 'Delete'));
  await change(stage, { replicas: 2 });
  await stage.advance(20_000);
  expect(namesOf(await claimsOf(stage))).toEqual(['data-0-web-0', 'data-0-web-1']);
});

/** Somebody of whom the garbage collector knows that they are there. */
async function somebody({ client }: Stage): Promise<OwnerReference> {
  const metadata = { namespace, name: 'somebody' };
  const spec = { containers: [{ name: 'app', image: 'example/app:1' }] };
  const { metadata: made } = await client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  return { apiVersion: 'v1', kind: 'Pod', name: made.name, uid: made.uid ?? '' };
}

row('2.2.23', async (stage) => {
  await create(stage, { claims: 1, set: retention('Delete', 'Delete') });
  const foreign = { ...(await somebody(stage)), controller: true };
  await own(stage, 'data-0-web-2', [foreign]);
  await stage.advance(5_000);
  expect(await ownersOf(stage, 'data-0-web-2')).toEqual(['Pod somebody true']);
  await removeSet(stage);
  expect(namesOf(await claimsOf(stage))).toEqual(['data-0-web-2']);
});

row('2.2.24', async (stage) => {
  await create(stage, { claims: 1, replicas: 4, set: retention('Retain', 'Retain') });
  const foreign = await somebody(stage);
  await own(stage, 'data-0-web-1', [foreign]);
  await own(stage, 'data-0-web-2', [{ ...foreign, controller: true }]);
  // One of a set of this name that is no more. The other owner keeps the collector from taking the claim with it.
  const earlier = { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid: 'an-earlier-set', controller: true };
  const owned: (readonly string[])[] = [];
  const stop = stage.platform.informers.listen(persistentvolumeclaims, ({ object: { metadata } }) => {
    if (metadata.name === 'data-0-web-3') owned.push((metadata.ownerReferences ?? []).map(({ uid }) => uid));
  });
  owned.length = 0;
  await own(stage, 'data-0-web-3', [foreign, earlier]);
  await change(stage, retention('Delete', 'Retain'));
  await stage.advance(10_000);
  stop();
  expect(await ownersOf(stage, 'data-0-web-0')).toEqual(['StatefulSet web true']);
  expect(await ownersOf(stage, 'data-0-web-1')).toEqual(['Pod somebody false', 'StatefulSet web true']);
  expect(await ownersOf(stage, 'data-0-web-2')).toEqual(['Pod somebody true']);
  // The set leaves it alone until the collector has taken off the dead one.
  const { uid } = (await read(stage)).metadata;
  expect(owned).toEqual([[foreign.uid, earlier.uid], [foreign.uid], [foreign.uid, uid]]);
  await removeSet(stage);
  // One that has another owner besides stays; the garbage collector takes the dead one off.
  expect(namesOf(await claimsOf(stage))).toEqual(['data-0-web-1', 'data-0-web-2', 'data-0-web-3']);
  expect(await ownersOf(stage, 'data-0-web-1')).toEqual(['Pod somebody false']);
});

row('2.2.25', async (stage) => {
  await create(stage, { claims: 1, replicas: 1, pod: { nodeSelector: { place: 'nowhere' } } });
  const [before] = await claimsOf(stage);
  const patch = { metadata: { finalizers: null } };
  const of = { namespace, name: 'data-0-web-0' };
  await stage.client.delete(persistentvolumeclaims, of);
  // Somebody lifts the protection.
  await stage.client.patch(persistentvolumeclaims, { ...of, patchType: 'merge', body: patch }).catch(() => undefined);
  await stage.advance(5_000);
  const [after] = await claimsOf(stage);
  expect(after?.metadata.uid).toBeDefined();
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
  expect((await read(stage)).status.replicas).toBe(1);
  const { told, stop } = follow(stage);
  await stage.advance(5_000);
  expect(told).toEqual([]);
  stop();
});
