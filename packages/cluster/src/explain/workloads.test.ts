import { beforeEach, expect, test } from 'vitest';
import type { Deployment, ReplicaSet, StatefulSet } from '../api/generated/apps-v1.ts';
import type { Job } from '../api/generated/batch-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../api/generated/core-v1.ts';
import {
  deployments,
  jobs,
  nodes,
  persistentvolumeclaims,
  pods,
  replicasets,
  statefulsets,
} from '../api/generated/kinds.ts';
import { deploymentController } from '../controllers/deployment/controller.ts';
import { jobController } from '../controllers/job/controller.ts';
import { replicasetController } from '../controllers/replicaset/controller.ts';
import { statefulsetController } from '../controllers/statefulset/controller.ts';
import { asked, causesOf, rowsOf } from '../testing/asked.ts';
import { end, job, key } from '../testing/job-world.ts';
import { makeNode } from '../testing/makers.ts';
import { createWorld, meta, podSpec, ready, reconcile, unready, type World } from '../testing/plan-world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
  world.put(nodes, makeNode('a'));
});

const template = (image = 'app:1'): Deployment['spec']['template'] => ({
  metadata: { labels: { app: 'web' } },
  spec: { ...podSpec, containers: [{ name: 'app', image }] },
});

function deployment(spec: Partial<Deployment['spec']> = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta('web'),
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: template(),
      ...spec,
    },
    status: {},
  };
}

/** Until the controllers have nothing to do; pods are as `serve` leaves them. */
function settle(serve: (pod: Pod) => Pod = (pod) => ready(pod, { nodeName: 'a' })): void {
  for (let round = 0; round < 20; round++) {
    let acted = reconcile(world, { controller: deploymentController, key: 'default/web' }).length;
    for (const { metadata } of world.list(replicasets))
      acted += reconcile(world, { controller: replicasetController, key: `default/${metadata.name}` }).length;
    for (const pod of world.list(pods)) if (pod.status.phase === 'Pending') world.put(pods, serve(pod));
    if (acted === 0) return;
  }
}

const ofDeployment = (): ReturnType<typeof asked> => asked(world, { type: deployments, name: 'web' });

test('a Deployment that is through has nothing to wait for', () => {
  world.put(deployments, deployment());
  settle();
  expect(ofDeployment()).toMatchObject({
    outcome: 'settled',
    summary: 'has all of its 2 replicas up to date and available',
    causes: [],
  });
});

test('of one that is scaled to nothing no counts are told', () => {
  world.put(deployments, deployment({ replicas: 0 }));
  settle();
  expect(ofDeployment()).toMatchObject({ outcome: 'settled', summary: 'is to have no pods, and has none' });
  world.put(statefulsets, statefulset({ replicas: 0 }));
  settleSet();
  expect(ofSet()).toMatchObject({ outcome: 'settled', summary: 'is to have no pods, and has none' });
});

function change(spec: Partial<Deployment['spec']>): void {
  const [before] = world.list(deployments);
  if (before === undefined) throw new Error('it is there');
  const metadata = { ...before.metadata, generation: (before.metadata.generation ?? 1) + 1 };
  world.put(deployments, { ...before, metadata, spec: { ...before.spec, ...spec } });
}

const stuck = (pod: Pod): Pod => ({
  ...pod,
  spec: { ...pod.spec, nodeName: 'a' },
  status: {
    phase: 'Pending',
    containerStatuses: [
      {
        name: 'app',
        image: '',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: 'ErrImagePull' } },
      },
    ],
  },
});

test('a rollout waits for new pods, by its budget, and says what they wait for', () => {
  world.put(deployments, deployment());
  settle();
  change({ template: template('app:2') });
  settle(stuck);
  expect(causesOf(ofDeployment())).toEqual([
    '2 old pods stay until new ones serve: 1 of 1 new pod does not yet, and maxUnavailable 0 and maxSurge 1 allow no more',
    '1 pod is not ready: container app waits: ErrImagePull → mend the name of the image, or the secrets that pull it',
  ]);
  expect(ofDeployment().facts).toMatchObject({ progressDeadlineIn: '10m1s' });
  world.nowMs += 700_000;
  settle(stuck);
  const [, first = '', last = ''] = causesOf(ofDeployment());
  expect(first).toMatch(/^1 pod is not ready/);
  expect(last).toMatch(/^it has made no progress for more than 600s: ReplicaSet "web-.*" has timed out/);
  expect(last).toMatch(/→ mend what its pods wait for, or go back: kubectl rollout undo deployment web$/);
});

