import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { controllerrevisions, persistentvolumeclaims, pods, statefulsets } from '../../api/generated/kinds.ts';
import {
  createWorld,
  meta,
  podSpec,
  ready,
  reconcile,
  runAll,
  terminating,
  unready,
  type World,
} from '../../testing/plan-world.ts';
import { setsUsing, statefulsetController } from './controller.ts';

let world: World;
const key = 'default/web';

beforeEach(() => {
  world = createWorld();
});

const dataClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: meta('data', { labels: { tier: 'db' } }),
  spec: { accessModes: ['ReadWriteOnce'] },
  status: {},
} as const satisfies PersistentVolumeClaim;

function put(spec: Partial<StatefulSet['spec']> = {}): StatefulSet {
  return world.put(statefulsets, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: meta('web'),
    spec: {
      serviceName: 'web',
      replicas: 3,
      podManagementPolicy: 'OrderedReady',
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: podSpec },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
    status: { replicas: 0 },
  });
}

/** What one plan does to pods and claims. */
function sync(): readonly string[] {
  const lines = reconcile(world, { controller: statefulsetController, key });
  return lines.filter((text) => / (pods|persistentvolumeclaims) |^emit/.test(text));
}

function current(): StatefulSet {
  const found = world.of(statefulsets).get(key);
  if (found === undefined) throw new Error('no statefulset');
  return found;
}

function change(spec: Partial<StatefulSet['spec']>): void {
  const before = current();
  const generation = (before.metadata.generation ?? 1) + 1;
  world.put(statefulsets, {
    ...before,
    metadata: { ...before.metadata, generation },
    spec: { ...before.spec, ...spec },
  });
}

function image(name: string): void {
  const { template } = current().spec;
  change({ template: { ...template, spec: { ...template.spec, containers: [{ name: 'app', image: name }] } } });
}

/** Plans and runs pods until nothing changes. */
function settle(): void {
  for (let round = 0; round < 60; round++) {
    const lines = reconcile(world, { controller: statefulsetController, key });
    runAll(world);
    if (lines.length === 0) return;
  }
  throw new Error('does not settle');
}

function pod(ordinal: number): Pod {
  const found = world.of(pods).get(`default/web-${ordinal}`);
  if (found === undefined) throw new Error(`no pod web-${ordinal}`);
  return found;
}

function images(): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(world.list(pods).map(({ metadata, spec }) => [metadata.name, spec.containers[0]?.image]));
}

test('a pod that has failed and is outdated as well is deleted once', () => {
  put({ podManagementPolicy: 'Parallel' });
  settle();
  world.put(pods, { ...pod(1), status: { phase: 'Failed' } });
  image('app:2');
  expect(sync()).toEqual(['delete pods web-1']);
});

test('a pod serves nobody that is said to be ready before it runs', () => {
  put({ replicas: 2 });
  sync();
  const early = ready(pod(0));
  world.put(pods, { ...early, status: { ...early.status, phase: 'Pending' } });
  expect(sync()).toEqual([]);
  expect(current().status.readyReplicas).toBeUndefined();
  world.put(pods, early);
  expect(sync()).toEqual(['create pods web-1']);
});

test('the status leaves out what is nought, but for what is available', () => {
  put({ replicas: 1 });
  sync();
  const { currentRevision, updateRevision, collisionCount } = current().status;
  const names = { currentRevision, updateRevision, collisionCount, observedGeneration: 1 };
  expect(current().status).toEqual({ replicas: 0, availableReplicas: 0, ...names });
  sync();
  const made = { replicas: 1, currentReplicas: 1, updatedReplicas: 1 };
  expect(current().status).toEqual({ ...made, availableReplicas: 0, ...names });
  runAll(world);
  sync();
  expect(current().status).toEqual({ ...made, readyReplicas: 1, availableReplicas: 1, ...names });
});

