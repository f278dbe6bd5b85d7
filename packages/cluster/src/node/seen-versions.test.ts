/** Which version of a pod its node has seen: in its status and in what the node says there. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { nodes, pods } from '../api/generated/kinds.ts';
import { freeze } from '../base/freeze.ts';
import { makePod } from '../testing/makers.ts';
import { createTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import type { ContainerSeen, PodSeen } from './driver.ts';
import { type PodPlan, planPod } from './pod-plan.ts';

const nowMs = 1_767_225_700_000;
const running: ContainerSeen = {
  ...{ is: 'running', id: 'test://1', imageId: 'i', restartCount: 0, startedMs: nowMs - 5_000, ready: true },
};
const seen: PodSeen = { podIp: '10.0.0.1', keepsSizes: true, containers: new Map([['main', running]]) };

function plan(pod: Pod, parts: Partial<PodSeen> = {}): PodPlan {
  return planPod({ pod, seen: { ...seen, ...parts }, hostIp: '172.16.0.1', stoppingMs: nowMs }, nowMs);
}

function versioned(generation: number, metadata: Pod['metadata'] | object = {}): Pod {
  return makePod('p', { node: 'n1', metadata: { generation, ...metadata } });
}

/** The pod as its node has told of it; `strip`: by a node that knew of no versions. */
function told(pod: Pod, { strip = false } = {}): Pod {
  const { action } = plan(pod);
  if (action?.do !== 'report') throw new Error('nothing is told');
  const text = JSON.stringify(action.status);
  const status = JSON.parse(strip ? text.replaceAll(/"observedGeneration":\d+,?/gu, '').replaceAll(',}', '}') : text);
  return freeze({ ...pod, status: status as Pod['status'] });
}

function versionsOf({ action }: PodPlan): readonly string[] | undefined {
  if (action?.do !== 'report') return undefined;
  const { observedGeneration, conditions = [] } = action.status;
  return [`${observedGeneration}`, ...conditions.map((each) => `${each.type} ${each.observedGeneration}`).sort()];
}

const everyCondition = (version: number): readonly string[] => [
  `${version}`,
  ...['ContainersReady', 'Initialized', 'PodReadyToStartContainers', 'PodScheduled', 'Ready'].map(
    (type) => `${type} ${version}`,
  ),
];

describe('what a node plans to tell', () => {
  test('the version that is there stands in the status and in each condition of the node', () => {
    expect(versionsOf(plan(versioned(3)))).toEqual(everyCondition(3));
  });

  test('what others say of the pod keeps their version', () => {
    const other = { type: 'example.com/checked', status: 'True', observedGeneration: 1 };
    const pod = makePod('p', { metadata: { generation: 2 }, status: { phase: 'Pending', conditions: [other] } });
    expect(versionsOf(plan(pod))).toContain('example.com/checked 1');
  });

  test('a change of which nothing else is to be told is told', () => {
    const before = told(versioned(1));
    expect(plan(before)).toEqual({});
    const changed = freeze({ ...before, metadata: { ...before.metadata, generation: 2 } });
    expect(versionsOf(plan(changed))).toEqual(everyCondition(2));
  });

  test('a pod that is not let in has been seen', () => {
    const failed = { reason: 'OutOfcpu', message: 'none' };
    const { action } = plan(versioned(1), { failed, containers: new Map() });
    expect(action).toMatchObject({ do: 'report', status: { phase: 'Failed', observedGeneration: 1 } });
  });

  test('that it is deleted is told with the next thing that is, and with nothing before', () => {
    const before = told(versioned(1));
    const metadata = { ...before.metadata, generation: 2, deletionTimestamp: '2026-01-01T00:00:30Z' };
    const deleted = freeze({ ...before, metadata: { ...metadata, deletionGracePeriodSeconds: 30 } });
    const parts = { tellsEnds: true, stopping: { sinceMs: nowMs, graceMs: 30_000 } };
    expect(plan(deleted, parts)).toEqual({});
    const { id, imageId, restartCount, startedMs } = running as Extract<ContainerSeen, { is: 'running' }>;
    const ended: ContainerSeen = { is: 'ended', id, imageId, restartCount, startedMs, endedMs: nowMs, exitCode: 0 };
    expect(versionsOf(plan(deleted, { ...parts, containers: new Map([['main', ended]]) }))?.[0]).toBe('2');
  });

  test('nor is a pod written that somebody holds, on a node that tells sizes only where somebody asked for them', () => {
    const { action } = plan(versioned(1), { keepsSizes: false });
    const status = (action?.do === 'report' && action.status) || undefined;
    const metadata = { generation: 2, deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 };
    const held = makePod('p', {
      node: 'n1',
      metadata: { ...metadata, finalizers: ['batch.kubernetes.io/job-tracking'] },
    });
    const deleted = freeze({ ...held, status: status as Pod['status'] });
    expect(plan(deleted, { keepsSizes: false, stopping: { sinceMs: nowMs, graceMs: 30_000 } })).toEqual({});
  });

  test('nothing is written for pods of which a node told before that knew no versions', () => {
    const before = told(versioned(1), { strip: true });
    expect(before.status.observedGeneration).toBeUndefined();
    expect(plan(before)).toEqual({});
    const changed = freeze({ ...before, metadata: { ...before.metadata, generation: 2 } });
    expect(versionsOf(plan(changed))).toEqual(everyCondition(2));
  });
});

