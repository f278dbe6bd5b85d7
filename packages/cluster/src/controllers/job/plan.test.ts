import { beforeEach, describe, expect, test } from 'vitest';
import type { Job, PodFailurePolicy } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { jobs, pods } from '../../api/generated/kinds.ts';
import { isTracked, trackingFinalizer } from '../../resources/batch/facts.ts';
import { conditionsOf, end, finish, job, key, shape } from '../../testing/job-world.ts';
import { createWorld, meta, podSpec, reconcile, startMs, terminating, type World } from '../../testing/plan-world.ts';
import { jobController } from './controller.ts';

let world: World;

beforeEach(() => {
  world = createWorld();
});

const put = (spec: Partial<Job['spec']> = {}, status: Job['status'] = {}): Job => world.put(jobs, job(spec, status));
const sync = (): readonly string[] => reconcile(world, { controller: jobController, key });
const settle = (): readonly string[] => {
  const done: string[] = [];
  for (let round = 0; round < 30; round++) {
    const lines = sync();
    done.push(...lines);
    if (lines.length === 0) return done;
  }
  throw new Error('does not settle');
};
const current = (): Job => world.of(jobs).get(key) as Job;
const podsThere = (): readonly Pod[] => world.list(pods);
const active = (): readonly Pod[] =>
  podsThere().filter(({ status, metadata }) => status.phase === 'Pending' && metadata.deletionTimestamp === undefined);
const change = (spec: Partial<Job['spec']>): void => void put({ ...current().spec, ...spec }, current().status);
const endAll = (phase: 'Succeeded' | 'Failed', exitCode = 1): void => {
  for (const pod of active()) end(world, pod, { phase, exitCode });
};

