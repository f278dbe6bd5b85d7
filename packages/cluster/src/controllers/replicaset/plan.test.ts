import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { pods, replicasets } from '../../api/generated/kinds.ts';
import {
  createWorld,
  meta,
  podSpec,
  ready,
  reconcile,
  runAll,
  terminating,
  type World,
} from '../../testing/plan-world.ts';
import { controllerReference } from '../../workloads/owner.ts';
import { remember, replicasetController } from './controller.ts';
import type { Memory } from './plan.ts';
import { statusOf } from './status.ts';

let world: World;
let memories: Map<string, Memory>;
const key = 'default/web';

beforeEach(() => {
  world = createWorld();
  memories = new Map();
});

function put(replicas: number, spec: Partial<ReplicaSet['spec']> = {}): ReplicaSet {
  return world.put(replicasets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: meta('web'),
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web', tier: 'front' } }, spec: podSpec },
      ...spec,
    },
    status: { replicas: 0 },
  });
}

function sync(): readonly string[] {
  return reconcile(world, { controller: replicasetController, key, memories });
}

function counts(): readonly [number, number] {
  const lines = sync();
  const count = (start: string): number => lines.filter((text) => text.startsWith(start)).length;
  return [count('create pods'), count('delete pods')];
}

function current(): ReplicaSet {
  const found = world.of(replicasets).get(key);
  if (found === undefined) throw new Error('no replicaset');
  return found;
}

function pod(name: string, metadata: Pod['metadata'] = meta(name, { labels: { app: 'web' } })): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec, status: { phase: 'Running' } };
}

test('the status leaves out what is nought', () => {
  put(1);
  sync();
  expect(current().status).toEqual({ replicas: 0, observedGeneration: 1 });
  sync();
  expect(current().status).toEqual({ replicas: 1, fullyLabeledReplicas: 1, observedGeneration: 1 });
  runAll(world);
  sync();
  const all = { replicas: 1, fullyLabeledReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  expect(current().status).toEqual({ ...all, observedGeneration: 1 });
});

describe('the number of pods', () => {
  test.each([
    [3, 3],
    [0, 0],
    [700, 500],
  ])('%i replicas create %i pods in one plan', (replicas, created) => {
    put(replicas);
    expect(counts()).toEqual([created, 0]);
    expect(counts()).toEqual([replicas - created, 0]);
    expect(counts()).toEqual([0, 0]);
  });

  test('surplus pods go', () => {
    put(5);
    sync();
    world.put(replicasets, { ...current(), spec: { ...current().spec, replicas: 2 } });
    expect(counts()).toEqual([0, 3]);
    expect(counts()).toEqual([0, 0]);
  });

  test('failed and terminating pods do not count', () => {
    put(3);
    sync();
    const [first, second] = world.list(pods);
    if (first) world.put(pods, { ...first, status: { phase: 'Failed' } });
    if (second) world.put(pods, terminating(second));
    expect(counts()).toEqual([2, 0]);
    expect(counts()).toEqual([0, 0]);
  });

  test('nothing is done for a ReplicaSet on its way out', () => {
    world.put(replicasets, terminating(put(3)));
    expect(sync()).toEqual([]);
  });
});

describe('adoption', () => {
  test('a matching orphan counts at once', () => {
    put(2);
    world.put(pods, pod('stray'));
    expect(sync()).toEqual(['patch pods stray', 'create pods web-', 'setStatus replicasets web']);
    expect(world.of(pods).get('default/stray')?.metadata.ownerReferences).toEqual([controllerReference(current())]);
  });

  test('a pod that stops matching is released and replaced; a foreign one is left alone', () => {
    put(1);
    sync();
    const [own] = world.list(pods);
    if (own) world.put(pods, { ...own, metadata: { ...own.metadata, labels: {} } });
    const owner = { apiVersion: 'v1', kind: 'Other', name: 'x', uid: 'x', controller: true };
    world.put(pods, pod('theirs', meta('theirs', { labels: { app: 'web' }, ownerReferences: [owner] })));
    expect(counts()).toEqual([1, 0]);
    expect(world.of(pods).get(`default/${own?.metadata.name}`)?.metadata.ownerReferences).toEqual([]);
    expect(world.of(pods).get('default/theirs')?.metadata.ownerReferences).toEqual([owner]);
  });
});

describe('status', () => {
  test('counts replicas, labels, readiness and availability', () => {
    put(3, { minReadySeconds: 10 });
    world.put(pods, pod('stray'));
    sync();
    runAll(world);
    sync();
    expect(current().status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      observedGeneration: 1,
    });
    world.nowMs += 10_000;
    sync();
    expect(current().status.availableReplicas).toBe(2);
  });

  test('a refusal of the API shows as ReplicaFailure until the pods are there', () => {
    put(2);
    const observed = replicasetController.observe(key, world, undefined);
    const [action] = observed ? replicasetController.plan(observed, world.nowMs).actions : [];
    if (action === undefined) throw new Error('nothing planned');
    const memory = remember(undefined, [{ action, message: 'exceeded quota' }]);
    if (memory) memories.set(key, memory);
    sync();
    expect(current().status.conditions).toEqual([
      {
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: 'exceeded quota',
        lastTransitionTime: '2024-01-01T00:00:00Z',
      },
    ]);
    const again = { reason: 'FailedCreate', message: 'exceeded quota by another pod' } as const;
    const later = statusOf(current(), { active: [], refusal: again, nowMs: world.nowMs + 1_000 });
    expect(later.conditions).toEqual(current().status.conditions);
    sync();
    expect(current().status.conditions).toBeUndefined();
  });

  test('only refused pods are a ReplicaFailure', () => {
    const set = put(1);
    expect(remember(undefined, [{ action: { do: 'setStatus', type: replicasets, object: set }, message: 'x' }])).toBe(
      undefined,
    );
  });
});

