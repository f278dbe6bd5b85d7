import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { nodes, pods } from '../../api/generated/kinds.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import type { Action } from '../../runtime/plan.ts';
import { makeNode, makePod, type PodParts } from '../../testing/makers.ts';
import { createTestPlane, type TestPlane } from '../../testing/plane.ts';
import { createPodCollector } from './collector.ts';
import { isStranded, removeOrphans, removeOutOfService, removeStranded, removeSurplus } from './plan.ts';

const nowMs = 0;
const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
const held = { ...deleting, deletionGracePeriodSeconds: 0, finalizers: ['example.com/hold'] };

function line(action: Action): string {
  switch (action.do) {
    case 'delete':
      return `delete ${action.target.metadata.name} ${action.options?.gracePeriodSeconds}`;
    case 'patch':
      return `${action.subresource} ${action.target.metadata.name} ${JSON.stringify(action.body)}`;
    case 'inOrder':
      return action.actions.map(line).join(' then ');
    default:
      return action.do;
  }
}

describe('which pods nobody will ever end', () => {
  test.each<[string, PodParts, boolean]>([
    ['a pod that waits for a node', {}, false],
    ['one that is deleted and has no node', { metadata: deleting }, true],
    ['one that is deleted and has a node', { metadata: deleting, node: 'n' }, false],
    ['one that only a finalizer holds, and of which nobody has said how it ended', { metadata: held }, true],
    [
      'one that had no time to end, of which it is said how it did',
      { metadata: { deletionTimestamp: deleting.deletionTimestamp }, status: { phase: 'Failed' } },
      false,
    ],
    ['one that only a finalizer holds', { metadata: held, status: { phase: 'Failed' } }, false],
  ])('%s', (_, parts, expected) => expect(isStranded(makePod('p', parts))).toBe(expected));
});

describe('pods of a node that is gone', () => {
  test('fail first, so that whoever watches them learns their end', () => {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
      lastTransitionTime: '1970-01-01T00:00:00Z',
    };
    expect(removeOrphans([makePod('p')], { nowMs }).map(line)).toEqual([
      `status p ${JSON.stringify({ status: { phase: 'Failed', conditions: [condition] } })} then delete p 0`,
    ]);
  });

  test('that have ended keep their phase; that only a finalizer holds are left alone once it is known that they have', () => {
    const all = [
      makePod('done', { status: { phase: 'Succeeded' } }),
      makePod('held', { metadata: held, status: { phase: 'Failed' } }),
    ];
    expect(removeOrphans(all, { nowMs }).map(line)).toEqual(['delete done 0']);
    const [told] = removeOrphans([makePod('held', { metadata: held })], { nowMs }).map(line);
    expect(told).toMatch(/^status held .*"Failed"/);
    expect(told).not.toContain('delete');
  });

  test('the condition tells which version of the pod was seen', () => {
    const [told] = removeOrphans([makePod('p', { metadata: { generation: 3 } })], { nowMs }).map(line);
    expect(told).toContain('"observedGeneration":3}]');
    expect(told).toContain('"phase":"Failed","observedGeneration":3,');
  });

  test('the condition stands behind those that are there', () => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    const [told] = removeOrphans([makePod('p', { status: { conditions } })], { nowMs }).map(line);
    expect(told).toContain('"$setElementOrder/conditions":[{"type":"Ready"},{"type":"DisruptionTarget"}]');
  });

  test('one that never got a node has failed as well, of which no disruption is told', () => {
    const [both] = removeStranded(makePod('p', { metadata: deleting })).map(line);
    expect(both).toBe('status p {"status":{"phase":"Failed"}} then delete p 0');
  });
});

