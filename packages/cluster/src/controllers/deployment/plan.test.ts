import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { deployments, pods, replicasets } from '../../api/generated/kinds.ts';
import { keyOf } from '../../api/meta.ts';
import type { Plan } from '../../runtime/plan.ts';
import { createWorld, meta, podSpec, reconcile, terminating, type World } from '../../testing/plan-world.ts';
import { controllerReference } from '../../workloads/owner.ts';
import { deploymentController, recreatingDeployment } from './controller.ts';
import type { Memory } from './observe.ts';

let world: World;
const key = 'default/web';

beforeEach(() => {
  world = createWorld();
});

const rolling = (
  maxSurge: number | string,
  maxUnavailable: number | string,
): Deployment['spec']['strategy'] & object => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable },
});

function put(spec: Partial<Deployment['spec']> = {}): Deployment {
  return world.put(deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta('web'),
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: podSpec },
      strategy: rolling(1, 0),
      progressDeadlineSeconds: 600,
      ...spec,
    },
    status: {},
  });
}

function sync(): readonly string[] {
  return reconcile(world, { controller: deploymentController, key });
}

function current(): Deployment {
  const found = world.of(deployments).get(key);
  if (found === undefined) throw new Error('no deployment');
  return found;
}

function change(spec: Partial<Deployment['spec']>): void {
  const before = current();
  const generation = (before.metadata.generation ?? 1) + 1;
  world.put(deployments, {
    ...before,
    metadata: { ...before.metadata, generation },
    spec: { ...before.spec, ...spec },
  });
}

function image(name: string): void {
  const { template } = current().spec;
  change({ template: { ...template, spec: { ...template.spec, containers: [{ name: 'app', image: name }] } } });
}

/** The sizes by image, as in `app:1=3 app:2=1`; generations without pods are left out. */
function sizes(): string {
  return world
    .list(replicasets)
    .filter(({ spec }) => spec.replicas !== 0)
    .map(({ spec }) => `${spec.template?.spec?.containers[0]?.image}=${spec.replicas}`)
    .join(' ');
}

function generation(name: string): ReplicaSet {
  const found = world.list(replicasets).find(({ spec }) => spec.template?.spec?.containers[0]?.image === name);
  if (found === undefined) throw new Error(`no ReplicaSet of ${name}`);
  return found;
}

/** Does the ReplicaSet controller's work: as many pods as wanted, of which `available` serve. */
function fill(available = Number.POSITIVE_INFINITY, only?: string): void {
  for (const replicaset of world.list(replicasets)) {
    if (only !== undefined && replicaset.metadata.name !== only) continue;
    const replicas = replicaset.spec.replicas ?? 1;
    const serving = Math.min(replicas, available);
    const { generation: observedGeneration = 1 } = replicaset.metadata;
    const status = { replicas, readyReplicas: serving, availableReplicas: serving, observedGeneration };
    world.put(replicasets, { ...replicaset, status });
  }
}

function settle(): void {
  for (let round = 0; round < 80; round++) {
    fill();
    if (sync().length === 0) return;
  }
  throw new Error('does not settle');
}

function reason(type: string): string | undefined {
  return current().status.conditions?.find((condition) => condition.type === type)?.reason;
}