describe('how many run', () => {
  test.each<[string, Partial<Job['spec']>, number]>([
    ['one', {}, 1],
    ['as many as may at once', { completions: 5, parallelism: 2 }, 2],
    ['no more than are needed', { completions: 2, parallelism: 5 }, 2],
    ['of a work queue all', { completions: undefined as never, parallelism: 3 }, 3],
    ['none of none', { completions: 0, parallelism: 3 }, 0],
    ['none while it is paused by its parallelism', { completions: 4, parallelism: 0 }, 0],
    ['none while it is suspended', { suspend: true, parallelism: 3 }, 0],
  ])('%s', (_, spec, count) => {
    put(spec);
    settle();
    expect(active()).toHaveLength(count);
  });

  test('fewer are needed the more have succeeded', () => {
    put({ completions: 3, parallelism: 2 });
    settle();
    finish(world, active()[0] as Pod);
    finish(world, active()[0] as Pod);
    settle();
    expect(active()).toHaveLength(1);
    expect(current().status).toMatchObject({ succeeded: 2, active: 1 });
  });

  test('surplus ones are taken back and do not count as failures', () => {
    put({ completions: 4, parallelism: 4 });
    settle();
    change({ parallelism: 1 });
    expect(sync().filter((line) => line.includes('delete'))).toHaveLength(3);
    settle();
    expect(active()).toHaveLength(1);
    expect(current().status.failed).toBeUndefined();
  });

  test('after the first success a work queue is left to run dry', () => {
    put({ completions: undefined as never, parallelism: 3 });
    settle();
    finish(world, active()[0] as Pod);
    settle();
    expect(active()).toHaveLength(2);
    // What is running stays running, whatever may run at once.
    change({ parallelism: 1 });
    settle();
    expect(active()).toHaveLength(2);
    endAll('Succeeded');
    settle();
    expect(conditionsOf(current())).toEqual(['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
    expect(current().status.succeeded).toBe(3);
  });

  test('a Job of nothing is complete at once', () => {
    put({ completions: 0 });
    settle();
    expect(conditionsOf(current()).at(-1)).toBe('Complete CompletionsReached');
    expect(current().status.completionTime).toBeDefined();
  });
});

describe('counting', () => {
  test('takes three writes: noted, let go, counted', () => {
    put();
    settle();
    const [pod] = active();
    finish(world, pod as Pod);
    expect(sync()).toEqual(['setStatus jobs run']);
    expect(current().status.uncountedTerminatedPods).toEqual({ succeeded: [pod?.metadata.uid] });
    expect(sync()).toEqual([`patch pods ${pod?.metadata.name}`]);
    expect(sync()).toEqual(['setStatus jobs run then emit Completed']);
    expect(current().status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {}, ready: 0, terminating: 0 });
    expect(sync()).toEqual([]);
  });

  test('a pod that is deleted counts as failed at once, and is replaced', () => {
    put();
    settle();
    world.put(pods, terminating(running(active()[0] as Pod)));
    settle();
    expect(current().status).toMatchObject({ failed: 1 });
    world.nowMs += 10_000;
    settle();
    expect(active()).toHaveLength(1);
  });

  test('with podReplacementPolicy Failed it counts, and is replaced, when it is over', () => {
    put({ podReplacementPolicy: 'Failed' });
    settle();
    const [pod] = active();
    const going = world.put(pods, terminating(running(pod as Pod)));
    world.nowMs += 60_000;
    settle();
    expect(current().status).toMatchObject({ terminating: 1 });
    expect(current().status.failed).toBeUndefined();
    expect(active()).toHaveLength(0);
    end(world, going, { phase: 'Failed' });
    settle();
    world.nowMs += 60_000;
    settle();
    expect(current().status).toMatchObject({ failed: 1, terminating: 0, active: 1 });
  });

  test('a pod that was never given to a node does not have to say how it ended', () => {
    put({ podReplacementPolicy: 'Failed' });
    settle();
    world.put(pods, terminating(active()[0] as Pod));
    settle();
    expect(current().status.failed).toBe(1);
  });
});

describe('failures', () => {
  test('the next pod waits, twice as long each time, ten minutes at most', () => {
    put({ backoffLimit: 20 });
    const waits: number[] = [];
    for (let round = 0; round < 9; round++) {
      settle();
      const beforeMs = world.nowMs;
      while (active().length === 0) {
        world.nowMs += 5_000;
        settle();
      }
      waits.push((world.nowMs - beforeMs) / 1_000);
      endAll('Failed');
    }
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 320, 600, 600]);
  });

  test('a success takes the wait away', () => {
    put({ completions: 3, parallelism: 1 });
    settle();
    endAll('Failed');
    world.nowMs += 10_000;
    settle();
    finish(world, active()[0] as Pod);
    settle();
    expect(active()).toHaveLength(1);
  });

  test('beyond the limit the Job fails, and what runs is stopped and has failed', () => {
    put({ completions: 2, parallelism: 2, backoffLimit: 0 });
    settle();
    end(world, active()[0] as Pod, { phase: 'Failed' });
    expect(sync()).toEqual(['setStatus jobs run']);
    expect(conditionsOf(current())).toEqual(['FailureTarget BackoffLimitExceeded']);
    expect(settle()).toContain('setStatus jobs run then emit BackoffLimitExceeded');
    expect(current().status).toMatchObject({ failed: 2, ready: 0, terminating: 0 });
    expect(conditionsOf(current())).toEqual(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']);
    expect(active()).toEqual([]);
  });

  test('its end is told when the last pod is gone, not when the last one is counted', () => {
    world.graceful = true;
    put({ completions: 3, parallelism: 3, backoffLimit: 0 });
    settle();
    for (const pod of active()) world.put(pods, { ...pod, spec: { ...pod.spec, nodeName: 'node-1' } });
    end(world, active()[0] as Pod, { phase: 'Failed' });
    settle();
    const going = podsThere().filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(going.map(isTracked)).toEqual([false, false]);
    expect(current().status).toMatchObject({ failed: 3, terminating: 2 });
    for (const pod of going) {
      expect(conditionsOf(current())).toEqual(['FailureTarget BackoffLimitExceeded']);
      world.remove(pods, pod);
      settle();
    }
    expect(conditionsOf(current()).at(-1)).toBe('Failed BackoffLimitExceeded');
  });

  test('restarts of containers count where pods start them again', () => {
    const template = { ...job().spec.template, spec: { ...podSpec, restartPolicy: 'OnFailure' } };
    put({ backoffLimit: 2, template });
    settle();
    const restarted = (restartCount: number): void => {
      const [pod] = active();
      const status = { name: 'app', image: '', imageID: '', ready: false, restartCount };
      if (pod) world.put(pods, { ...pod, status: { ...pod.status, containerStatuses: [status] } });
    };
    restarted(1);
    settle();
    expect(conditionsOf(current())).toEqual([]);
    restarted(2);
    const [stopping] = active();
    // Also those of a pod that is being stopped.
    if (stopping) world.put(pods, terminating(stopping));
    settle();
    expect(conditionsOf(current()).at(-1)).toBe('Failed BackoffLimitExceeded');
  });

  test('a Job that is active for too long is stopped', () => {
    put({ activeDeadlineSeconds: 30 });
    settle();
    world.nowMs += 29_000;
    expect(settle()).toEqual([]);
    world.nowMs += 1_000;
    settle();
    expect(conditionsOf(current())).toEqual(['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded']);
  });

  test('it looks again when its time is up', () => {
    put({ activeDeadlineSeconds: 30 });
    settle();
    const observed = jobController.observe(key, world, undefined);
    expect(observed && jobController.plan(observed, world.nowMs + 4_000).againInMs).toBe(26_000);
  });
});