test('nobody is told to go back where there is no older revision', () => {
  world.put(deployments, deployment());
  settle(stuck);
  world.nowMs += 700_000;
  settle(stuck);
  expect(causesOf(ofDeployment()).at(-1)).toMatch(/has timed out progressing\. → mend what its pods wait for$/);
});

test.each([
  ['one node', ['a', 'a'], 'see signalbox explain node a'],
  ['several nodes', ['a', 'b'], 'see signalbox explain node NODE'],
])('pods that wait for %s to come back say which, where there is one', (_, names, mend) => {
  world.put(deployments, deployment());
  settle();
  for (const name of names) {
    const silent = { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] };
    world.put(nodes, { ...makeNode(name), status: silent });
  }
  for (const [index, pod] of world.list(pods).entries())
    world.put(pods, { ...unready(pod), spec: { ...pod.spec, nodeName: names[index] ?? '' } });
  settle((pod) => pod);
  expect(causesOf(ofDeployment())).toEqual([
    `2 pods are not ready: its node is not ready (NodeStatusUnknown) → ${mend}`,
  ]);
});

test('pods that go are told after those that do not serve, however many they are', () => {
  world.put(deployments, deployment({ replicas: 3, minReadySeconds: 10 }));
  settle();
  const [first, ...others] = world.list(pods);
  if (first === undefined) throw new Error('it is there');
  const gone = { deletionTimestamp: '2024-01-01T00:00:20Z', deletionGracePeriodSeconds: 30 };
  for (const pod of others) world.put(pods, { ...pod, metadata: { ...pod.metadata, ...gone } });
  world.put(pods, stuck(first));
  expect(causesOf(ofDeployment())).toEqual([
    '1 pod is not ready: container app waits: ErrImagePull → mend the name of the image, or the secrets that pull it',
    '2 pods are going: within its grace period of 30s',
  ]);
  expect(ofDeployment().facts).toMatchObject({ minReadySeconds: 10 });
});

test('a paused rollout says how it goes on', () => {
  world.put(deployments, deployment());
  settle();
  change({ template: template('app:2'), paused: true });
  settle();
  expect(causesOf(ofDeployment())).toEqual(['its rollout is paused → kubectl rollout resume deployment web']);
});

test('what refuses its pods is named', () => {
  world.put(deployments, deployment());
  reconcile(world, { controller: deploymentController, key: 'default/web' });
  const [made] = world.list(replicasets);
  const message = 'pods "web-1" is forbidden: exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0';
  const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }];
  world.put(replicasets, { ...made, status: { replicas: 0, conditions } } as ReplicaSet);
  expect(causesOf(ofDeployment())[0]).toBe(
    `ReplicaSet ${made?.metadata.name} cannot make its pods: ${message} → raise the ResourceQuota, or request less`,
  );
});

function statefulset(spec: Partial<StatefulSet['spec']> = {}): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: meta('db'),
    spec: {
      replicas: 3,
      serviceName: 'db',
      selector: { matchLabels: { app: 'web' } },
      template: template(),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
  } as StatefulSet;
}

function settleSet(serve: (pod: Pod) => Pod = (pod) => ready(pod, { nodeName: 'a' })): void {
  for (let round = 0; round < 20; round++) {
    const acted = reconcile(world, { controller: statefulsetController, key: 'default/db' }).length;
    for (const pod of world.list(pods)) if (pod.status.phase === 'Pending') world.put(pods, serve(pod));
    if (acted === 0) return;
  }
}

const ofSet = (): ReturnType<typeof asked> => asked(world, { type: statefulsets, name: 'db' });

