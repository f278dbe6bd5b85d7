import { beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { jobs, pods } from '../../api/generated/kinds.ts';
import { completionIndexKey, isTracked } from '../../resources/batch/facts.ts';
import { conditionsOf, end, finish, job, key } from '../../testing/job-world.ts';
import { createWorld, reconcile, terminating, type World } from '../../testing/plan-world.ts';
import { jobController } from './controller.ts';

let world: World;

beforeEach(() => {
  world = createWorld();
});

const indexed = { completionMode: 'Indexed', completions: 4, parallelism: 4 } as const;
const put = (spec: Partial<Job['spec']> = {}, status: Job['status'] = {}): Job =>
  world.put(jobs, job({ ...indexed, ...spec }, status));
const settle = (): void => {
  for (let round = 0; round < 30; round++)
    if (reconcile(world, { controller: jobController, key }).length === 0) return;
  throw new Error('does not settle');
};
const current = (): Job => world.of(jobs).get(key) as Job;
const change = (spec: Partial<Job['spec']>): void =>
  void world.put(jobs, { ...current(), spec: { ...current().spec, ...spec } });
const active = (): readonly Pod[] =>
  world
    .list(pods)
    .filter(({ status, metadata }) => status.phase === 'Pending' && metadata.deletionTimestamp === undefined);
const indexes = (): string =>
  active()
    .map(({ metadata }) => Number(metadata.annotations?.[completionIndexKey]))
    .sort((a, b) => a - b)
    .join();
const at = (index: number): Pod =>
  active().find(({ metadata }) => metadata.annotations?.[completionIndexKey] === String(index)) as Pod;
const fail = (index: number, exitCode = 1): void => end(world, at(index), { phase: 'Failed', exitCode });

test('a pod knows its index by name, host name, label, annotation and environment', () => {
  put({ completions: 2, parallelism: 1 });
  settle();
  const [pod] = active();
  expect(pod?.metadata).toMatchObject({
    generateName: 'run-0-',
    labels: { app: 'run', [completionIndexKey]: '0' },
    annotations: { [completionIndexKey]: '0' },
  });
  expect(pod?.metadata.annotations).not.toHaveProperty('batch.kubernetes.io/job-index-failure-count');
  expect(pod?.spec.hostname).toBe('run-0');
  expect(pod?.spec.containers[0]?.env).toEqual([
    {
      name: 'JOB_COMPLETION_INDEX',
      valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${completionIndexKey}']` } },
    },
  ]);
});

test('the lowest indexes come first, and each has to succeed', () => {
  put({ parallelism: 2 });
  settle();
  expect(indexes()).toBe('0,1');
  finish(world, at(1));
  settle();
  expect(indexes()).toBe('0,2');
  expect(current().status).toMatchObject({ succeeded: 1, completedIndexes: '1' });
  fail(0);
  settle();
  expect(indexes()).toBe('2');
  // Nobody has to learn from it how often its index has failed.
  expect(world.list(pods).filter((pod) => pod.status.phase === 'Failed' && isTracked(pod))).toEqual([]);
  world.nowMs += 10_000;
  settle();
  expect(indexes()).toBe('0,2');
  for (const index of [0, 2]) finish(world, at(index));
  settle();
  finish(world, at(3));
  settle();
  expect(current().status).toMatchObject({ succeeded: 4, completedIndexes: '0-3', failed: 1 });
  expect(conditionsOf(current()).at(-1)).toBe('Complete CompletionsReached');
  expect(world.list(pods).filter(isTracked)).toEqual([]);
});

test('a pod without an index of the Job counts for nothing, however it ends', () => {
  put({ completions: 3, parallelism: 3 });
  settle();
  const [first, second] = [at(0), at(1)];
  for (const [pod, text] of [
    [first, '3'],
    [second, undefined],
  ] as const) {
    const { [completionIndexKey]: _, ...annotations } = pod.metadata.annotations ?? {};
    const metadata = { ...pod.metadata, annotations: { ...annotations, ...(text && { [completionIndexKey]: text }) } };
    finish(world, { ...pod, metadata });
  }
  settle();
  expect(current().status.succeeded ?? 0).toBe(0);
  expect(current().status.completedIndexes ?? '').toBe('');
  expect(indexes()).toBe('0,1,2');
  expect(world.list(pods).filter((pod) => pod.status.phase === 'Succeeded' && isTracked(pod))).toEqual([]);
});

test('of two pods of one index the younger is taken back', () => {
  put({ completions: 2, parallelism: 2 });
  settle();
  const double = at(1);
  world.put(pods, { ...double, metadata: { ...double.metadata, name: 'run-1-double', uid: 'double' } });
  settle();
  expect(indexes()).toBe('0,1');
});

test('it grows, and shrinks, and forgets the indexes beyond its end', () => {
  put({ completions: 3, parallelism: 3 });
  settle();
  finish(world, at(2));
  settle();
  change({ completions: 2, parallelism: 2 });
  settle();
  expect(current().status.completedIndexes).toBeUndefined();
  expect(indexes()).toBe('0,1');
  change({ completions: 5, parallelism: 5 });
  settle();
  expect(indexes()).toBe('0,1,2,3,4');
});

test('with podReplacementPolicy Failed an index waits for the pod that goes', () => {
  put({ podReplacementPolicy: 'Failed' });
  settle();
  const pod = at(1);
  world.put(pods, terminating({ ...pod, spec: { ...pod.spec, nodeName: 'node-1' } }));
  settle();
  expect(indexes()).toBe('0,2,3');
});

describe('a limit for each index', () => {
  const limited = { ...indexed, backoffLimitPerIndex: 1, backoffLimit: 2_147_483_647 } as const;

  test('it waits by itself, and its pod knows how often it has failed', () => {
    put(limited);
    settle();
    fail(1);
    settle();
    expect(indexes()).toBe('0,2,3');
    finish(world, at(0));
    settle();
    world.nowMs += 10_000;
    settle();
    expect(at(1).metadata.annotations).toMatchObject({ 'batch.kubernetes.io/job-index-failure-count': '1' });
    expect(current().status).toMatchObject({ failed: 1, failedIndexes: '' });
  });

  test('the next look comes when the first of those that wait may be tried again', () => {
    put({ ...limited, backoffLimitPerIndex: 5 });
    settle();
    const againInMs = (): number | undefined => {
      settle();
      const observed = jobController.observe(key, world, undefined);
      return observed && jobController.plan(observed, world.nowMs).againInMs;
    };
    expect(againInMs()).toBeUndefined();
    fail(1);
    expect(againInMs()).toBe(10_000);
    world.nowMs += 10_000;
    // The look that makes the pod has nothing more to wait for.
    const due = jobController.observe(key, world, undefined);
    expect(due && jobController.plan(due, world.nowMs).againInMs).toBeUndefined();
    expect(againInMs()).toBeUndefined();
    expect(indexes()).toBe('0,1,2,3');
    // The second failure of one index waits for twice as long as the first of another, whichever of them came first.
    fail(1);
    expect(againInMs()).toBe(20_000);
    world.nowMs += 1_000;
    fail(2);
    expect(againInMs()).toBe(10_000);
    world.nowMs += 10_000;
    expect(againInMs()).toBe(9_000);
    expect(indexes()).toBe('0,2,3');
  });

  test('the failed pod stays until another knows of it', () => {
    put(limited);
    settle();
    const { uid } = at(1).metadata;
    fail(1);
    settle();
    const failed = (): Pod | undefined => world.list(pods).find(({ metadata }) => metadata.uid === uid);
    expect(isTracked(failed() as Pod)).toBe(true);
    expect(current().status.uncountedTerminatedPods).toEqual({ failed: [uid] });
    world.nowMs += 10_000;
    settle();
    expect(isTracked(failed() as Pod)).toBe(false);
    expect(current().status).toMatchObject({ failed: 1, uncountedTerminatedPods: {} });
  });

  test('of several pods of one index that have failed the one counts that knows of the most', () => {
    put({ ...limited, backoffLimitPerIndex: 9 });
    settle();
    const failures = 'batch.kubernetes.io/job-index-failure-count';
    const pod = at(1);
    for (const [name, count] of [
      ['few', '2'],
      ['most', '5'],
      ['none', '0'],
    ] as const) {
      const annotations = { ...pod.metadata.annotations, [failures]: count };
      end(world, { ...pod, metadata: { ...pod.metadata, name, uid: name, annotations } }, { phase: 'Failed' });
    }
    world.remove(pods, pod);
    settle();
    world.nowMs += 600_000;
    settle();
    expect(at(1).metadata.annotations).toMatchObject({ [failures]: '6' });
  });

  test('beyond it the index has failed, the others go on, and then the Job has failed', () => {
    put({ ...limited, backoffLimitPerIndex: 0 });
    settle();
    fail(2);
    settle();
    expect(indexes()).toBe('0,1,3');
    expect(current().status.failedIndexes).toBe('2');
    for (const index of [0, 1, 3]) finish(world, at(index));
    settle();
    expect(conditionsOf(current())).toEqual(['FailureTarget FailedIndexes', 'Failed FailedIndexes']);
    expect(current().status).toMatchObject({
      succeeded: 3,
      failed: 1,
      completedIndexes: '0-1,3'.replace('0-1', '0,1'),
    });
  });

  test('more failed indexes than may be end the Job; what was stopped has not failed as an index', () => {
    put({ ...limited, backoffLimitPerIndex: 0, maxFailedIndexes: 1 });
    settle();
    fail(0);
    fail(1);
    settle();
    expect(conditionsOf(current()).at(-1)).toBe('Failed MaxFailedIndexesExceeded');
    expect(current().status).toMatchObject({ failedIndexes: '0,1', failed: 4 });
  });

  test('FailIndex ends an index at once, Ignore does not count and is remembered', () => {
    const rules = [
      { action: 'FailIndex', onExitCodes: { operator: 'In', values: [9] } },
      { action: 'Ignore', onExitCodes: { operator: 'In', values: [5] } },
    ];
    put({ ...limited, podFailurePolicy: { rules }, podReplacementPolicy: 'Failed' });
    settle();
    fail(0, 9);
    fail(1, 5);
    settle();
    expect(current().status.failedIndexes).toBe('0');
    world.nowMs += 10_000;
    settle();
    expect(at(1).metadata.annotations).toMatchObject({
      'batch.kubernetes.io/job-index-failure-count': '0',
      'batch.kubernetes.io/job-index-ignored-failure-count': '1',
    });
    expect(current().status.failed).toBe(1);
  });
});

describe('a success policy', () => {
  test.each<[string, object, readonly number[], string | undefined]>([
    ['some number of indexes', { succeededCount: 2 }, [3, 1], 'Matched rules at index 0'],
    ['too few', { succeededCount: 2 }, [3], undefined],
    ['certain ones', { succeededIndexes: '0,2-3' }, [0, 2, 3], 'Matched rules at index 0'],
    ['not all of them', { succeededIndexes: '0,2-3' }, [0, 1, 2], undefined],
    ['some of certain ones', { succeededIndexes: '0,2-3', succeededCount: 1 }, [2], 'Matched rules at index 0'],
  ])('asks for %s', (_, rule, succeeded, message) => {
    put({ successPolicy: { rules: [rule] } });
    settle();
    for (const index of succeeded) finish(world, at(index));
    settle();
    const { conditions } = current().status;
    expect(conditions?.find(({ type }) => type === 'Complete')?.message).toBe(message);
    if (message !== undefined) {
      expect(conditionsOf(current())).toEqual(['SuccessCriteriaMet SuccessPolicy', 'Complete SuccessPolicy']);
      expect(active()).toEqual([]);
    }
  });

  test.each(['TerminatingOrFailed', 'Failed'])('what is stopped for it has not failed (%s)', (podReplacementPolicy) => {
    put({ successPolicy: { rules: [{ succeededCount: 1 }] }, podReplacementPolicy });
    settle();
    const going = terminating(at(3));
    world.put(pods, { ...going, spec: { ...going.spec, nodeName: 'node-1' } });
    finish(world, at(0));
    settle();
    const { failed, succeeded } = current().status;
    // One that was going before has, where that is enough to count as failed.
    expect({ failed, succeeded }).toEqual({ failed: podReplacementPolicy === 'Failed' ? undefined : 1, succeeded: 1 });
    expect(world.list(pods).filter(isTracked)).toEqual([]);
  });

  test('comes after what makes the Job fail', () => {
    put({ successPolicy: { rules: [{ succeededCount: 1 }] }, backoffLimit: 0 });
    settle();
    finish(world, at(0));
    fail(1);
    settle();
    expect(conditionsOf(current()).at(-1)).toBe('Failed BackoffLimitExceeded');
  });
});