describe('ordered', () => {
  test('pods are created one by one, each when the one before serves', () => {
    put();
    expect(sync()).toEqual(['create pods web-0']);
    expect(sync()).toEqual([]);
    runAll(world);
    expect(sync()).toEqual(['create pods web-1']);
    runAll(world);
    expect(sync()).toEqual(['create pods web-2']);
    runAll(world);
    expect(sync()).toEqual([]);
  });

  test('pods are deleted one by one from the top; an unready one waits for those below it to get ready', () => {
    put({ replicas: 4 });
    settle();
    change({ replicas: 0 });
    expect(sync()).toEqual(['delete pods web-3']);
    for (const ordinal of [1, 2]) world.put(pods, unready(pod(ordinal)));
    expect(sync()).toEqual([]);
    runAllAgain();
    world.put(pods, unready(pod(1)));
    expect(sync()).toEqual(['delete pods web-2']);
    expect(sync()).toEqual(['delete pods web-1']);
    expect(sync()).toEqual(['delete pods web-0']);
  });

  function runAllAgain(): void {
    for (const each of world.list(pods)) world.put(pods, { ...each, status: { phase: 'Pending' } });
    runAll(world);
  }

  test('the lowest of those to go need not have been ready for long enough', () => {
    put({ replicas: 2 });
    settle();
    change({ replicas: 1, minReadySeconds: 600 });
    world.put(pods, ready(pod(0), { sinceMs: world.nowMs - 600_000 }));
    expect(sync()).toEqual(['delete pods web-1']);
  });

  test('a terminating pod is waited for, on the way down and on the way up', () => {
    put();
    settle();
    world.put(pods, terminating(pod(0)));
    expect(sync()).toEqual([]);
    change({ replicas: 1 });
    expect(sync()).toEqual([]);
    world.remove(pods, pod(0));
    expect(sync()).toEqual(['create pods web-0']);
    runAll(world);
    expect(sync()).toEqual(['delete pods web-2']);
  });

  test('a missing predecessor is created although a later pod is not ready', () => {
    put();
    settle();
    world.put(pods, unready(pod(1)));
    world.remove(pods, pod(0));
    expect(sync()).toEqual(['create pods web-0']);
  });

  test.each(['Failed', 'Succeeded'])('a pod that is %s is deleted and then made anew', (phase) => {
    put({ replicas: 1 });
    settle();
    world.put(pods, { ...pod(0), status: { phase } });
    expect(sync()).toEqual(['delete pods web-0']);
    expect(sync()).toEqual(['create pods web-0']);
  });

  test('minReadySeconds holds up the next pod, and the controller looks again', () => {
    put({ minReadySeconds: 10 });
    sync();
    runAll(world);
    expect(sync()).toEqual([]);
    const observed = statefulsetController.observe(key, world, undefined);
    expect(observed && statefulsetController.plan(observed, world.nowMs + 3_000).againInMs).toBe(7_000);
    world.nowMs += 10_000;
    expect(sync()).toEqual(['create pods web-1']);
  });

  const cannotStart: Pod['status'] = {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
  };

  test.each(['app:1', 'app:3'])('a broken revision does not block its own mend, to %s', (mended) => {
    put();
    settle();
    image('broken');
    expect([...sync(), ...sync()]).toEqual(['delete pods web-2', 'create pods web-2']);
    world.put(pods, unready(pod(2)));
    expect(sync()).toEqual([]);
    image(mended);
    expect(sync()).toEqual(['delete pods web-2']);
    settle();
    expect(images()).toEqual({ 'web-0': mended, 'web-1': mended, 'web-2': mended });
  });

  test('what cannot even start stays where the partition keeps it, and where pods are replaced by hand', () => {
    for (const updateStrategy of [{ type: 'RollingUpdate', rollingUpdate: { partition: 1 } }, { type: 'OnDelete' }]) {
      world = createWorld();
      put({ updateStrategy });
      sync();
      world.put(pods, { ...pod(0), status: cannotStart });
      image('app:2');
      expect(sync()).toEqual([]);
    }
  });

  test('of several that cannot start each waits for the one before, and none is replaced twice', () => {
    put({ podManagementPolicy: 'Parallel' });
    sync();
    for (const ordinal of [0, 1, 2]) world.put(pods, { ...pod(ordinal), status: cannotStart });
    change({ podManagementPolicy: 'OrderedReady' });
    image('app:2');
    expect(sync()).toEqual(['delete pods web-0']);
    expect(sync()).toEqual(['create pods web-0']);
    expect(sync()).toEqual([]);
    world.put(pods, ready(pod(0)));
    expect(sync()).toEqual(['delete pods web-1']);
  });
});

