/** Upstream's end-to-end tests of StatefulSets: rows 2.2.1 to 2.2.15. */
import {
  deployments,
  type KubeObject,
  type Pod,
  persistentvolumeclaims,
  pods,
  type ResourceType,
  statefulsets,
} from '@signalbox/cluster';
import { expect } from 'vitest';
import { imagesOf, isGoing, namesOf, namespace, row, type Stage, serving } from './stage.ts';
import {
  at,
  brokenImage,
  change,
  container,
  create,
  follow,
  imagesByPod,
  name,
  read,
  removePod,
  revisionOf,
  revisionsOf,
  setImage,
  setReady,
} from './statefulset.ts';

const newImage = 'example/app:2';
const ordinals = (...numbers: readonly number[]): readonly string[] => numbers.map((number) => `${name}-${number}`);

async function podAt({ client }: Stage, ordinal: number): Promise<Pod> {
  return client.get(pods, { namespace, name: `${name}-${ordinal}` });
}

row('2.2.1', async (stage) => {
  await create(stage, { claims: 1 });
  const identity = ({ metadata, spec }: Pod): object => ({
    name: metadata.name,
    hostname: spec.hostname,
    subdomain: spec.subdomain,
    claims: spec.volumes?.flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []),
    index: metadata.labels?.['apps.kubernetes.io/pod-index'],
    label: metadata.labels?.['statefulset.kubernetes.io/pod-name'],
  });
  const before = await stage.podsOf(name);
  expect(before.map(identity)).toEqual(
    [0, 1, 2].map((index) => ({
      name: `web-${index}`,
      hostname: `web-${index}`,
      subdomain: name,
      claims: [`data-0-web-${index}`],
      index: String(index),
      label: `web-${index}`,
    })),
  );
  const claims = await stage.client.list(persistentvolumeclaims, { namespace });
  for (const ordinal of [0, 1, 2]) await removePod(stage, ordinal);
  await stage.advance(20_000);
  const after = serving(await stage.podsOf(name));
  expect(after.map(identity)).toEqual(before.map(identity));
  expect(after.map(({ metadata }) => metadata.uid)).not.toEqual(before.map(({ metadata }) => metadata.uid));
  const kept = await stage.client.list(persistentvolumeclaims, { namespace });
  expect(kept.items.map(({ metadata }) => metadata.uid)).toEqual(claims.items.map(({ metadata }) => metadata.uid));
});

row(
  '2.2.2',
  async (stage) => {
    await create(stage, { replicas: 1 });
    const owners = async (): Promise<readonly string[]> =>
      ((await podAt(stage, 0)).metadata.ownerReferences ?? []).map(({ uid }) => uid);
    const { uid } = (await read(stage)).metadata;
    expect(await owners()).toEqual([uid]);
    const mark = async (metadata: object): Promise<void> => {
      const body = { metadata };
      await stage.client.patch(pods, { namespace, name: 'web-0', patchType: 'merge', body });
      await stage.advance(5_000);
    };
    const before = await podAt(stage, 0);
    await mark({ ownerReferences: null });
    expect(await owners()).toEqual([uid]);
    await mark({ labels: { app: 'other' } });
    expect(await owners()).toEqual([]);
    await mark({ labels: { app: name } });
    expect(await owners()).toEqual([uid]);
    expect((await podAt(stage, 0)).metadata.uid).toBe(before.metadata.uid);
  },
  // Whoever was let go still has the name.
  { problem: /pods "web-0" already exists/ },
);

row('2.2.3', async (stage) => {
  await create(stage, { replicas: 2, annotations: { 'signalbox.dev/ready-after': 'never' } });
  expect(namesOf(await stage.podsOf(name))).toEqual(ordinals(0));
  await setReady(stage, 0, '0s');
  await stage.advance(5_000);
  expect(namesOf(await stage.podsOf(name))).toEqual(ordinals(0, 1));
  const { uid } = (await podAt(stage, 0)).metadata;
  await removePod(stage, 0);
  await stage.advance(5_000);
  expect((await podAt(stage, 0)).metadata.uid).not.toBe(uid);
  for (const ordinal of [0, 1]) await setReady(stage, ordinal, '0s');
  await stage.advance(5_000);
  expect(namesOf(serving(await stage.podsOf(name)))).toEqual(ordinals(0, 1));
});