describe('the first ReplicaSet', () => {
  test('is created in full size, with the hash in name, labels and selector', () => {
    put();
    sync();
    const [replicaset] = world.list(replicasets);
    const hash = replicaset?.metadata.labels?.['pod-template-hash'] ?? '';
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
    expect(replicaset?.metadata).toMatchObject({
      name: `web-${hash}`,
      annotations: {
        'deployment.kubernetes.io/revision': '1',
        'deployment.kubernetes.io/desired-replicas': '3',
        'deployment.kubernetes.io/max-replicas': '4',
      },
      ownerReferences: [{ kind: 'Deployment', name: 'web', controller: true }],
    });
    expect(replicaset?.spec.selector.matchLabels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(replicaset?.spec.template?.metadata?.labels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(replicaset?.spec.replicas).toBe(3);
  });

  test.each([undefined, 0, 7])('waits for as many seconds as the Deployment: %s', (minReadySeconds) => {
    put(minReadySeconds === undefined ? {} : { minReadySeconds });
    sync();
    expect(world.list(replicasets).map(({ spec }) => spec.minReadySeconds)).toEqual([minReadySeconds]);
  });

  test('is announced on the Deployment', () => {
    put();
    const observed = deploymentController.observe(key, world, undefined);
    const actions = observed ? deploymentController.plan(observed, world.nowMs).actions : [];
    const create = actions
      .flatMap((action) => (action.do === 'inOrder' ? action.actions : [action]))
      .find((action) => action.do === 'create');
    expect(create?.announce?.done).toEqual({
      reason: 'ScalingReplicaSet',
      note: 'Scaled up replica set {name} from 0 to 3',
    });
  });

  test('gives its number to the Deployment', () => {
    put();
    settle();
    expect(current().metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('1');
  });

  test('avoids a name that something else has taken, and remembers the collision', () => {
    put();
    sync();
    const [taken] = world.list(replicasets);
    if (taken === undefined) throw new Error('none created');
    const template = { metadata: { labels: { app: 'other' } }, spec: podSpec };
    const { ownerReferences: _, ...metadata } = taken.metadata;
    world.put(replicasets, { ...taken, metadata: { ...metadata, labels: {} }, spec: { ...taken.spec, template } });
    sync();
    expect(world.list(replicasets)).toHaveLength(2);
    expect(current().status.collisionCount).toBe(1);
  });
});

describe('rolling update', () => {
  test('maxSurge 1, maxUnavailable 0: one up, one down', () => {
    put();
    settle();
    image('app:2');
    const seen: string[] = [];
    for (let round = 0; round < 20; round++) {
      sync();
      fill();
      if (seen.at(-1) !== sizes()) seen.push(sizes());
    }
    expect(seen).toEqual([
      'app:1=3 app:2=1',
      'app:1=2 app:2=1',
      'app:1=2 app:2=2',
      'app:1=1 app:2=2',
      'app:1=1 app:2=3',
      'app:2=3',
    ]);
  });

  test('maxSurge 0, maxUnavailable 1: one down, one up', () => {
    put({ strategy: rolling(0, 1) });
    settle();
    image('app:2');
    const seen: string[] = [];
    for (let round = 0; round < 20; round++) {
      sync();
      fill();
      if (seen.at(-1) !== sizes()) seen.push(sizes());
    }
    expect(seen).toEqual([
      'app:1=3',
      'app:1=2',
      'app:1=2 app:2=1',
      'app:1=1 app:2=1',
      'app:1=1 app:2=2',
      'app:2=2',
      'app:2=3',
    ]);
  });

  test('pods that never serve stop the rollout at the limits', () => {
    put({ replicas: 10, strategy: rolling(3, 2) });
    settle();
    image('app:2');
    for (let round = 0; round < 20; round++) {
      sync();
      const replicaset = world.list(replicasets).at(-1);
      fill();
      if (replicaset) {
        const found = world.of(replicasets).get(keyOf(replicaset));
        if (found)
          world.put(replicasets, { ...found, status: { replicas: found.spec.replicas ?? 0, observedGeneration: 9 } });
      }
    }
    expect(sizes()).toBe('app:1=8 app:2=5');
  });

  test('old pods that serve nobody go first', () => {
    put({ replicas: 10, strategy: rolling(0, 2) });
    settle();
    const old = generation('app:1');
    world.put(replicasets, {
      ...old,
      status: { replicas: 10, readyReplicas: 8, availableReplicas: 8, observedGeneration: 1 },
    });
    image('app:2');
    sync();
    sync();
    expect(sizes()).toBe('app:1=8');
  });

  test('a rollback takes up the old ReplicaSet under a new number', () => {
    put();
    settle();
    image('app:2');
    settle();
    image('app:1');
    settle();
    expect(sizes()).toBe('app:1=3');
    expect(world.list(replicasets)).toHaveLength(2);
    expect(generation('app:1').metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
    expect(current().metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
  });

  test('the change cause goes to the ReplicaSet of its time', () => {
    const annotate = (cause: string): void => {
      const before = current();
      const annotations = { ...before.metadata.annotations, 'kubernetes.io/change-cause': cause };
      world.put(deployments, { ...before, metadata: { ...before.metadata, annotations } });
    };
    put();
    annotate('first');
    settle();
    image('app:2');
    annotate('second');
    settle();
    expect(generation('app:1').metadata.annotations?.['kubernetes.io/change-cause']).toBe('first');
    expect(generation('app:2').metadata.annotations?.['kubernetes.io/change-cause']).toBe('second');
  });

  test('empty generations beyond the limit go once the rollout is through', () => {
    put({ revisionHistoryLimit: 1 });
    for (const name of ['app:2', 'app:3', 'app:4']) {
      settle();
      image(name);
    }
    settle();
    expect(world.list(replicasets).map(({ spec }) => spec.template?.spec?.containers[0]?.image)).toEqual([
      'app:3',
      'app:4',
    ]);
  });
});

describe('Recreate', () => {
  const strategy = { type: 'Recreate' };
  const podOf = (owner: ReplicaSet): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta('web-x', { ownerReferences: [controllerReference(owner)] }),
    spec: podSpec,
    status: { phase: 'Running' },
  });

  test('old pods end before new ones start, and their end wakes the Deployment', () => {
    put({ strategy });
    settle();
    const old = world.put(pods, podOf(generation('app:1')));
    image('app:2');
    sync();
    fill();
    expect(sizes()).toBe('');
    sync();
    expect(world.list(replicasets)).toHaveLength(1);
    world.remove(pods, old);
    expect([...recreatingDeployment({ type: 'deleted', object: old, previous: old }, world)]).toEqual([key]);
    expect([...recreatingDeployment({ type: 'added', object: old, previous: undefined }, world)]).toEqual([]);
    const over: Pod = { ...old, status: { ...old.status, phase: 'Failed' } };
    expect([...recreatingDeployment({ type: 'updated', object: over, previous: old }, world)]).toEqual([key]);
    sync();
    expect(sizes()).toBe('app:2=3');
  });

  test('a new generation is progress from the moment when it is made', () => {
    put({ strategy });
    sync();
    expect(reason('Progressing')).toBe('NewReplicaSetCreated');
  });

  test('other strategies are not woken by pods', () => {
    put();
    settle();
    const old = podOf(generation('app:1'));
    expect([...recreatingDeployment({ type: 'deleted', object: old, previous: old }, world)]).toEqual([]);
  });
});

test('a time to wait goes to the ReplicaSet, and is taken from it again', () => {
  put({ minReadySeconds: 10 });
  settle();
  expect(generation('app:1').spec.minReadySeconds).toBe(10);
  const { minReadySeconds: _, ...spec } = current().spec;
  world.put(deployments, { ...current(), spec });
  settle();
  expect(generation('app:1').spec.minReadySeconds).toBe(0);
});

test.each([
  [0, { replicas: 3, updatedReplicas: 3, unavailableReplicas: 3 }],
  [2, { replicas: 3, updatedReplicas: 3, readyReplicas: 2, availableReplicas: 2, unavailableReplicas: 1 }],
  [3, { replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 }],
])('the status counts what is there, what serves and what is missed: %i of 3 serve', (serving, counts) => {
  put();
  sync();
  fill(serving);
  sync();
  const { conditions: _, ...status } = current().status;
  expect(status).toEqual({ observedGeneration: 1, ...counts });
});

describe('scaling', () => {
  test('a settled Deployment scales its ReplicaSet', () => {
    put();
    settle();
    change({ replicas: 7 });
    sync();
    expect(sizes()).toBe('app:1=7');
    expect(generation('app:1').metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/desired-replicas': '7',
      'deployment.kubernetes.io/max-replicas': '8',
    });
  });

  test.each([
    [10, 20, 'app:1=16 app:2=10'],
    [10, 5, 'app:1=4 app:2=3'],
  ])('in the middle of a rollout the generations share: %i to %i', (from, to, expected) => {
    put({ replicas: from, strategy: rolling('30%', '20%') });
    settle();
    image('app:2');
    sync();
    sync();
    expect(sizes()).toBe('app:1=8 app:2=3');
    fill(5);
    sync();
    const before = sizes();
    expect(before).toBe('app:1=8 app:2=5');
    change({ replicas: to });
    sync();
    expect(sizes()).toBe(expected);
  });

  test('zero takes all', () => {
    put();
    settle();
    change({ replicas: 0 });
    settle();
    expect(sizes()).toBe('');
    expect(current().status.replicas).toBeUndefined();
  });
});

describe('paused', () => {
  test('a change of the template waits, a change of size does not', () => {
    put();
    settle();
    change({ paused: true });
    image('app:2');
    settle();
    expect(sizes()).toBe('app:1=3');
    expect(reason('Progressing')).toBe('DeploymentPaused');
    change({ replicas: 5 });
    settle();
    expect(sizes()).toBe('app:1=5');
    change({ paused: false });
    sync();
    settle();
    expect(sizes()).toBe('app:2=5');
    expect(reason('Progressing')).toBe('NewReplicaSetAvailable');
  });
});

describe('conditions', () => {
  test('tell the story of a rollout', () => {
    put();
    sync();
    expect([reason('Progressing'), reason('Available')]).toEqual([
      'NewReplicaSetCreated',
      'MinimumReplicasUnavailable',
    ]);
    fill(1);
    sync();
    sync();
    expect(reason('Progressing')).toBe('ReplicaSetUpdated');
    settle();
    expect([reason('Progressing'), reason('Available')]).toEqual([
      'NewReplicaSetAvailable',
      'MinimumReplicasAvailable',
    ]);
    expect(current().status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    });
  });

  test('a rollout without news for too long has failed, and the controller looks at the right time', () => {
    put();
    sync();
    fill(0);
    sync();
    sync();
    const observed = deploymentController.observe(key, world, undefined);
    expect(observed && deploymentController.plan(observed, world.nowMs).againInMs).toBe(601_000);
    world.nowMs += 601_000;
    sync();
    expect(reason('Progressing')).toBe('ProgressDeadlineExceeded');
    expect(sync()).toEqual([]);
    settle();
    expect(reason('Progressing')).toBe('NewReplicaSetAvailable');
  });

  test('a ReplicaSet that the API refuses is told with its words, and that it was made once it was', () => {
    put();
    const look = (refusal?: string): Plan<Memory> => {
      const observed = deploymentController.observe(key, world, refusal === undefined ? undefined : { refusal });
      if (observed === undefined) throw new Error('no deployment');
      return deploymentController.plan(observed, world.nowMs);
    };
    const [first] = look().actions;
    // Nothing is told of what may be refused.
    expect(first?.do === 'inOrder' && first.actions.map(({ do: does }) => does)).toEqual(['create', 'setStatus']);
    if (first?.do !== 'inOrder' || first.actions[0] === undefined) throw new Error('nothing is made');
    const failures = [{ action: first.actions[0], message: 'exceeded quota' }];
    expect(deploymentController.remember?.(undefined, failures)).toEqual({ refusal: 'exceeded quota' });
    const again = look('exceeded quota');
    expect(again.memory).toBeUndefined();
    expect(again.actions.map(({ do: does }) => does)).toEqual(['create', 'setStatus']);
    for (const action of again.actions) world.apply(action);
    const { name } = generation('app:1').metadata;
    expect(current().status.conditions?.find(({ type }) => type === 'Progressing')).toMatchObject({
      status: 'False',
      reason: 'ReplicaSetCreateError',
      message: `Failed to create new replica set "${name}": exceeded quota`,
    });
    sync();
    expect(reason('Progressing')).toBe('NewReplicaSetCreated');
    settle();
    expect(reason('Progressing')).toBe('NewReplicaSetAvailable');
  });

  test('there is no progress condition without a deadline', () => {
    put({ progressDeadlineSeconds: 2_147_483_647 });
    settle();
    expect(reason('Progressing')).toBeUndefined();
    expect(reason('Available')).toBe('MinimumReplicasAvailable');
  });

  test('a refusal that a ReplicaSet reports shows on the Deployment as long as it lasts', () => {
    put();
    settle();
    const replicaset = generation('app:1');
    const condition = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'quota' };
    world.put(replicasets, { ...replicaset, status: { ...replicaset.status, conditions: [condition] } });
    sync();
    expect(reason('ReplicaFailure')).toBe('FailedCreate');
    // It stays where it stands when something newer is told.
    const types = (): readonly string[] => current().status?.conditions?.map(({ type }) => type) ?? [];
    const before = types();
    world.put(deployments, {
      ...current(),
      status: { ...current().status, conditions: [...(current().status?.conditions ?? [])].reverse() },
    });
    sync();
    expect(types()).toEqual([...before].reverse());
    settle();
    expect(reason('ReplicaFailure')).toBeUndefined();
  });
});