describe('parallel', () => {
  const podManagementPolicy = 'Parallel';

  test('all pods come and go at once, ready or not', () => {
    put({ podManagementPolicy });
    expect(sync()).toEqual(['create pods web-0', 'create pods web-1', 'create pods web-2']);
    change({ replicas: 1 });
    expect(sync()).toEqual(['delete pods web-2', 'delete pods web-1']);
  });

  test('updates still go one by one', () => {
    put({ podManagementPolicy });
    settle();
    image('app:2');
    expect(sync()).toEqual(['delete pods web-2']);
    expect(sync()).toEqual(['create pods web-2']);
    expect(sync()).toEqual([]);
    runAll(world);
    expect(sync()).toEqual(['delete pods web-1']);
  });

  test('a pod further down that serves nobody counts as well, and is replaced first', () => {
    put({ podManagementPolicy });
    settle();
    world.put(pods, unready(pod(0)));
    image('app:2');
    expect(sync()).toEqual(['delete pods web-0']);
    expect(sync()).toEqual(['create pods web-0']);
    expect(sync()).toEqual([]);
    runAll(world);
    expect(sync()).toEqual(['delete pods web-2']);
  });

  test('pods that are ready go one by one as well while minReadySeconds are not over', () => {
    put({ podManagementPolicy, minReadySeconds: 60 });
    sync();
    runAll(world);
    image('app:2');
    expect(sync()).toEqual(['delete pods web-2']);
    expect(sync()).toEqual(['create pods web-2']);
    expect(sync()).toEqual([]);
    runAll(world);
    expect(sync()).toEqual([]);
    world.nowMs += 60_000;
    expect(sync()).toEqual(['delete pods web-1']);
  });

  test('below the partition it holds up the others', () => {
    put({ podManagementPolicy, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } });
    settle();
    world.put(pods, unready(pod(0)));
    image('app:2');
    expect(sync()).toEqual([]);
    world.put(pods, ready(pod(0)));
    expect(sync()).toEqual(['delete pods web-2']);
  });

  test('maxUnavailable lets several go at once, rounded down', () => {
    put({
      podManagementPolicy,
      replicas: 5,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } },
    });
    settle();
    image('app:2');
    expect(sync()).toEqual(['delete pods web-4', 'delete pods web-3']);
    expect(sync()).toEqual(['create pods web-3', 'create pods web-4']);
    expect(sync()).toEqual([]);
  });
});

describe('identity', () => {
  test('a pod carries its name, its index and its revision, and a host name below the service', () => {
    put({ replicas: 1 });
    sync();
    const revision = world.list(controllerrevisions)[0]?.metadata.name;
    expect(revision).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]+$/);
    expect(pod(0).metadata.labels).toEqual({
      app: 'web',
      'statefulset.kubernetes.io/pod-name': 'web-0',
      'apps.kubernetes.io/pod-index': '0',
      'controller-revision-hash': revision,
    });
    expect(pod(0).spec).toMatchObject({ hostname: 'web-0', subdomain: 'web' });
  });

  test('lost labels are put back', () => {
    put({ replicas: 1 });
    settle();
    const { 'statefulset.kubernetes.io/pod-name': _, ...labels } = pod(0).metadata.labels ?? {};
    world.put(pods, { ...pod(0), metadata: { ...pod(0).metadata, labels } });
    reconcile(world, { controller: statefulsetController, key });
    expect(pod(0).metadata.labels).toMatchObject({ 'statefulset.kubernetes.io/pod-name': 'web-0' });
  });

  test.each([
    ['moves the range up', 0, 2, ['web-2', 'web-3', 'web-4']],
    ['moves the range down', 5, 4, ['web-4', 'web-5', 'web-6']],
  ])('ordinals.start %s', (_, from, to, names) => {
    put({ ordinals: { start: from } });
    settle();
    change({ ordinals: { start: to } });
    settle();
    expect(
      world
        .list(pods)
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(names);
  });

  test('matching orphans with the name of a replica are adopted, others are left alone', () => {
    put({ replicas: 1 });
    const orphan = (name: string): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: meta(name, { labels: { app: 'web' } }),
      spec: podSpec,
      status: { phase: 'Running' },
    });
    world.put(pods, orphan('web-0'));
    world.put(pods, orphan('web-x'));
    world.put(pods, orphan('web-01'));
    sync();
    expect(pod(0).metadata.ownerReferences).toMatchObject([{ kind: 'StatefulSet', name: 'web' }]);
    expect(world.of(pods).get('default/web-x')?.metadata.ownerReferences).toBeUndefined();
    expect(world.of(pods).get('default/web-01')?.metadata.ownerReferences).toBeUndefined();
  });
});