async function rolloutAndBack(stage: Stage, claims: number): Promise<void> {
  await create(stage, { claims });
  const { currentRevision, updateRevision } = (await read(stage)).status;
  expect(updateRevision).toBe(currentRevision);
  await setReady(stage, 1, 'never');
  await stage.advance(2_000);
  const { told, stop } = follow(stage);
  await setImage(stage, newImage);
  await stage.advance(30_000);
  // A pod that does not serve holds up the rollout; which revisions there are is told at once.
  expect(told).toEqual([]);
  const during = (await read(stage)).status;
  expect(during.currentRevision).toBe(currentRevision);
  expect(during.updateRevision).not.toBe(currentRevision);
  await setReady(stage, 1, null);
  await stage.watching(name, {
    seconds: 30,
    look: (found) => expect(serving(found).length).toBeGreaterThanOrEqual(2),
  });
  expect(told).toEqual(['-web-2', '+web-2', '-web-1', '+web-1', '-web-0', '+web-0']);
  expect(imagesOf(serving(await stage.podsOf(name)))).toEqual([newImage]);
  expect((await read(stage)).status).toMatchObject({ currentRevision: during.updateRevision, updatedReplicas: 3 });

  await setReady(stage, 1, 'never');
  await stage.advance(2_000);
  told.length = 0;
  await setImage(stage, container.image);
  await stage.advance(20_000);
  expect(told).toEqual([]);
  await setReady(stage, 1, null);
  await stage.watching(name, {
    seconds: 30,
    look: (found) => expect(serving(found).length).toBeGreaterThanOrEqual(2),
  });
  expect(told).toEqual(['-web-2', '+web-2', '-web-1', '+web-1', '-web-0', '+web-0']);
  const found = serving(await stage.podsOf(name));
  expect(imagesOf(found)).toEqual([container.image]);
  expect(new Set(found.map(revisionOf))).toEqual(new Set([currentRevision]));
  expect((await read(stage)).status).toMatchObject({ currentRevision, updateRevision: currentRevision });
  expect((await revisionsOf(stage)).map(({ revision }) => revision)).toEqual([2, 3]);
  stop();
}

row('2.2.4', (stage) => rolloutAndBack(stage, 0));
row('2.2.5', (stage) => rolloutAndBack(stage, 1));

const partitioned = (partition: number): object => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
});

row('2.2.6', async (stage) => {
  await create(stage, { set: partitioned(3) });
  const { currentRevision } = (await read(stage)).status;
  await setImage(stage, newImage);
  await stage.advance(20_000);
  expect(imagesOf(await stage.podsOf(name))).toEqual([container.image]);
  expect((await read(stage)).status.updateRevision).not.toBe(currentRevision);
  await change(stage, partitioned(2));
  await stage.advance(20_000);
  const canary = ['web-0 example/app:1', 'web-1 example/app:1', `web-2 ${newImage}`];
  expect(await imagesByPod(stage)).toEqual(canary);
  for (const ordinal of [2, 0]) await removePod(stage, ordinal);
  await stage.advance(20_000);
  expect(await imagesByPod(stage)).toEqual(canary);
  expect((await podAt(stage, 0)).metadata.labels?.['controller-revision-hash']).toBe(currentRevision);
  for (const partition of [1, 0]) {
    await change(stage, partitioned(partition));
    await stage.advance(20_000);
    const images = (await imagesByPod(stage)).map((text) => text.endsWith(newImage));
    expect(images).toEqual([0, 1, 2].map((ordinal) => ordinal >= partition));
  }
  const { status } = await read(stage);
  expect(status).toMatchObject({ updatedReplicas: 3, currentReplicas: 3, currentRevision: status.updateRevision });
});

