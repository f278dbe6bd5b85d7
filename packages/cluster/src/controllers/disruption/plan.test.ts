import { beforeEach, describe, expect, test } from 'vitest';
import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import {
  daemonsets,
  deployments,
  poddisruptionbudgets,
  pods,
  replicasets,
  replicationcontrollers,
} from '../../api/generated/kinds.ts';
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import type { KubeObject } from '../../api/meta.ts';
import { toTimestamp } from '../../base/clock.ts';
import type { Controller } from '../../runtime/controller.ts';
import {
  createWorld,
  daemonset,
  meta,
  podSpec,
  ready,
  reconcile,
  terminating,
  unready,
  type World,
} from '../../testing/plan-world.ts';
import { controllerReference } from '../../workloads/owner.ts';
import { budgetWatches, observe } from './controller.ts';
import { type Observed, plan } from './plan.ts';

let world: World;
const key = 'default/web';

beforeEach(() => {
  world = createWorld();
});

function put(spec: PodDisruptionBudget['spec'], status: Partial<PodDisruptionBudget['status']> = {}): void {
  world.put(poddisruptionbudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta('web'),
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
    status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0, ...status },
  });
}

function set(replicas: number, owner?: KubeObject): ReplicaSet {
  const ownerReferences = owner === undefined ? [] : [controllerReference(owner)];
  const metadata = meta(owner === undefined ? 'set' : `${owner.metadata.name}-${replicas}`, { ownerReferences });
  const spec = { replicas, selector: { matchLabels: { app: 'web' } } };
  return world.put(replicasets, { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec, status: { replicas } });
}

function pod(name: string, owner?: KubeObject): Pod {
  const ownerReferences = owner === undefined ? [] : [controllerReference(owner)];
  const metadata = meta(name, { labels: { app: 'web' }, ownerReferences });
  return ready({ apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec, status: {} });
}

/** Pods of a ReplicaSet; how many of them are ready. */
function fill(replicas: number, healthy: number, existing = replicas): void {
  const owner = set(replicas);
  for (let index = 0; index < existing; index++) {
    const each = pod(`p${index}`, owner);
    world.put(pods, index < healthy ? each : unready(each));
  }
}

/** Nobody answers for kinds that are not followed. */
const disruptionController: Controller<Observed> = {
  name: 'disruption',
  watches: budgetWatches,
  observe(key, caches) {
    const seen = observe(key, caches);
    const unknown = { problem: 'things.example.com does not implement the scale subresource' };
    return seen && { ...seen, workloads: seen.workloads.map((each) => ('unread' in each ? unknown : each)) };
  },
  plan,
};
const sync = (): readonly string[] => reconcile(world, { controller: disruptionController, key });

function current(): PodDisruptionBudget['status'] {
  const found = world.of(poddisruptionbudgets).get(key);
  if (found === undefined) throw new Error('no budget');
  return found.status;
}

/** `allowed 1: 3 of 3 healthy, 2 needed` */
function text(): string {
  const { disruptionsAllowed, currentHealthy, expectedPods, desiredHealthy } = current();
  return `allowed ${disruptionsAllowed}: ${currentHealthy} of ${expectedPods} healthy, ${desiredHealthy} needed`;
}

