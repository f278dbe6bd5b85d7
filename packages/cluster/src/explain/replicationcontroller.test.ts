import { expect, test } from 'vitest';
import type { ReplicationController } from '../api/generated/core-v1.ts';
import { nodes, pods, replicationcontrollers } from '../api/generated/kinds.ts';
import { replicationcontrollerController } from '../controllers/replicaset/replicationcontroller.ts';
import { asked, causesOf, rowsOf } from '../testing/asked.ts';
import { makeNode } from '../testing/makers.ts';
import { createWorld, meta, podSpec, ready, reconcile, terminating, type World } from '../testing/plan-world.ts';
import type { Explanation } from './explanation.ts';

function put(world: World, parts: Partial<ReplicationController> = {}): ReplicationController {
  return world.put(replicationcontrollers, {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: meta('old'),
    spec: {
      replicas: 2,
      selector: { app: 'old' },
      template: { metadata: { labels: { app: 'old' } }, spec: podSpec },
    },
    status: { replicas: 0 },
    ...parts,
  });
}

const told = (world: World): Explanation => asked(world, { type: replicationcontrollers, name: 'old' });

test('from nothing to all available, and until it has gone', () => {
  const world = createWorld();
  world.put(nodes, makeNode('a'));
  const made = put(world);
  expect(told(world)).toMatchObject({
    subject: { kind: 'ReplicationController', namespace: 'default', name: 'old' },
    outcome: 'waits',
    summary: 'has 0 of 2 pods, 0 available',
  });
  expect(causesOf(told(world))).toEqual(['its controller has 2 pods to make']);
  reconcile(world, { controller: replicationcontrollerController, key: 'default/old' });
  for (const pod of world.list(pods)) world.put(pods, ready(pod, { nodeName: 'a' }));
  expect(told(world)).toMatchObject({ outcome: 'settled', summary: 'has all of its 2 pods available', causes: [] });
  expect(rowsOf(told(world))).toHaveLength(1);
  world.put(replicationcontrollers, terminating(made));
  expect(causesOf(told(world))).toEqual(['it is being deleted']);
});

test('what the API refuses', () => {
  const world = createWorld();
  const message = 'pods "old-" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3';
  const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }];
  put(world, { status: { replicas: 0, conditions } });
  expect(causesOf(told(world))).toEqual([
    `it cannot make its pods: ${message} → raise the ResourceQuota, or request less`,
  ]);
});