row('2.2.7', async (stage) => {
  await create(stage, { set: partitioned(1) });
  await setImage(stage, newImage);
  await stage.advance(30_000);
  const expected = ['web-0 example/app:1', `web-1 ${newImage}`, `web-2 ${newImage}`];
  expect(await imagesByPod(stage)).toEqual(expected);
  await removePod(stage, 0);
  await stage.advance(20_000);
  expect(await imagesByPod(stage)).toEqual(expected);
  expect(serving(await stage.podsOf(name))).toHaveLength(3);
});

row('2.2.8', async (stage) => {
  await create(stage, { set: partitioned(1) });
  await setImage(stage, brokenImage);
  await stage.advance(30_000);
  const expected = ['web-0 example/app:1', 'web-1 example/app:1', `web-2 ${brokenImage}`];
  expect(await imagesByPod(stage)).toEqual(expected);
  await removePod(stage, 0);
  await stage.advance(20_000);
  expect(await imagesByPod(stage)).toEqual(expected);
  expect(namesOf(serving(await stage.podsOf(name)))).toEqual(ordinals(0, 1));
});

row('2.2.9', async (stage) => {
  await create(stage, { set: { updateStrategy: { type: 'OnDelete' } } });
  const { currentRevision } = (await read(stage)).status;
  await setImage(stage, newImage);
  await stage.advance(20_000);
  expect(imagesOf(await stage.podsOf(name))).toEqual([container.image]);
  for (const ordinal of [0, 1, 2]) await removePod(stage, ordinal);
  await stage.advance(20_000);
  expect(imagesOf(serving(await stage.podsOf(name)))).toEqual([newImage]);
  const { status } = await read(stage);
  // What the set comes from is never moved on without a rollout.
  expect(status).toMatchObject({ currentRevision, updatedReplicas: 3 });
  expect(status.updateRevision).not.toBe(currentRevision);
});

row('2.2.10', async (stage) => {
  const { told, stop } = follow(stage);
  await create(stage, { annotations: { 'signalbox.dev/ready-after': '1s' } });
  expect(told.slice(-3)).toEqual(['+web-0', '+web-1', '+web-2']);
  await setReady(stage, 1, 'never');
  await stage.advance(2_000);
  told.length = 0;
  await change(stage, { replicas: 5 });
  await stage.advance(30_000);
  expect(told).toEqual([]);
  await setReady(stage, 1, '1s');
  await stage.advance(20_000);
  expect(told).toEqual(['+web-3', '+web-4']);
  // While none of them serves only the lowest might go, and it is not its turn.
  for (const ordinal of [0, 1, 2, 3, 4]) await setReady(stage, ordinal, 'never');
  await stage.advance(2_000);
  told.length = 0;
  await change(stage, { replicas: 0 });
  await stage.advance(30_000);
  expect(told).toEqual([]);
  await change(stage, { replicas: 5 });
  for (const ordinal of [0, 1, 2, 3, 4]) await setReady(stage, ordinal, '1s');
  await stage.advance(5_000);
  await setReady(stage, 0, 'never');
  await stage.advance(2_000);
  told.length = 0;
  await change(stage, { replicas: 0 });
  await stage.advance(30_000);
  // The topmost unhealthy pod may go; those above it go first, those below it wait.
  expect(told).toEqual(['-web-4', '-web-3', '-web-2', '-web-1', '-web-0']);
  expect(await stage.podsOf(name)).toEqual([]);
  stop();
});

row('2.2.11', async (stage) => {
  const { told, stop } = follow(stage);
  await create(stage, {
    set: { podManagementPolicy: 'Parallel' },
    annotations: { 'signalbox.dev/ready-after': 'never' },
  });
  expect(told.filter((text) => text.startsWith('+web'))).toHaveLength(3);
  await change(stage, { replicas: 5 });
  await stage.advance(5_000);
  expect(namesOf(await stage.podsOf(name))).toEqual(ordinals(0, 1, 2, 3, 4));
  await change(stage, { replicas: 0 });
  await stage.advance(5_000);
  expect(await stage.podsOf(name)).toEqual([]);
  stop();
});