test('pods of sibling ReplicaSets count as neighbours when choosing whom to delete', () => {
  const deployment = { ...put(1), kind: 'Deployment', metadata: meta('dep') };
  const ownerReferences = [controllerReference(deployment)];
  const set = world.put(replicasets, { ...put(1), metadata: meta('web', { ownerReferences }) });
  const sibling = world.put(replicasets, { ...put(1), metadata: meta('old', { ownerReferences }) });
  world.put(replicasets, set);
  const on = (name: string, owner: ReplicaSet, nodeName: string): Pod => {
    const metadata = meta(name, { labels: { app: 'web' }, ownerReferences: [controllerReference(owner)] });
    return world.put(pods, ready(pod(name, metadata), { nodeName }));
  };
  on('alone', set, 'node-1');
  on('crowded', set, 'node-2');
  on('neighbour', sibling, 'node-2');
  expect(sync().filter((text) => text.startsWith('delete'))).toEqual(['delete pods crowded']);
});

test('settles: after any scaling and losses the number is right and nothing is left to plan', () => {
  const steps = fc.array(fc.record({ replicas: fc.nat(8), lose: fc.nat(10), fail: fc.nat(10) }), {
    maxLength: 10,
    size: 'max',
  });
  fc.assert(
    fc.property(steps, (changes) => {
      world = createWorld();
      put(1);
      for (const { replicas, lose, fail } of changes) {
        world.put(replicasets, { ...current(), spec: { ...current().spec, replicas } });
        const lost = world.list(pods)[lose];
        if (lost) world.remove(pods, lost);
        const failed = world.list(pods)[fail];
        if (failed) world.put(pods, { ...failed, status: { phase: 'Failed' } });
        sync();
        runAll(world);
      }
      sync();
      runAll(world);
      sync();
      expect(sync()).toEqual([]);
      const alive = world.list(pods).filter(({ status }) => status.phase === 'Running');
      expect(alive).toHaveLength(current().spec.replicas ?? 1);
    }),
    { numRuns: 60 },
  );
});