describe('rolling update', () => {
  test('goes from the top to the bottom and then moves the current revision', () => {
    put();
    settle();
    const first = current().status.currentRevision;
    image('app:2');
    const order: string[] = [];
    for (let round = 0; round < 12; round++) {
      order.push(...sync().filter((text) => text.startsWith('delete')));
      if (round === 1)
        expect(current().status).toMatchObject({ currentRevision: first, currentReplicas: 2, replicas: 2 });
      runAll(world);
    }
    expect(order).toEqual(['delete pods web-2', 'delete pods web-1', 'delete pods web-0']);
    const { currentRevision, updateRevision, updatedReplicas, currentReplicas } = current().status;
    expect(currentRevision).not.toBe(first);
    expect(currentRevision).toBe(updateRevision);
    expect([updatedReplicas, currentReplicas]).toEqual([3, 3]);
  });

  test('stops at the partition, and a pod below it comes back as it was', () => {
    put({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
    settle();
    image('app:2');
    settle();
    expect(images()).toEqual({ 'web-0': 'app:1', 'web-1': 'app:1', 'web-2': 'app:2' });
    world.remove(pods, pod(0));
    settle();
    expect(images()).toMatchObject({ 'web-0': 'app:1', 'web-1': 'app:1', 'web-2': 'app:2' });
    expect(current().status.currentRevision).not.toBe(current().status.updateRevision);
    change({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } });
    settle();
    expect(new Set(Object.values(images()))).toEqual(new Set(['app:2']));
  });

  test('OnDelete replaces nothing by itself, and what is deleted comes back new', () => {
    put({ updateStrategy: { type: 'OnDelete' } });
    settle();
    image('app:2');
    settle();
    expect(new Set(Object.values(images()))).toEqual(new Set(['app:1']));
    world.remove(pods, pod(1));
    settle();
    expect(images()).toEqual({ 'web-0': 'app:1', 'web-1': 'app:2', 'web-2': 'app:1' });
  });

  test('a rollback reuses the old revision under a new number', () => {
    put();
    settle();
    image('app:2');
    settle();
    image('app:1');
    settle();
    const revisions = world.list(controllerrevisions);
    expect(revisions.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual([2, 3]);
    const last = revisions.find(({ revision }) => revision === 3);
    expect(current().status.updateRevision).toBe(last?.metadata.name);
  });

  test('revisions that pods still are of are kept beyond it, until those have gone', () => {
    put({ revisionHistoryLimit: 0, replicas: 3, updateStrategy: { type: 'OnDelete' } });
    const images = (): readonly string[] =>
      world.list(pods).map(({ metadata, spec }) => `${metadata.name} ${spec.containers[0]?.image}`);
    settle();
    const numbers = (): readonly number[] => world.list(controllerrevisions).map(({ revision }) => revision);
    for (const [ordinal, name] of ['app:2', 'app:3'].entries()) {
      image(name);
      settle();
      world.remove(pods, pod(ordinal));
      settle();
    }
    expect([...images()].sort()).toEqual(['web-0 app:2', 'web-1 app:3', 'web-2 app:1']);
    image('app:4');
    settle();
    expect(numbers()).toEqual([1, 2, 3, 4]);
    world.remove(pods, pod(0));
    settle();
    // The first one is what the set comes from, as long as nothing rolls.
    expect(numbers()).toEqual([1, 3, 4]);
  });

  test('old revisions beyond the limit go, those in use stay', () => {
    put({ revisionHistoryLimit: 1, replicas: 1 });
    for (const name of ['app:2', 'app:3', 'app:4']) {
      settle();
      image(name);
    }
    settle();
    expect(
      world
        .list(controllerrevisions)
        .map(({ revision }) => revision)
        .sort((a, b) => a - b),
    ).toEqual([3, 4]);
  });
});

describe('volume claims', () => {
  const volumeClaimTemplates = [dataClaim];
  const claim = (ordinal: number): PersistentVolumeClaim | undefined =>
    world.of(persistentvolumeclaims).get(`default/data-web-${ordinal}`);

  test('are created before their pod and take the place of a volume of the same name', () => {
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: {
        ...podSpec,
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'tmp', emptyDir: {} },
        ],
      },
    };
    put({ volumeClaimTemplates, template });
    expect(sync()).toEqual(['create persistentvolumeclaims data-web-0 then create pods web-0']);
    expect(claim(0)?.metadata.labels).toEqual({ tier: 'db', app: 'web' });
    expect(claim(0)?.metadata.ownerReferences).toBeUndefined();
    expect(pod(0).spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } },
      { name: 'tmp', emptyDir: {} },
    ]);
  });

  test('a claim that is being deleted holds up its pod, and its end wakes the set', () => {
    put({ volumeClaimTemplates, replicas: 1 });
    world.put(persistentvolumeclaims, terminating({ ...dataClaim, metadata: meta('data-web-0') }));
    const observed = statefulsetController.observe(key, world, undefined);
    const actions = observed ? statefulsetController.plan(observed, world.nowMs).actions : [];
    expect(actions.filter((action) => action.do === 'emit')).toEqual([
      {
        do: 'emit',
        regarding: current(),
        type: 'Warning',
        reason: 'FailedCreate',
        note: 'create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted',
      },
    ]);
    expect(sync()).toEqual(['emit FailedCreate']);
    const object = { ...dataClaim, metadata: meta('data-web-0') };
    expect([...setsUsing({ type: 'deleted', object, previous: object }, world)]).toEqual([key]);
    const other = { ...dataClaim, metadata: meta('data-web-x') };
    expect([...setsUsing({ type: 'deleted', object: other, previous: other }, world)]).toEqual([]);
  });

  test('a claim that a pending pod misses is made again', () => {
    put({ volumeClaimTemplates, replicas: 1 });
    sync();
    const lost = claim(0);
    if (lost) world.remove(persistentvolumeclaims, lost);
    expect(sync()).toEqual(['create persistentvolumeclaims data-web-0']);
  });

  test.each([
    ['Retain', 'Retain', undefined, undefined],
    ['Delete', 'Retain', 'StatefulSet', 'StatefulSet'],
    ['Retain', 'Delete', undefined, 'Pod'],
    ['Delete', 'Delete', 'StatefulSet', 'Pod'],
  ])(
    'whenDeleted %s, whenScaled %s: owned by %s, and by %s once scaled away',
    (whenDeleted, whenScaled, before, after) => {
      put({
        volumeClaimTemplates,
        replicas: 2,
        persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
      });
      settle();
      expect(claim(1)?.metadata.ownerReferences?.[0]?.kind).toBe(before);
      change({ replicas: 1 });
      settle();
      expect(claim(1)?.metadata.ownerReferences?.[0]?.kind).toBe(after);
      expect(claim(0)?.metadata.ownerReferences?.[0]?.kind).toBe(before);
    },
  );

  test('a claim of an earlier pod of the same name is waited for', () => {
    put({ volumeClaimTemplates, replicas: 2, persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } });
    settle();
    change({ replicas: 1 });
    settle();
    change({ replicas: 2 });
    expect(sync()).toEqual([]);
    const stale = claim(1);
    if (stale) world.remove(persistentvolumeclaims, stale);
    expect(sync()).toEqual(['create persistentvolumeclaims data-web-1 then create pods web-1']);
  });

  test('a claim with another controller is left alone, with a warning', () => {
    const owner = { apiVersion: 'v1', kind: 'Other', name: 'x', uid: 'x', controller: true };
    world.put(persistentvolumeclaims, {
      ...dataClaim,
      metadata: meta('data-web-0', { ownerReferences: [owner] }),
    });
    put({ volumeClaimTemplates, replicas: 1, persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } });
    sync();
    expect(sync()).toEqual(['emit ConflictingController']);
    expect(claim(0)?.metadata.ownerReferences).toEqual([owner]);
  });

  test('an owner that is no controller is kept beside the set', () => {
    const owner = { apiVersion: 'v1', kind: 'Other', name: 'x', uid: 'x' };
    put({ volumeClaimTemplates, replicas: 1 });
    settle();
    const found = claim(0);
    if (found)
      world.put(persistentvolumeclaims, { ...found, metadata: { ...found.metadata, ownerReferences: [owner] } });
    change({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } });
    settle();
    expect(claim(0)?.metadata.ownerReferences?.map(({ kind }) => kind)).toEqual(['Other', 'StatefulSet']);
    change({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' } });
    settle();
    expect(claim(0)?.metadata.ownerReferences).toEqual([owner]);
  });
});