row('2.2.12', async (stage) => {
  const ports = [{ containerPort: 80, hostPort: 8080, name: 'http' }];
  const holder = { spec: { nodeName: 'node-1', containers: [{ ...container, ports }] } };
  const metadata = { namespace, name: 'holder' };
  await stage.client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, ...holder });
  await stage.advance(5_000);
  const seen = new Set<string>();
  const stop = stage.platform.informers.listen(pods, ({ object }) => {
    if (object.metadata.name === 'web-0' && object.status.phase === 'Failed') seen.add(object.metadata.uid ?? '');
  });
  await create(stage, { replicas: 1, pod: holder.spec });
  expect(seen.size).toBeGreaterThan(1);
  await stage.client.delete(pods, metadata);
  await stage.advance(60_000);
  expect(namesOf(serving(await stage.podsOf(name)))).toEqual(ordinals(0));
  stop();
});

/** The scale of a workload, as its own door shows it. */
interface Scale extends KubeObject {
  readonly spec: { readonly replicas?: number };
}

row('2.2.13', async (stage) => {
  const { client } = stage;
  await create(stage, { replicas: 1 });
  const scales = statefulsets as unknown as ResourceType<Scale>;
  const scale = await client.get(scales, { ...at, subresource: 'scale' });
  expect(scale).toMatchObject({
    kind: 'Scale',
    spec: { replicas: 1 },
    status: { replicas: 1, selector: `app=${name}` },
  });
  await client.update(scales, { ...scale, spec: { replicas: 2 } }, { subresource: 'scale' });
  expect((await read(stage)).spec.replicas).toBe(2);
  const body = { spec: { replicas: 4 } };
  const patched = await client.patch(scales, { ...at, patchType: 'merge', subresource: 'scale', body });
  expect(patched.spec.replicas).toBe(4);
  await stage.advance(30_000);
  expect(namesOf(serving(await stage.podsOf(name)))).toEqual(ordinals(0, 1, 2, 3));
});

row('2.2.14', async (stage) => {
  const { client } = stage;
  await create(stage, { replicas: 1 });
  const all = await client.list(statefulsets, { labelSelector: `app=${name}` });
  expect(namesOf(all.items)).toEqual([name]);
  const body = {
    metadata: { labels: { patched: 'yes' } },
    spec: { replicas: 2, template: { spec: { containers: [{ name: container.name, image: newImage }] } } },
  };
  const patched = await client.patch(statefulsets, { ...at, patchType: 'strategic', body });
  expect(patched.metadata.labels).toEqual({ app: name, patched: 'yes' });
  await stage.advance(30_000);
  expect(await imagesByPod(stage)).toEqual([`web-0 ${newImage}`, `web-1 ${newImage}`]);
  await stage.deleteCollection(statefulsets, 'patched=yes');
  expect((await client.list(statefulsets, { namespace })).items).toEqual([]);
  await stage.advance(10_000);
  expect(await stage.podsOf(name)).toEqual([]);
  expect((await client.list(deployments, { namespace })).items).toEqual([]);
});

row('2.2.15', async (stage) => {
  const { client } = stage;
  await create(stage, { replicas: 1 });
  const before = await client.get(statefulsets, { ...at, subresource: 'status' });
  expect(before.status).toMatchObject({ replicas: 1, readyReplicas: 1 });
  const told = { type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from a test' };
  const changed = {
    ...before,
    spec: { ...before.spec, replicas: 5 },
    status: { ...before.status, conditions: [told] },
  };
  const replaced = await client.update(statefulsets, changed, { subresource: 'status' });
  expect(replaced.status.conditions).toEqual([told]);
  expect(replaced.spec.replicas).toBe(1);
  const body = { status: { conditions: [{ type: 'StatusPatched', status: 'True' }] } };
  await client.patch(statefulsets, { ...at, patchType: 'merge', subresource: 'status', body });
  await stage.advance(5_000);
  expect((await read(stage)).status.conditions).toEqual(body.status.conditions);
  expect((await stage.podsOf(name)).filter(isGoing)).toEqual([]);
});