test('an ordinal that is not ready holds up all others', () => {
  world.put(statefulsets, statefulset());
  settleSet(stuck);
  expect(rowsOf(ofSet())).toEqual([
    'db-1 db-2: is missing: db-0 has to serve first',
    'db-0: is not ready: container app waits: ErrImagePull',
  ]);
  expect(causesOf(ofSet())[0]).toBe(
    'all others wait for db-0 (podManagementPolicy OrderedReady), which is not ready: container app waits: ErrImagePull → mend the name of the image, or the secrets that pull it',
  );
});

test('a StatefulSet names the node that the first of its pods waits for', () => {
  world.put(statefulsets, statefulset());
  const silent = { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] };
  world.put(nodes, { ...makeNode('a'), status: silent });
  settleSet(stuck);
  expect(causesOf(ofSet())[0]).toMatch(/→ see signalbox explain node a$/);
  expect(ofSet().groups.find(({ state }) => state === 'is not ready')?.mend).toBe('see signalbox explain node a');
});

test('a pod of a broken revision that stays can be deleted by hand, and that is said', () => {
  world.put(statefulsets, statefulset());
  settleSet(stuck);
  const [before] = world.list(statefulsets);
  if (before === undefined) throw new Error('it is there');
  world.put(statefulsets, {
    ...before,
    metadata: { ...before.metadata, generation: 2 },
    spec: { ...before.spec, template: template('app:2') },
  });
  expect(causesOf(ofSet())[0]).toContain('if its controller does not replace it: kubectl delete pod db-0');
});

test('so it is where no other pod waits for it', () => {
  world.put(statefulsets, statefulset({ replicas: 1, updateStrategy: { type: 'OnDelete' } }));
  settleSet(stuck);
  changeSet({ template: template('app:2') });
  expect(causesOf(ofSet())).toEqual([
    '1 pod is not ready: container app waits: ErrImagePull → it is of an older revision, and if its controller does not replace it: kubectl delete pod db-0',
  ]);
});

function changeSet(spec: Partial<StatefulSet['spec']>): void {
  const [before] = world.list(statefulsets);
  if (before === undefined) throw new Error('it is there');
  world.put(statefulsets, { ...before, spec: { ...before.spec, ...spec } });
}

function changePod(name: string, to: (pod: Pod) => Pod): void {
  const pod = world.of(pods).get(`default/${name}`);
  if (pod === undefined) throw new Error(`no pod ${name}`);
  world.put(pods, to(pod));
}

test('besides the pod that others wait for those that do not serve are told', () => {
  world.put(statefulsets, statefulset());
  settleSet();
  changePod('db-0', stuck);
  changePod('db-2', unready);
  changeSet({ replicas: 4 });
  expect(causesOf(ofSet())).toEqual([
    'db-3 waits for db-0 (podManagementPolicy OrderedReady), which is not ready: container app waits: ErrImagePull → mend the name of the image, or the secrets that pull it',
    '1 pod is not ready: its node has not started it yet',
  ]);
});

test('nobody is said to wait for a pod when there is nothing to do with the others', () => {
  world.put(statefulsets, statefulset());
  settleSet();
  changePod('db-1', stuck);
  expect(causesOf(ofSet())).toEqual([
    '1 pod is not ready: container app waits: ErrImagePull → mend the name of the image, or the secrets that pull it',
  ]);
});

function roll(spec: Partial<StatefulSet['spec']>): void {
  changeSet({ template: template('app:2'), ...spec });
  settleSet(stuck);
}

const partitioned = (partition: number): Partial<StatefulSet['spec']> => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
});

test('what the partition keeps does not wait for what it lets go', () => {
  world.put(statefulsets, statefulset());
  settleSet();
  roll(partitioned(2));
  expect(causesOf(ofSet())).toEqual([
    '1 pod is not ready: container app waits: ErrImagePull → mend the name of the image, or the secrets that pull it',
  ]);
  changeSet(partitioned(1));
  expect(causesOf(ofSet())).toEqual([
    'db-1 waits for db-2 (podManagementPolicy OrderedReady), which is not ready: container app waits: ErrImagePull → mend the name of the image, or the secrets that pull it',
  ]);
  expect(rowsOf(ofSet())).toContain('db-1: ready, outdated: replaced from the highest ordinal down, once db-2 serves');
  changeSet(partitioned(0));
  expect(causesOf(ofSet())[0]).toMatch(/^all others wait for db-2 /);
});

