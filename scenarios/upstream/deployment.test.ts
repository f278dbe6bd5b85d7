/** Upstream's end-to-end tests of Deployments, ReplicaSets and ReplicationControllers: rows 2.6. */
import {
  type Deployment,
  deployments,
  type KubeObject,
  type Pod,
  pods,
  type ReplicaSet,
  type ResourceType,
  replicasets,
  replicationcontrollers,
  resourcequotas,
} from '@signalbox/cluster';
import { seededRandom } from '@signalbox/cluster/testing';
import { expect } from 'vitest';
import { imagesOf, isGoing, nameOf, namesOf, namespace, row, type Stage, serving } from './stage.ts';

const name = 'web';
const at: { readonly namespace: string; readonly name: string } = { namespace, name };
const labels: Readonly<Record<string, string>> = { app: name };
const broken = 'registry.invalid/none:1';

const template = (image = 'example/app:1', annotations: Readonly<Record<string, string>> = {}): object => ({
  metadata: { labels, annotations },
  spec: { containers: [{ name: 'app', image }] },
});

async function create({ client, advance }: Stage, spec: object = {}, seconds = 10): Promise<void> {
  const whole = { replicas: 3, selector: { matchLabels: labels }, template: template(), ...spec };
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...at, labels }, spec: whole };
  await client.create(deployments, object as never);
  await advance(seconds * 1_000);
}

const read = ({ client }: Stage): Promise<Deployment> => client.get(deployments, at);

async function change({ client }: Stage, spec: object): Promise<void> {
  await client.patch(deployments, { ...at, patchType: 'merge', body: { spec } });
}

const setImage = (stage: Stage, image: string): Promise<void> =>
  change(stage, { template: { spec: { containers: [{ name: 'app', image }] } } });

async function setsOf({ client }: Stage): Promise<readonly ReplicaSet[]> {
  return (await client.list(replicasets, { namespace, labelSelector: `app=${name}` })).items;
}

const imageOf = ({ spec }: ReplicaSet): string => spec.template?.spec?.containers[0]?.image ?? '';
const sizeOf = async (stage: Stage, image: string): Promise<number | undefined> =>
  (await setsOf(stage)).find((set) => imageOf(set) === image)?.spec.replicas;

const reasonOf = async (stage: Stage, type: string): Promise<string | undefined> =>
  (await read(stage)).status.conditions?.find((condition) => condition.type === type)?.reason;

async function createSet({ client, advance }: Stage, spec: object = {}): Promise<void> {
  const whole = { replicas: 1, selector: { matchLabels: labels }, template: template(), ...spec };
  const object = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { ...at, labels }, spec: whole };
  await client.create(replicasets, object as never);
  await advance(5_000);
}