describe('status', () => {
  test('counts pods by what they are', () => {
    put({ podManagementPolicy: 'Parallel' });
    sync();
    runAll(world);
    world.put(pods, unready(pod(2)));
    world.put(pods, terminating(pod(1)));
    sync();
    expect(current().status).toMatchObject({
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      observedGeneration: 1,
      collisionCount: 0,
    });
  });

  test('is all that changes while the set is being deleted', () => {
    world.put(statefulsets, terminating(put()));
    expect(reconcile(world, { controller: statefulsetController, key })).toEqual(['setStatus statefulsets web']);
    expect(reconcile(world, { controller: statefulsetController, key })).toEqual([]);
  });
});

test('settles: whatever changes, the set ends up with its range of up-to-date pods and nothing left to plan', () => {
  const changes = fc.array(
    fc.oneof(
      fc.record({ replicas: fc.nat(4) }),
      fc.record({ image: fc.constantFrom('app:1', 'app:2') }),
      fc.record({ lose: fc.nat(4) }),
      fc.record({ start: fc.nat(3) }),
    ),
    { maxLength: 10 },
  );
  fc.assert(
    fc.property(changes, fc.constantFrom('OrderedReady', 'Parallel'), (steps, podManagementPolicy) => {
      world = createWorld();
      put({ podManagementPolicy, volumeClaimTemplates: [dataClaim] });
      for (const step of steps) {
        if ('replicas' in step) change({ replicas: step.replicas });
        if ('image' in step) image(step.image);
        if ('start' in step) change({ ordinals: { start: step.start } });
        const lost = 'lose' in step ? world.list(pods)[step.lose] : undefined;
        if (lost !== undefined) world.remove(pods, lost);
        sync();
        runAll(world);
      }
      settle();
      const { spec, status } = current();
      const first = spec.ordinals?.start ?? 0;
      const names = Array.from({ length: spec.replicas ?? 1 }, (_, index) => `web-${first + index}`);
      expect(
        world
          .list(pods)
          .map(({ metadata }) => metadata.name)
          .sort(),
      ).toEqual(names);
      const wanted = spec.template.spec?.containers[0]?.image;
      for (const found of Object.values(images())) expect(found).toBe(wanted);
      expect(status.currentRevision).toBe(status.updateRevision);
    }),
    { numRuns: 60 },
  );
});