test('a pod that the partition keeps at its revision comes back as it was: nobody is told to delete it', () => {
  world.put(statefulsets, statefulset());
  settleSet();
  roll(partitioned(2));
  changePod('db-0', stuck);
  changeSet({ replicas: 4 });
  expect(causesOf(ofSet())[0]).toBe(
    'db-3 waits for db-0 (podManagementPolicy OrderedReady), which is not ready: container app waits: ErrImagePull → mend the name of the image, or the secrets that pull it',
  );
});

test('of pods that are replaced side by side it is told which of them use up what may be unavailable', () => {
  world.put(statefulsets, statefulset({ replicas: 5, podManagementPolicy: 'Parallel' }));
  settleSet();
  roll({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } });
  const turn = 'replaced from the highest ordinal down: db-3, db-4 do not serve, and maxUnavailable is 2';
  expect(rowsOf(ofSet())).toContain(`db-0 db-1 db-2: ready, outdated: ${turn}`);
  expect(causesOf(ofSet())).toEqual([
    '2 pods are not ready: container app waits: ErrImagePull → mend the name of the image, or the secrets that pull it',
    `3 pods are of an older revision: ${turn}`,
  ]);
});

test('with OnDelete it is said which command replaces a pod', () => {
  world.put(statefulsets, statefulset());
  settleSet();
  roll({ updateStrategy: { type: 'OnDelete' } });
  expect(causesOf(ofSet())).toEqual([
    '3 pods are of an older revision: its strategy is OnDelete → a new one is made when the old one is gone; one after the other: kubectl delete pod db-0',
  ]);
});

test('a pod outside of the range has to go, from the top, and waits for the lowest that does not serve', () => {
  world.put(statefulsets, statefulset());
  settleSet();
  changeSet({ replicas: 1 });
  expect(ofSet()).toMatchObject({ facts: { replicas: 1, pods: 3, ready: 3 } });
  expect(rowsOf(ofSet())).toEqual(['db-0: ready', 'db-2 db-1: has to go: its ordinal is outside of the 1 replica']);
  expect(causesOf(ofSet())[0]).toBe(
    'db-1 waits for db-2 (podManagementPolicy OrderedReady), which has to go: its ordinal is outside of the 1 replica',
  );
  for (const name of ['db-1', 'db-2']) changePod(name, unready);
  expect(causesOf(ofSet())[0]).toContain('db-2 waits for db-1');
});

test('one that is to have no pods says how many it has, and which of them wait for which', () => {
  world.put(statefulsets, statefulset());
  settleSet();
  changeSet({ replicas: 0 });
  const gone = { deletionTimestamp: '2024-01-01T00:00:20Z', deletionGracePeriodSeconds: 30 };
  for (const name of ['db-0', 'db-2']) changePod(name, (pod) => ({ ...pod, metadata: { ...pod.metadata, ...gone } }));
  expect(ofSet().summary).toBe('is to have no pods, and has 3');
  expect(causesOf(ofSet())[0]).toBe(
    'db-1 waits for db-2 (podManagementPolicy OrderedReady), which is going: within its grace period of 30s',
  );
});

test('a set says how many of its pods serve', () => {
  world.put(statefulsets, statefulset());
  settleSet();
  expect(ofSet()).toMatchObject({ outcome: 'settled', summary: 'has all of its 3 replicas serving', causes: [] });
  changePod('db-2', unready);
  expect(ofSet()).toMatchObject({ outcome: 'waits', summary: 'has 2 of its 3 replicas serving' });
});

test('of a strategy those numbers are told that somebody has set', () => {
  world.put(statefulsets, statefulset());
  settleSet();
  expect(ofSet().facts).toEqual({ replicas: 3, pods: 3, ready: 3, updated: 3 });
  changeSet({
    ordinals: { start: 2 },
    podManagementPolicy: 'Parallel',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, maxUnavailable: 2 } },
  });
  expect(ofSet().facts).toMatchObject({
    ...{ podManagementPolicy: 'Parallel', partition: 1, maxUnavailable: 2, firstOrdinal: 2 },
  });
});