row('2.6.1', async (stage) => {
  await createSet(stage, { replicas: 3, template: template() });
  const revision = { metadata: { annotations: { 'deployment.kubernetes.io/revision': '3546343826724305832' } } };
  await stage.client.patch(replicasets, { ...at, patchType: 'merge', body: revision });
  await create(stage, { template: template('example/app:2'), strategy: { type: 'RollingUpdate' } });
  await stage.watching(name, { seconds: 20, look: (found) => expect(serving(found).length).toBeGreaterThanOrEqual(2) });
  expect(imagesOf(serving(await stage.podsOf(name)))).toEqual(['example/app:2']);
  const [old] = (await setsOf(stage)).filter((set) => nameOf(set) === name);
  expect(old?.metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', name, controller: true }]);
  expect(old?.spec.replicas).toBe(0);
  expect((await read(stage)).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3546343826724305833');
});

row('2.6.2', async (stage) => {
  await create(stage, { strategy: { type: 'Recreate' } });
  await setImage(stage, 'example/app:2');
  await stage.watching(name, { seconds: 20, look: (found) => expect(imagesOf(found).length).toBeLessThanOrEqual(1) });
  expect(imagesOf(serving(await stage.podsOf(name)))).toEqual(['example/app:2']);
  expect((await read(stage)).status).toMatchObject({ updatedReplicas: 3, availableReplicas: 3 });
});

row('2.6.3', async (stage) => {
  await create(stage, { revisionHistoryLimit: 1 });
  for (const image of ['example/app:2', 'example/app:3', 'example/app:4']) {
    await setImage(stage, image);
    await stage.advance(20_000);
  }
  expect((await setsOf(stage)).map(imageOf).sort()).toEqual(['example/app:3', 'example/app:4']);
  await change(stage, { revisionHistoryLimit: 0 });
  await stage.advance(5_000);
  expect((await setsOf(stage)).map(imageOf)).toEqual(['example/app:4']);
});

row('2.6.4', async (stage) => {
  await create(stage, { minReadySeconds: 5, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
  await stage.advance(10_000);
  await setImage(stage, broken);
  await stage.advance(10_000);
  expect(await sizeOf(stage, broken)).toBe(1);
  await setImage(stage, 'example/app:3');
  await stage.watching(name, { seconds: 60, look: (found) => expect(serving(found).length).toBeGreaterThanOrEqual(3) });
  expect(imagesOf(await stage.podsOf(name))).toEqual(['example/app:3']);
  expect([await sizeOf(stage, 'example/app:1'), await sizeOf(stage, broken)]).toEqual([0, 0]);
});

row('2.6.5', async (stage) => {
  const random = seededRandom('iterative');
  await create(stage, { replicas: 6, progressDeadlineSeconds: 30, revisionHistoryLimit: 2 });
  for (let turn = 0; turn < 20; turn++) {
    const chance = random.below(5);
    if (chance === 0) await setImage(stage, `example/app:${turn}`);
    if (chance === 1) await change(stage, { replicas: 2 + random.below(6) });
    if (chance === 2) await change(stage, { paused: turn % 2 === 0 });
    if (chance === 3) await setImage(stage, broken);
    const found = await stage.podsOf(name);
    const victim = found[random.below(found.length)];
    if (chance === 4 && victim !== undefined) await stage.client.delete(pods, { namespace, name: nameOf(victim) });
    await stage.advance(1_000 * random.below(8));
  }
  await change(stage, { paused: false });
  await setImage(stage, 'example/app:last');
  await stage.advance(60_000);
  const { spec, status } = await read(stage);
  expect(status).toMatchObject({
    replicas: spec.replicas,
    updatedReplicas: spec.replicas,
    readyReplicas: spec.replicas,
  });
  expect(await reasonOf(stage, 'Progressing')).toBe('NewReplicaSetAvailable');
  expect(imagesOf(await stage.podsOf(name))).toEqual(['example/app:last']);
});

row('2.6.6', async (stage) => {
  await create(stage);
  const [set] = await setsOf(stage);
  if (set === undefined) throw new Error('no ReplicaSet');
  const owners = async (): Promise<readonly string[]> =>
    (await setsOf(stage)).flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid));
  const before = namesOf(await stage.podsOf(name));
  await stage.client.delete(deployments, { ...at, propagationPolicy: 'Orphan' });
  await stage.advance(5_000);
  expect(await owners()).toEqual([]);
  await create(stage);
  expect(await owners()).toEqual([(await read(stage)).metadata.uid]);
  expect(namesOf(await setsOf(stage))).toEqual([nameOf(set)]);
  expect(namesOf(await stage.podsOf(name))).toEqual(before);
});

row(
  '2.6.7',
  async (stage) => {
    const strategy = { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
    await create(stage, { replicas: 10, strategy });
    await setImage(stage, broken);
    await stage.advance(20_000);
    expect([await sizeOf(stage, 'example/app:1'), await sizeOf(stage, broken)]).toEqual([8, 5]);
    await change(stage, { replicas: 30 });
    await stage.advance(20_000);
    expect([await sizeOf(stage, 'example/app:1'), await sizeOf(stage, broken)]).toEqual([20, 13]);
    const [set] = await setsOf(stage);
    expect(set?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/desired-replicas': '30',
      'deployment.kubernetes.io/max-replicas': '33',
    });
  },
  { nodes: 3 },
);

row('2.6.8', async (stage) => {
  await create(stage, { progressDeadlineSeconds: 30 });
  await setImage(stage, broken);
  await stage.advance(25_000);
  expect(await reasonOf(stage, 'Progressing')).toBe('ReplicaSetUpdated');
  await stage.advance(15_000);
  const { conditions = [] } = (await read(stage)).status;
  expect(conditions.find(({ type }) => type === 'Progressing')).toMatchObject({
    status: 'False',
    reason: 'ProgressDeadlineExceeded',
    message: expect.stringMatching(/^ReplicaSet "web-\w+" has timed out progressing\.$/),
  });
  expect(await reasonOf(stage, 'Available')).toBe('MinimumReplicasAvailable');
  await change(stage, { paused: true });
  await setImage(stage, 'example/app:3');
  await stage.advance(60_000);
  expect(await sizeOf(stage, 'example/app:3')).toBeUndefined();
  await change(stage, { paused: false });
  await stage.advance(20_000);
  expect(await reasonOf(stage, 'Progressing')).toBe('NewReplicaSetAvailable');
  expect(imagesOf(serving(await stage.podsOf(name)))).toEqual(['example/app:3']);
});

/** The scale of a workload, as its own door shows it. */
interface Scale extends KubeObject {
  readonly spec: { readonly replicas?: number };
}

row('2.6.9', async (stage) => {
  const { client } = stage;
  await create(stage, { replicas: 1 });
  const scales = deployments as unknown as ResourceType<Scale>;
  const scale = await client.get(scales, { ...at, subresource: 'scale' });
  expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1, selector: 'app=web' } });
  await client.update(scales, { ...scale, spec: { replicas: 2 } }, { subresource: 'scale' });
  await stage.advance(5_000);
  expect((await read(stage)).status).toMatchObject({ readyReplicas: 2 });
  const told = { type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from a test' };
  const before = await client.get(deployments, { ...at, subresource: 'status' });
  const conditions = [...(before.status.conditions ?? []), told];
  const changed = { ...before, spec: { ...before.spec, replicas: 9 }, status: { ...before.status, conditions } };
  const replaced = await client.update(deployments, changed, { subresource: 'status' });
  expect(replaced.spec.replicas).toBe(2);
  await stage.advance(5_000);
  // Conditions of others stay.
  expect(await reasonOf(stage, 'StatusUpdate')).toBe('E2E');
  const body = { metadata: { labels: { patched: 'yes' } } };
  await client.patch(deployments, { ...at, patchType: 'strategic', body });
  const all = await client.list(deployments, { labelSelector: 'patched=yes' });
  expect(namesOf(all.items)).toEqual([name]);
  await stage.deleteCollection(deployments, 'patched=yes');
  await stage.advance(5_000);
  expect([await setsOf(stage), await stage.podsOf(name)]).toEqual([[], []]);
});