describe('the failure policy', () => {
  const exits = (action: string, values: readonly number[]): PodFailurePolicy => ({
    rules: [{ action, onExitCodes: { operator: 'In', values, containerName: 'app' } }],
  });
  test('ends the Job by an exit code, and says which', () => {
    put({ podFailurePolicy: exits('FailJob', [42]), podReplacementPolicy: 'Failed' });
    settle();
    const name = active()[0]?.metadata.name;
    endAll('Failed', 42);
    settle();
    expect(current().status.conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'PodFailurePolicy',
      message: `Container app for pod default/${name} failed with exit code 42 matching FailJob rule at index 0`,
    });
  });

  test('ends it by a condition', () => {
    const onPodConditions = ['Other', 'ConfigIssue'].map((type) => ({ type, status: 'True' }));
    const rules = [{ action: 'FailJob', onPodConditions }];
    put({ podFailurePolicy: { rules }, podReplacementPolicy: 'Failed' });
    settle();
    const [pod] = active();
    // Of several the one that the pod names first.
    const conditions = ['ConfigIssue', 'Other'].map((type) => ({ type, status: 'True' }));
    if (pod) end(world, { ...pod, status: { ...pod.status, conditions } }, { phase: 'Failed' });
    settle();
    expect(current().status.conditions?.at(-1)?.message).toBe(
      `Pod default/${pod?.metadata.name} has condition ConfigIssue matching FailJob rule at index 0`,
    );
  });

  test('does not count what it ignores', () => {
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }];
    put({ podFailurePolicy: { rules }, podReplacementPolicy: 'Failed', backoffLimit: 0 });
    settle();
    const [pod] = active();
    const conditions = [{ type: 'DisruptionTarget', status: 'True' }];
    if (pod) end(world, { ...pod, status: { ...pod.status, conditions } }, { phase: 'Failed' });
    settle();
    expect(podsThere().filter(isTracked)).toEqual([]);
    world.nowMs += 10_000;
    settle();
    expect(active()).toHaveLength(1);
    expect(current().status.failed).toBeUndefined();
  });

  test('takes the first rule that matches', () => {
    const [ignored] = exits('Ignore', [7]).rules;
    const [ends] = exits('FailJob', [7, 8]).rules;
    put({ podFailurePolicy: { rules: [ignored, ends].filter((rule) => rule !== undefined) } });
    settle();
    endAll('Failed', 7);
    settle();
    expect(conditionsOf(current())).toEqual([]);
  });
});