describe('through the API', () => {
  let cluster: TestCluster;
  const named = { namespace: 'default', name: 'app' };
  const current = (): Promise<Pod> => cluster.client.get(pods, named);

  beforeEach(async () => {
    cluster = await createTestCluster({ nodes: 1 });
    await cluster.advance(1_000);
    await cluster.applyYaml(`
apiVersion: v1
kind: Pod
metadata: { name: app }
spec:
  containers: [{ name: main, image: "app:1", resources: { requests: { cpu: 100m } } }]
`);
    await cluster.advance(2_000);
  });

  afterEach(async () => {
    expect(cluster.problems).toEqual([]);
    await cluster.close();
  });

  async function observed(): Promise<readonly string[]> {
    const { metadata, status } = await current();
    const versions = (status.conditions ?? []).map((each) => each.observedGeneration);
    return [`generation ${metadata.generation}`, ...new Set([status.observedGeneration, ...versions])].map(String);
  }

  const changes: readonly [string, object, string?][] = [
    ['an image', { spec: { containers: [{ name: 'main', image: 'app:2' }] } }],
    ['tolerations', { spec: { tolerations: [{ key: 'a', operator: 'Exists' }] } }],
    ['a deadline', { spec: { activeDeadlineSeconds: 3_000 } }],
    ['a size', { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '200m' } } }] } }, 'resize'],
    ['somebody who debugs', { spec: { ephemeralContainers: [{ name: 'd', image: 'd' }] } }, 'ephemeralcontainers'],
  ];

  test.each(changes)('%s is seen by the node', async (_, body, subresource) => {
    expect(await observed()).toEqual(['generation 1', '1']);
    const target = { ...named, patchType: 'strategic' as const, body };
    await cluster.client.patch(pods, { ...target, ...(subresource !== undefined && { subresource }) });
    await cluster.advance(2_000);
    expect(await observed()).toEqual(['generation 2', '2']);
  });

  test('a size that the node cannot give is refused for the version that asks for it', async () => {
    const resize = async (cpu: string): Promise<void> => {
      const body = { spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }] } };
      await cluster.client.patch(pods, { ...named, patchType: 'strategic', subresource: 'resize', body });
      await cluster.advance(2_000);
    };
    await resize('1000');
    await resize('2000');
    const { conditions = [] } = (await current()).status;
    expect(conditions.find(({ type }) => type === 'PodResizePending')).toMatchObject({ observedGeneration: 3 });
  });

  test('who takes a pod of a silent node out of service says nothing of its version, as upstream', async () => {
    const annotations = { 'signalbox.dev/stopped': 'true' };
    await cluster.client.patch(nodes, { name: 'node-1', patchType: 'merge', body: { metadata: { annotations } } });
    await cluster.advance(120_000);
    const { conditions = [] } = (await current()).status;
    expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'False', observedGeneration: 1 });
  });

  test('a label is no version, and nothing is written for it', async () => {
    const patched = await cluster.client.patch(pods, {
      ...named,
      patchType: 'merge',
      body: { metadata: { labels: { a: 'b' } } },
    });
    await cluster.advance(60_000);
    expect((await current()).metadata.resourceVersion).toBe(patched.metadata.resourceVersion);
  });

  test('a pod lives with as many writes as before', async () => {
    const versions: string[] = [];
    const controller = new AbortController();
    await cluster.client.delete(pods, named);
    await cluster.advance(5_000);
    const { resourceVersion = '' } = (await cluster.client.list(pods, { namespace: 'default' })).metadata;
    const following = (async (): Promise<void> => {
      const watch = cluster.client.watch(pods, { namespace: 'default', resourceVersion, signal: controller.signal });
      for await (const { type, object } of watch)
        if (type !== 'ERROR') versions.push(`${type} ${object.status?.phase} ${object.status?.observedGeneration}`);
    })().catch(() => undefined);
    await cluster.applyYaml(
      '{ apiVersion: v1, kind: Pod, metadata: { name: app }, spec: { containers: [{ name: main, image: "app:1" }] } }',
    );
    await cluster.advance(5_000);
    await cluster.client.delete(pods, named);
    await cluster.advance(60_000);
    controller.abort();
    await following;
    expect(versions).toEqual([
      'ADDED Pending undefined',
      'MODIFIED Pending undefined', // bound
      'MODIFIED Running 1',
      'MODIFIED Running 1', // deleted
      'DELETED Running 1',
    ]);
  });
});