describe('how many may go', () => {
  test.each<[PodDisruptionBudget['spec'], number, number, number, string]>([
    [{ minAvailable: 2 }, 3, 3, 3, 'allowed 1: 3 of 3 healthy, 2 needed'],
    [{ minAvailable: 2 }, 3, 2, 3, 'allowed 0: 2 of 3 healthy, 2 needed'],
    [{ minAvailable: 2 }, 5, 3, 3, 'allowed 1: 3 of 3 healthy, 2 needed'],
    [{ minAvailable: '50%' }, 5, 5, 5, 'allowed 2: 5 of 5 healthy, 3 needed'],
    [{ minAvailable: '50%' }, 10, 5, 5, 'allowed 0: 5 of 10 healthy, 5 needed'],
    [{ maxUnavailable: 1 }, 4, 4, 4, 'allowed 1: 4 of 4 healthy, 3 needed'],
    [{ maxUnavailable: 1 }, 4, 3, 3, 'allowed 0: 3 of 4 healthy, 3 needed'],
    [{ maxUnavailable: '30%' }, 4, 4, 4, 'allowed 2: 4 of 4 healthy, 2 needed'],
    [{ maxUnavailable: 9 }, 4, 4, 4, 'allowed 4: 4 of 4 healthy, 0 needed'],
    [{ maxUnavailable: 0 }, 4, 4, 4, 'allowed 0: 4 of 4 healthy, 4 needed'],
    [{}, 4, 4, 4, 'allowed 0: 4 of 0 healthy, 0 needed'],
  ])('%j of %i, with %i healthy of %i', (spec, replicas, healthy, existing, expected) => {
    put(spec);
    fill(replicas, healthy, existing);
    sync();
    expect(text()).toBe(expected);
    expect(sync()).toEqual([]);
  });

  test('pods that are ending are not healthy', () => {
    put({ minAvailable: 1 });
    fill(2, 2);
    world.put(pods, terminating(pod('p0')));
    sync();
    expect(text()).toBe('allowed 0: 1 of 2 healthy, 1 needed');
  });

  test('a Deployment counts once, for all of its ReplicaSets', () => {
    put({ maxUnavailable: 1 });
    const deployment: Deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: meta('dep'),
      spec: { replicas: 3, selector: {}, template: {} },
      status: {},
    };
    world.put(deployments, deployment);
    for (const each of [set(2, deployment), set(1, deployment)]) world.put(pods, pod(`of-${each.metadata.name}`, each));
    sync();
    expect(text()).toBe('allowed 0: 2 of 3 healthy, 2 needed');
  });

  test('a ReplicationController says its size as well', () => {
    put({ maxUnavailable: 1 });
    const spec = { replicas: 3, selector: { app: 'web' } };
    const owner: KubeObject = world.put(replicationcontrollers, {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: meta('rc'),
      ...{ spec, status: { replicas: 3 } },
    });
    for (const name of ['a', 'b', 'c']) world.put(pods, pod(name, owner));
    sync();
    expect(text()).toBe('allowed 1: 3 of 3 healthy, 2 needed');
  });

  test('a DaemonSet expects a pod on each of its nodes', () => {
    put({ maxUnavailable: 1 });
    const made = daemonset('ds');
    world.put(daemonsets, { ...made, status: { ...made.status, desiredNumberScheduled: 2 } });
    for (const name of ['a', 'b']) world.put(pods, pod(name, made));
    sync();
    expect(text()).toBe('allowed 1: 2 of 2 healthy, 1 needed');
  });
});