describe('suspending', () => {
  test('takes all pods back, resuming begins anew', () => {
    put({ parallelism: 2, completions: 2 });
    settle();
    change({ suspend: true });
    const lines = settle();
    expect(lines.filter((line) => line.includes('delete'))).toHaveLength(2);
    expect(lines).toContain('setStatus jobs run then emit Suspended');
    expect(current().status).toMatchObject({
      conditions: [{ type: 'Suspended', status: 'True', reason: 'JobSuspended' }],
    });
    expect(current().status.failed).toBeUndefined();
    world.nowMs += 60_000;
    change({ suspend: false });
    expect(settle()).toContain('setStatus jobs run then emit Resumed');
    expect(current().status).toMatchObject({
      active: 2,
      startTime: new Date(startMs + 60_000).toISOString().replace('.000', ''),
      conditions: [{ type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' }],
    });
  });

  test('one that was made so has not begun, and no time runs', () => {
    put({ suspend: true, activeDeadlineSeconds: 10 });
    settle();
    expect(current().status.startTime).toBeUndefined();
    world.nowMs += 60_000;
    change({ suspend: false });
    settle();
    expect(active()).toHaveLength(1);
  });
});

describe('whose pods', () => {
  test('a pod that it selects is adopted and counted from then on', () => {
    put({ completions: 2, parallelism: 2 });
    world.put(pods, { ...shape('found'), metadata: meta('found', { labels: { app: 'run' } }) });
    expect(sync()).toContain('patch pods found');
    const found = world.of(pods).get('default/found');
    expect(found?.metadata).toMatchObject({ finalizers: [trackingFinalizer], ownerReferences: [{ name: 'run' }] });
    expect(active()).toHaveLength(2);
  });

  test('one that it does not select any more is released, and not counted', () => {
    put();
    settle();
    const [pod] = active();
    if (pod) world.put(pods, { ...pod, metadata: { ...pod.metadata, labels: {} } });
    settle();
    const released = world.of(pods).get(`default/${pod?.metadata.name}`);
    expect(released?.metadata).toMatchObject({ finalizers: [], ownerReferences: [] });
  });

  test('one that lost its finalizer and is taken back is not counted', () => {
    put({ parallelism: 2, completions: 2 });
    settle();
    for (const pod of active()) world.put(pods, { ...pod, metadata: { ...pod.metadata, finalizers: [] } });
    change({ suspend: true });
    settle();
    expect(current().status.failed).toBeUndefined();
  });

  test('a pod that lost its finalizer and still runs gets it back', () => {
    put();
    settle();
    const [pod] = active();
    if (pod) world.put(pods, { ...pod, metadata: { ...pod.metadata, finalizers: [] } });
    settle();
    expect(active().every(isTracked)).toBe(true);
  });

  test('pods of a Job that goes, or is gone, are let go', () => {
    put({ parallelism: 2, completions: 2 });
    settle();
    world.put(jobs, terminating(current()));
    expect(sync()).toHaveLength(2);
    put();
    settle();
    const [pod] = active();
    if (pod) world.put(pods, { ...pod, metadata: { ...pod.metadata, finalizers: [trackingFinalizer] } });
    world.remove(jobs, current());
    settle();
    expect(podsThere().filter(isTracked)).toEqual([]);
    expect(sync()).toEqual([]);
  });

  test('pods that nobody controls any more are let go', () => {
    put();
    settle();
    const [pod] = active();
    const labels = { 'batch.kubernetes.io/job-name': 'run' };
    if (pod) world.put(pods, { ...pod, metadata: { ...pod.metadata, labels, ownerReferences: [] } });
    world.remove(jobs, current());
    settle();
    expect(podsThere().filter(isTracked)).toEqual([]);
  });

  test('a Job that another controller manages is left alone', () => {
    put({ managedBy: 'example.com/other' });
    expect(sync()).toEqual([]);
  });
});

function running(pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, nodeName: 'node-1' } };
}
