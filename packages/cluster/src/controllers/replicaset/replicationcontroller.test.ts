import { beforeEach, expect, test } from 'vitest';
import type { Pod, ReplicationController } from '../../api/generated/core-v1.ts';
import { pods, replicationcontrollers } from '../../api/generated/kinds.ts';
import { createWorld, meta, podSpec, reconcile, runAll, type World } from '../../testing/plan-world.ts';
import type { Memory } from './plan.ts';
import { replicationcontrollerController } from './replicationcontroller.ts';

let world: World;
let memories: Map<string, Memory>;
const key = 'default/web';

beforeEach(() => {
  world = createWorld();
  memories = new Map();
});

function put(replicas: number, selector: Readonly<Record<string, string>> = { app: 'web' }): void {
  world.put(replicationcontrollers, {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: meta('web'),
    spec: { replicas, selector, template: { metadata: { labels: { app: 'web' } }, spec: podSpec } },
    status: { replicas: 0 },
  } as ReplicationController);
}

function sync(): readonly string[] {
  return reconcile(world, { controller: replicationcontrollerController, key, memories });
}

test('it makes as many pods as it wants, owned by itself, and says in its own status how many there are', () => {
  put(2);
  expect(sync().filter((line) => line.startsWith('create pods'))).toHaveLength(2);
  expect(world.list(pods).map((pod) => pod.metadata.ownerReferences?.[0])).toEqual([
    expect.objectContaining({ apiVersion: 'v1', kind: 'ReplicationController', name: 'web' }),
    expect.objectContaining({ apiVersion: 'v1', kind: 'ReplicationController', name: 'web' }),
  ]);
  runAll(world);
  sync();
  const { spec, status } = world.of(replicationcontrollers).get(key) as ReplicationController;
  expect(spec.selector).toEqual({ app: 'web' });
  expect(status).toMatchObject({ replicas: 2, readyReplicas: 2 });
  expect(sync()).toEqual([]);
});

test('it lets go of what is too much', () => {
  put(3);
  sync();
  put(1);
  expect(sync().filter((line) => line.startsWith('delete pods'))).toHaveLength(2);
});

test('it adopts a pod of nobody by its labels, and lets go of one that no longer has them', () => {
  put(1);
  const stray = { apiVersion: 'v1', kind: 'Pod', metadata: meta('stray', { labels: { app: 'web' } }), spec: podSpec };
  world.put(pods, stray as Pod);
  expect(sync().join()).toContain('patch pods stray');
  put(1, { app: 'api' });
  expect(sync().join()).toContain('patch pods stray');
});

test('an empty selector takes nothing', () => {
  put(0, {});
  world.put(pods, { apiVersion: 'v1', kind: 'Pod', metadata: meta('stray'), spec: podSpec } as Pod);
  expect(sync()).toEqual(['setStatus replicationcontrollers web']);
});

test('its events come from whom upstream names', () => {
  expect(replicationcontrollerController.source).toBe('replication-controller');
});