describe('pods of a node out of service', () => {
  const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
  const dead = { ...makeNode('n', { taints }), status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
  const both = [makePod('stays', { node: 'n' }), makePod('goes', { node: 'n', metadata: deleting })];
  test('go when they are being deleted', () => {
    expect(removeOutOfService({ node: dead, pods: both }).map(line)).toEqual([
      'status goes {"status":{"phase":"Failed"}} then delete goes 0',
    ]);
  });
  test('stay while the node is ready', () => {
    expect(removeOutOfService({ node: makeNode('n', { taints }), pods: both })).toEqual([]);
  });
});

test('of too many ended pods the evicted go first, then the oldest', () => {
  const ended = [
    makePod('new', { createdAt: '2026-01-03T00:00:00Z', status: { phase: 'Failed' } }),
    makePod('old', { createdAt: '2026-01-01T00:00:00Z', status: { phase: 'Succeeded' } }),
    makePod('middle', { createdAt: '2026-01-02T00:00:00Z', status: { phase: 'Succeeded' } }),
    makePod('evicted', { createdAt: '2026-01-04T00:00:00Z', status: { phase: 'Failed', reason: 'Evicted' } }),
  ];
  const removed = (terminatedPodsMax: number): readonly string[] =>
    removeSurplus(ended, { terminatedPodsMax }).map(line);
  expect(removed(4)).toEqual([]);
  expect(removed(2)).toEqual(['delete evicted 0', 'delete old 0']);
  expect(removed(0)).toHaveLength(4);
});

describe('on a plane', () => {
  let plane: TestPlane;
  beforeEach(async () => {
    plane = await createTestPlane();
    plane.start(createPodCollector(plane.platform, { terminatedPodsMax: 2 }));
    await plane.clock.settle();
    await create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} });
  });
  afterEach(async () => {
    expect(plane.problems).toEqual([]);
    await plane.close();
  });

  const create = (type: typeof nodes | typeof pods, object: object): Promise<KubeObject> =>
    plane.client.create<KubeObject>(type, object as New<KubeObject>, { signal: plane.signal });
  const pod = (name: string, nodeName?: string, more: object = {}): Promise<KubeObject> =>
    create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', ...more },
      spec: { containers: [{ name: 'main', image: 'app:1' }], ...(nodeName !== undefined && { nodeName }) },
    });
  const removeNode = (): Promise<void> => plane.client.delete(nodes, { signal: plane.signal, name: 'n' });
  const place = { namespace: 'default' };
  const left = (): Promise<readonly string[]> => plane.names(pods, 'default');

  test('pods of a deleted node fail and go after the quarantine', async () => {
    await pod('p', 'n');
    await pod('waits');
    const seen: string[] = [];
    plane.platform.informers.listen<Pod>(pods, ({ type, object }) => seen.push(`${type} ${object.status.phase}`));
    await removeNode();
    await plane.clock.advance(4_900);
    expect(await left()).toEqual(['p', 'waits']);
    await plane.clock.advance(200);
    expect(await left()).toEqual(['waits']);
    expect(seen.slice(-2)).toEqual(['updated Failed', 'deleted Failed']);
  });

  test('a node that comes back within the quarantine keeps its pods', async () => {
    await pod('p', 'n');
    await removeNode();
    await plane.clock.advance(3_000);
    await create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} });
    await plane.clock.advance(60_000);
    expect(await left()).toEqual(['p']);
  });

  test('a pod that is bound to a node that never was goes as well', async () => {
    await pod('p', 'nowhere');
    await plane.clock.advance(4_900);
    expect(await left()).toEqual(['p']);
    await plane.clock.advance(200);
    expect(await left()).toEqual([]);
  });

  test('ended pods beyond the threshold go', async () => {
    for (const name of ['a', 'b', 'c']) {
      await pod(name, 'n');
      await plane.client.patch(pods, {
        signal: plane.signal,
        ...place,
        name,
        patchType: 'merge',
        subresource: 'status',
        body: { status: { phase: 'Succeeded' } },
      });
      await plane.clock.advance(1_000);
    }
    await plane.clock.advance(20_000);
    expect(await left()).toEqual(['b', 'c']);
  });

  test('a pod of a gone node that a finalizer holds is touched once, not forever', async () => {
    await pod('p', 'n', { finalizers: ['example.com/hold'] });
    await removeNode();
    await plane.clock.advance(6_000);
    const version = (await plane.find(pods, 'p', 'default'))?.metadata.resourceVersion;
    expect((await plane.find(pods, 'p', 'default'))?.metadata.deletionGracePeriodSeconds).toBe(0);
    await plane.clock.advance(600_000);
    expect((await plane.find(pods, 'p', 'default'))?.metadata.resourceVersion).toBe(version);
  });
});