describe('the condition', () => {
  test('says whether a pod may go, since when, and for which version', () => {
    put({ minAvailable: 1 });
    fill(2, 2);
    sync();
    expect(current()).toMatchObject({
      observedGeneration: 1,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'True',
          reason: 'SufficientPods',
          message: '',
          lastTransitionTime: toTimestamp(world.nowMs),
          observedGeneration: 1,
        },
      ],
    });
    world.nowMs += 5_000;
    world.put(pods, unready(pod('p1', set(2))));
    sync();
    expect(current().conditions?.[0]).toMatchObject({
      status: 'False',
      reason: 'InsufficientPods',
      lastTransitionTime: toTimestamp(world.nowMs),
    });
  });

  test.each<[PodDisruptionBudget['spec'], number]>([
    [{ minAvailable: 1 }, 1],
    [{ minAvailable: '50%' }, 0],
    [{ maxUnavailable: 1 }, 0],
  ])('without pods nothing may go: %j', (spec, needed) => {
    put(spec);
    const observed = disruptionController.observe(key, world, undefined);
    expect(observed && disruptionController.plan(observed, world.nowMs).actions[0]).toMatchObject({
      ...{ type: 'Normal', reason: 'NoPods', note: 'No matching pods found' },
    });
    expect(sync()).toEqual(['emit NoPods', 'setStatus poddisruptionbudgets web']);
    expect(text()).toBe(`allowed 0: 0 of 0 healthy, ${needed} needed`);
    expect(sync()).toEqual([]);
  });

  test('pods that nobody manages are told about once', () => {
    put({ maxUnavailable: 1 });
    world.put(pods, pod('stray'));
    expect(sync()).toEqual(['emit UnmanagedPods', 'setStatus poddisruptionbudgets web']);
    expect(sync()).toEqual([]);
  });

  test('what cannot be counted may not go, and what was evicted stays known', () => {
    const disruptedPods = { gone: toTimestamp(world.nowMs) };
    put({ maxUnavailable: 1 }, { currentHealthy: 3, desiredHealthy: 2, expectedPods: 4, disruptedPods });
    world.put(pods, pod('p', { apiVersion: 'example.com/v1', kind: 'Thing', metadata: meta('thing') }));
    expect(sync()).toEqual(['emit CalculateExpectedPodCountFailed', 'setStatus poddisruptionbudgets web']);
    expect(current()).toMatchObject({
      ...{ disruptionsAllowed: 0, currentHealthy: 3, desiredHealthy: 2, expectedPods: 4, disruptedPods },
    });
    // Evictions are told to come back, as of a budget that nobody has looked at.
    expect(current().observedGeneration).toBeUndefined();
    expect(current().conditions?.[0]?.observedGeneration).toBeUndefined();
    expect(current().conditions?.[0]).toMatchObject({
      reason: 'SyncFailed',
      message: 'things.example.com does not implement the scale subresource',
    });
    expect(sync()).toEqual([]);
  });
});

describe('evicted pods', () => {
  test('count as gone until they are, and are forgotten after two minutes', () => {
    const since = toTimestamp(world.nowMs);
    put({ minAvailable: 1 }, { disruptedPods: { p0: since, gone: since } });
    fill(3, 3);
    sync();
    expect(text()).toBe('allowed 1: 2 of 3 healthy, 1 needed');
    expect(current().disruptedPods).toEqual({ p0: since });
    const observed = disruptionController.observe(key, world, undefined);
    expect(observed && disruptionController.plan(observed, world.nowMs).againInMs).toBe(120_000);
    world.nowMs += 120_000;
    expect(sync()).toEqual(['emit NotDeleted', 'setStatus poddisruptionbudgets web']);
    expect(current().disruptedPods).toBeUndefined();
    expect(text()).toBe('allowed 2: 3 of 3 healthy, 1 needed');
  });

  test('that are ending need no entry', () => {
    put({ minAvailable: 1 }, { disruptedPods: { p0: toTimestamp(world.nowMs) } });
    fill(2, 2);
    world.put(pods, terminating(pod('p0')));
    sync();
    expect(current().disruptedPods).toBeUndefined();
  });
});

describe('a pod wakes budgets', () => {
  const [, watch] = budgetWatches;
  const wakes = (object: Pod, previous: Pod): readonly string[] => [
    ...(watch?.keysOf({ type: 'updated', object, previous }, world) ?? []),
  ];

  test('when its health or its labels change', () => {
    put({ minAvailable: 1 });
    const before = pod('a');
    expect(wakes({ ...before, status: { ...before.status, podIP: '1.1.1.1' } }, before)).toEqual([]);
    expect(wakes(unready(before), before)).toEqual([key]);
    expect(wakes(terminating(before), before)).toEqual([key]);
    expect(wakes({ ...before, metadata: { ...before.metadata, labels: {} } }, before)).toEqual([key]);
    const other = { ...before, metadata: { ...before.metadata, labels: { app: 'other' } } };
    expect(wakes({ ...other, metadata: { ...other.metadata, labels: { app: 'another' } } }, other)).toEqual([]);
    expect(wakes(before, other)).toEqual([key]);
    const ownerReferences = [controllerReference(set(1))];
    expect(wakes({ ...before, metadata: { ...before.metadata, ownerReferences } }, before)).toEqual([key]);
  });
});