row(
  '2.6.10',
  async (stage) => {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: at, spec: { hard: { pods: '2' } } } as const;
    await stage.client.create(resourcequotas, quota);
    await stage.advance(2_000);
    await createSet(stage, { replicas: 3 });
    const failure = async (): Promise<object | undefined> =>
      (await stage.client.get(replicasets, at)).status.conditions?.find(({ type }) => type === 'ReplicaFailure');
    expect(await failure()).toMatchObject({
      status: 'True',
      reason: 'FailedCreate',
      message: expect.stringMatching(/^pods "web-.*" is forbidden: exceeded quota: web/),
    });
    await stage.client.patch(replicasets, { ...at, patchType: 'merge', body: { spec: { replicas: 2 } } });
    await stage.advance(5_000);
    expect(await failure()).toBeUndefined();
  },
  { problem: /exceeded quota/ },
);

async function orphan({ client, advance }: Stage): Promise<void> {
  const metadata = { namespace, name: 'orphan', labels };
  const spec = { containers: [{ name: 'app', image: 'example/app:1' }] };
  await client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  await advance(5_000);
}

const kindsOf = ({ metadata }: Pod): readonly string[] => (metadata.ownerReferences ?? []).map(({ kind }) => kind);

async function adoptsAndLetsGo(stage: Stage, kind: string): Promise<void> {
  const found = (): Promise<Pod> => stage.client.get(pods, { namespace, name: 'orphan' });
  expect(kindsOf(await found())).toEqual([kind]);
  expect(await stage.podsOf(name)).toHaveLength(1);
  const body = { metadata: { labels: { app: 'other' } } };
  await stage.client.patch(pods, { namespace, name: 'orphan', patchType: 'merge', body });
  await stage.advance(5_000);
  expect(kindsOf(await found())).toEqual([]);
  const made = (await stage.podsOf(name)).filter((pod) => !isGoing(pod));
  expect(made.flatMap(kindsOf)).toEqual([kind]);
}

row('2.6.11', async (stage) => {
  await orphan(stage);
  await createSet(stage);
  await adoptsAndLetsGo(stage, 'ReplicaSet');
});

row('2.6.12', async (stage) => {
  await orphan(stage);
  const object = { apiVersion: 'v1', kind: 'ReplicationController', metadata: { ...at, labels } } as const;
  await stage.client.create(replicationcontrollers, {
    ...object,
    spec: { replicas: 1, selector: labels, template: template() },
  } as never);
  await stage.advance(5_000);
  await adoptsAndLetsGo(stage, 'ReplicationController');
  const scales = replicationcontrollers as unknown as ResourceType<Scale>;
  const body = { spec: { replicas: 3 } };
  await stage.client.patch(scales, { ...at, patchType: 'merge', subresource: 'scale', body });
  await stage.advance(5_000);
  expect(serving(await stage.podsOf(name))).toHaveLength(3);
  expect((await stage.client.get(replicationcontrollers, at)).status).toMatchObject({ replicas: 3, readyReplicas: 3 });
});