describe('ownership', () => {
  test('orphaned ReplicaSets are adopted, and nothing rolls', () => {
    put();
    settle();
    const [replicaset] = world.list(replicasets);
    if (replicaset)
      world.put(replicasets, { ...replicaset, metadata: { ...replicaset.metadata, ownerReferences: [] } });
    world.put(deployments, { ...current(), metadata: meta('web', { uid: 'another' }) });
    settle();
    expect(world.list(replicasets)).toHaveLength(1);
    expect(world.list(replicasets)[0]?.metadata.ownerReferences).toMatchObject([{ uid: 'another' }]);
  });

  test('an empty selector is refused with an event', () => {
    put({ selector: {} });
    expect(sync()).toEqual(['emit SelectingAll', 'setStatus deployments web']);
  });

  test('only the status changes while the Deployment is being deleted', () => {
    world.put(deployments, terminating(put()));
    expect(sync()).toEqual(['setStatus deployments web']);
    expect(sync()).toEqual([]);
  });
});

describe('laws', () => {
  const budgets = fc
    .record({ maxSurge: fc.nat(4), maxUnavailable: fc.nat(4) })
    .filter(({ maxSurge, maxUnavailable }) => maxSurge + maxUnavailable > 0);

  test('a rollout keeps to its budget at every step and gets through', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), budgets, (replicas, { maxSurge, maxUnavailable }) => {
        world = createWorld();
        put({ replicas, strategy: rolling(maxSurge, maxUnavailable) });
        settle();
        image('app:2');
        for (let round = 0; round < 80; round++) {
          sync();
          const all = world.list(replicasets);
          const total = all.reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
          // What is taken away stops serving at once, what is added serves at the next filling.
          const serving = all.reduce(
            (sum, { spec, status }) => sum + Math.min(spec.replicas ?? 0, status?.availableReplicas ?? 0),
            0,
          );
          expect(total).toBeLessThanOrEqual(replicas + maxSurge);
          expect(serving).toBeGreaterThanOrEqual(replicas - Math.min(maxUnavailable, replicas));
          // The ReplicaSets' statuses follow one at a time, so that every plan sees some that are behind.
          fill(Number.POSITIVE_INFINITY, all[round % all.length]?.metadata.name);
        }
        settle();
        expect(sizes()).toBe(`app:2=${replicas}`);
      }),
      { numRuns: 60 },
    );
  });

  test('settles: after any changes one generation holds all and nothing is left to plan', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ replicas: fc.nat(6) }),
        fc.record({ image: fc.constantFrom('app:1', 'app:2', 'app:3') }),
        fc.record({ paused: fc.boolean() }),
      ),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(steps, budgets, (changes, { maxSurge, maxUnavailable }) => {
        world = createWorld();
        put({ strategy: rolling(maxSurge, maxUnavailable) });
        for (const step of changes) {
          if ('replicas' in step) change({ replicas: step.replicas });
          if ('image' in step) image(step.image);
          if ('paused' in step) change({ paused: step.paused });
          sync();
          fill(2);
        }
        change({ paused: false });
        settle();
        const { spec } = current();
        const wanted = spec.template.spec?.containers[0]?.image;
        expect(sizes()).toBe(spec.replicas === 0 ? '' : `${wanted}=${spec.replicas}`);
      }),
      { numRuns: 60 },
    );
  });
});