test('below the partition pods keep their revision, and nothing waits', () => {
  world.put(statefulsets, statefulset());
  settleSet();
  const [before] = world.list(statefulsets);
  if (before === undefined) throw new Error('it is there');
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
  world.put(statefulsets, {
    ...before,
    metadata: { ...before.metadata, generation: 2 },
    spec: { ...before.spec, template: template('app:2'), updateStrategy },
  });
  settleSet();
  expect(ofSet().outcome).toBe('settled');
  expect(rowsOf(ofSet())).toEqual([
    'db-2: ready',
    'db-0 db-1: ready, kept at its revision: its ordinal is below the partition 2',
  ]);
});

function ofClaims(spec: Partial<StatefulSet['spec']>, change: (claim: PersistentVolumeClaim) => object): void {
  const template = { metadata: { name: 'data' }, spec: { storageClassName: 'fast' } };
  world.put(statefulsets, statefulset({ volumeClaimTemplates: [template as never], ...spec }));
  settleSet(spec.podManagementPolicy === undefined ? (pod) => pod : undefined);
  const finalizers = ['kubernetes.io/pvc-protection'];
  for (const claim of world.list(persistentvolumeclaims)) {
    const protectedOne = { ...claim, metadata: { ...claim.metadata, finalizers } };
    world.put(persistentvolumeclaims, { ...protectedOne, ...change(protectedOne) });
  }
}

test('a claim without a volume is told once, of the pod that waits for it', () => {
  ofClaims({ replicas: 1 }, () => ({ status: { phase: 'Pending' } }));
  expect(causesOf(ofSet())).toEqual([
    '1 pod waits for a node: VolumeBinding: pod has unbound immediate PersistentVolumeClaims; its claim: storageclass.storage.k8s.io "fast" not found → create that StorageClass, or name another one',
  ]);
  expect(rowsOf(ofSet()).at(-1)).toContain('data-db-0: waits: storageclass.storage.k8s.io "fast" not found');
});

test('a claim without a volume that no pod is said to wait for is a cause of its own', () => {
  ofClaims({ replicas: 1, podManagementPolicy: 'Parallel' }, () => ({ status: { phase: 'Pending' } }));
  expect(causesOf(ofSet())).toEqual([
    'claim default/data-db-0: storageclass.storage.k8s.io "fast" not found → create that StorageClass, or name another one',
  ]);
});

test('a claim that is going while its pod serves is shown, and nothing waits for it', () => {
  const deletionTimestamp = '2024-01-01T00:00:00Z';
  ofClaims({ podManagementPolicy: 'Parallel' }, ({ metadata }) => ({
    status: { phase: 'Bound' },
    ...(metadata.name === 'data-db-1' && { metadata: { ...metadata, deletionTimestamp } }),
  }));
  expect(ofSet()).toMatchObject({ outcome: 'settled', summary: 'has all of its 3 replicas serving', causes: [] });
  expect(rowsOf(ofSet()).at(-1)).toBe(
    'data-db-1: is going: it is being deleted, and kubernetes.io/pvc-protection keeps it while default/db-1 uses it',
  );
});

const ofJob = (): ReturnType<typeof asked> => asked(world, { type: jobs, name: 'run' });

function runJob(): void {
  for (let round = 0; round < 6; round++) if (reconcile(world, { controller: jobController, key }).length === 0) return;
}

test('a Job that backs off says until when, and why', () => {
  world.put(jobs, job());
  runJob();
  const [pod] = world.list(pods);
  if (pod !== undefined) end(world, pod, { phase: 'Failed', exitCode: 7 });
  runJob();
  expect(causesOf(ofJob())).toEqual([
    'it backs off after 1 failure: the next pod comes in 10s, at 2024-01-01T00:00:10Z → mend what makes its pods fail: kubectl logs job/run',
    '1 container exited with code 7',
  ]);
});

