import { beforeEach, expect, test } from 'vitest';
import type { Deployment, ReplicaSet } from '../api/generated/apps-v1.ts';
import type { Pod } from '../api/generated/core-v1.ts';
import { deployments, nodes, pods, replicasets } from '../api/generated/kinds.ts';
import { deploymentController } from '../controllers/deployment/controller.ts';
import { replicasetController } from '../controllers/replicaset/controller.ts';
import { asked, causesOf, rowsOf } from '../testing/asked.ts';
import { makeNode } from '../testing/makers.ts';
import {
  createWorld,
  meta,
  podSpec,
  ready,
  reconcile,
  terminating,
  unready,
  type World,
} from '../testing/plan-world.ts';
import type { Explanation } from './explanation.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
  world.put(nodes, makeNode('a'));
});

function put(spec: Partial<ReplicaSet['spec']> = {}, status: ReplicaSet['status'] = { replicas: 0 }): ReplicaSet {
  return world.put(replicasets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: meta('web'),
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: podSpec },
      ...spec,
    },
    status,
  });
}

function settle(serve: (pod: Pod) => Pod = (pod) => ready(pod, { nodeName: 'a' })): void {
  for (let round = 0; round < 8; round++) {
    for (const { metadata } of world.list(deployments))
      reconcile(world, { controller: deploymentController, key: `default/${metadata.name}` });
    for (const { metadata } of world.list(replicasets))
      reconcile(world, { controller: replicasetController, key: `default/${metadata.name}` });
    for (const pod of world.list(pods)) if (pod.status.phase === 'Pending') world.put(pods, serve(pod));
  }
}

const told = (name = 'web'): Explanation => asked(world, { type: replicasets, name });

test('one by itself, from nothing to all available', () => {
  put();
  expect(told()).toMatchObject({ outcome: 'waits', summary: 'has 0 of 2 pods, 0 available' });
  expect(causesOf(told())).toEqual(['its controller has 2 pods to make']);
  settle();
  expect(told()).toMatchObject({
    outcome: 'settled',
    summary: 'has all of its 2 pods available',
    causes: [],
    facts: { replicas: 2, pods: 2, ready: 2, available: 2 },
  });
});

test('pods that do not serve, and pods that are too many', () => {
  put();
  settle((pod) => unready({ ...pod, spec: { ...pod.spec, nodeName: 'a' } }));
  expect(told().summary).toBe('has 2 of 2 pods, 0 available');
  expect(told().causes[0]?.cause).toContain('2 pods are not ready');
  put({ replicas: 0 });
  expect(causesOf(told())[0]).toBe('its controller has 2 pods too many to delete');
});

test('what the API refuses', () => {
  const message = 'pods "web-" is forbidden: violates PodSecurity "restricted:latest"';
  const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }];
  put({}, { replicas: 0, conditions });
  expect(causesOf(told())).toEqual([
    `it cannot make its pods: ${message} → mend the template, or the level of the namespace`,
  ]);
});

test('minReadySeconds, and one that is going', () => {
  const set = put({ minReadySeconds: 60 });
  settle();
  expect(told()).toMatchObject({ outcome: 'waits', summary: 'has 2 of 2 pods, 0 available' });
  expect(rowsOf(told())[0]).toContain('ready, not yet available');
  world.put(replicasets, terminating(set));
  expect(causesOf(told())[0]).toBe('it is being deleted');
});

test('none is wanted, and none is there', () => {
  put({ replicas: 0 });
  expect(told()).toMatchObject({ outcome: 'settled', summary: 'is to have no pods, and has none' });
});

function deployment(image: string): void {
  world.put(deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta('shop', { generation: 1 }),
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image }] } },
    },
    status: {},
  } as Deployment);
}

test('as a part of a Deployment: which revision it is, and why an older one still has pods', () => {
  deployment('app:1');
  settle();
  const [first] = world.list(replicasets);
  expect(told(first?.metadata.name).facts).toMatchObject({ deployment: 'shop', role: 'current revision' });
  deployment('app:2');
  settle((pod) => unready({ ...pod, spec: { ...pod.spec, nodeName: 'a' } }));
  const older = told(first?.metadata.name);
  expect(older).toMatchObject({ outcome: 'waits', facts: { role: 'older revision' } });
  expect(older.causes.map(({ cause }) => cause)).toEqual([
    'it is an older revision, to which Deployment shop leaves pods',
    'Deployment shop: 2 old pods stay until new ones serve: 1 of 1 new pod does not yet, and maxUnavailable 0 and maxSurge 1 allow no more',
    expect.stringContaining('Deployment shop: 1 pod is not ready'),
  ]);
});
