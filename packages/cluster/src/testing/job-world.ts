import type { Job } from '../api/generated/batch-v1.ts';
import type { Pod } from '../api/generated/core-v1.ts';
import { pods } from '../api/generated/kinds.ts';
import { toTimestamp } from '../base/clock.ts';
import { meta, podSpec, type World } from './plan-world.ts';

/** Jobs and the ends of their pods, for tests of plans. */
export const key = 'default/run';

export function job(spec: Partial<Job['spec']> = {}, status: Job['status'] = {}): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: meta('run'),
    spec: {
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      selector: { matchLabels: { app: 'run' } },
      template: { metadata: { labels: { app: 'run' } }, spec: { ...podSpec, restartPolicy: 'Never' } },
      ...spec,
    },
    status,
  };
}

export function shape(name: string): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: meta(name), spec: podSpec, status: { phase: 'Pending' } };
}

/** The pod as it is once its container has ended. */
export function end(
  world: World,
  pod: Pod,
  { phase, exitCode = 1 }: { readonly phase: 'Succeeded' | 'Failed'; readonly exitCode?: number },
): void {
  const terminated = { exitCode: phase === 'Succeeded' ? 0 : exitCode, finishedAt: toTimestamp(world.nowMs) };
  const container = { name: 'app', image: 'app:1', imageID: '', ready: false, restartCount: 0, state: { terminated } };
  world.put(pods, { ...pod, status: { ...pod.status, phase, containerStatuses: [container] } });
}

export function finish(world: World, pod: Pod): void {
  end(world, pod, { phase: 'Succeeded' });
}

/** `Complete CompletionsReached`: what holds, in the order in which it came. */
export function conditionsOf({ status }: Job): readonly string[] {
  return (status.conditions ?? [])
    .filter((condition) => condition.status === 'True')
    .map(({ type, reason }) => `${type} ${reason}`);
}