test.each<[string, Partial<Job['spec']>, string]>([
  ['is suspended', { suspend: true }, `it is suspended → kubectl patch job run -p '{"spec":{"suspend":false}}'`],
  [
    'is to have no pods',
    { parallelism: 0 },
    `its parallelism is 0 → kubectl patch job run -p '{"spec":{"parallelism":1}}'`,
  ],
  ['belongs to somebody else', { managedBy: 'x/queue' }, 'x/queue answers for it (spec.managedBy)'],
])('a Job that %s says so', (_, spec, cause) => {
  world.put(jobs, job(spec));
  runJob();
  expect(causesOf(ofJob())).toEqual([cause]);
});

test('of a Job that runs it is told what its pods wait for, not that others have failed', () => {
  world.put(jobs, job({ completions: 3, parallelism: 2 }));
  runJob();
  const [first, second] = world.list(pods);
  if (first === undefined || second === undefined) throw new Error('they are there');
  end(world, first, { phase: 'Failed' });
  world.put(pods, stuck(second));
  runJob();
  world.nowMs += 10_000;
  runJob();
  const causes = causesOf(ofJob());
  expect(causes).toContain(
    '1 pod is not ready: container app waits: ErrImagePull → mend the name of the image, or the secrets that pull it',
  );
  expect(causes.filter((cause) => cause.includes('failed'))).toEqual([]);
});

test('a Job that has failed says why, and is not settled', () => {
  world.put(jobs, job({ backoffLimit: 0 }));
  runJob();
  const [pod] = world.list(pods);
  if (pod !== undefined) end(world, pod, { phase: 'Failed' });
  runJob();
  expect(ofJob()).toMatchObject({ outcome: 'failed', summary: 'has failed: BackoffLimitExceeded' });
  expect(causesOf(ofJob())[0]).toBe(
    'Job has reached the specified backoff limit → mend what makes its pods fail, and create it anew: a Job that has failed is not started again',
  );
});

test('a Job that ran out of time says how long it had', () => {
  world.put(jobs, job({ activeDeadlineSeconds: 20 }));
  runJob();
  for (const pod of world.list(pods)) world.put(pods, ready(pod, { nodeName: 'a' }));
  runJob();
  expect(causesOf(ofJob())).toEqual(['1 pod runs, and has to end yet']);
  world.nowMs += 30_000;
  runJob();
  for (const pod of world.list(pods)) end(world, pod, { phase: 'Failed' });
  runJob();
  expect(causesOf(ofJob())[0]).toBe(
    'Job was active longer than specified deadline → create it anew with more activeDeadlineSeconds than 20: a Job that has failed is not started again',
  );
});

test('of a Job with limits per index is told which indexes back off', () => {
  world.put(
    jobs,
    job({
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
      backoffLimitPerIndex: 2,
      backoffLimit: 2 ** 31 - 1,
    }),
  );
  runJob();
  for (const pod of world.list(pods))
    if (pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index'] !== '1')
      end(world, pod, { phase: 'Failed', exitCode: 7 });
  runJob();
  expect(causesOf(ofJob())[0]).toContain('it backs off for index 0, 2: the next pod comes in 10s');
  expect(ofJob().facts).toMatchObject({ backoffLimitPerIndex: 2, completionMode: 'Indexed' });
  expect(ofJob().facts).not.toHaveProperty('backoffLimit');
});

test('a hundred pods whose claims wait for the same share a row', () => {
  for (let index = 0; index < 100; index++) {
    const claimName = `data-${index}`;
    world.put(persistentvolumeclaims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { ...meta(claimName), finalizers: ['kubernetes.io/pvc-protection'] },
      spec: { storageClassName: 'fast' },
      status: { phase: 'Pending' },
    });
  }
  world.put(replicasets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: meta('many'),
    spec: { replicas: 100, selector: { matchLabels: { app: 'web' } }, template: template() },
    status: { replicas: 100 },
  });
  reconcile(world, { controller: replicasetController, key: 'default/many' });
  for (const [index, pod] of world.list(pods).entries())
    world.put(pods, {
      ...pod,
      spec: { ...pod.spec, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: `data-${index}` } }] },
    });
  expect(asked(world, { type: replicasets, name: 'many' }).groups.map(({ names }) => names.length)).toEqual([100]);
});
