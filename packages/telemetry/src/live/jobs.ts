import { type CronJob, controllerOf, cronjobs, type Job, jobs, pods } from '@signalbox/cluster';
import { progressOfJob } from '../world/workload.ts';
import type { World } from '../world/world.ts';
import { type LiveNode, placeOf, podNode } from './tree.ts';

/** CronJobs with what they have made, and the Jobs that somebody made by hand. Pure. */
export function liveJobs(world: World): readonly LiveNode[] {
  const alone = world.list(jobs).filter((job) => controllerOf(job)?.kind !== 'CronJob');
  return [
    ...world.list(cronjobs).map((cronjob) => cronJobNode(cronjob, world)),
    ...alone.map((job) => jobNode(job, world)),
  ];
}

function cronJobNode(cronjob: CronJob, world: World): LiveNode {
  const { schedule, timeZone, suspend = false } = cronjob.spec;
  const made = world.owned(jobs, cronjob.metadata.uid);
  const zone = timeZone === undefined ? [] : [timeZone];
  return {
    ...placeOf(cronjob),
    state: suspend ? 'unknown' : 'ready',
    notes: [schedule, ...zone, ...(suspend ? ['suspended'] : [])],
    problems: [],
    conditions: [],
    children: made.map((job) => jobNode(job, world)),
  };
}

const states = { complete: 'ready', failed: 'failed', suspended: 'unknown', running: 'waiting' } as const;

function jobNode(job: Job, world: World): LiveNode {
  const { state, how, failure } = progressOfJob(job);
  const found = world.owned(pods, job.metadata.uid);
  return {
    ...placeOf(job),
    state: states[state],
    notes: [how, ...(state === 'suspended' ? ['suspended'] : [])],
    problems: failure === '' ? [] : [failure],
    conditions: [],
    children: found.map((pod) => {
      // One that has done its work is as it should be.
      const isDone = pod.status?.phase === 'Succeeded';
      return isDone ? { ...podNode(pod), state: 'ready', problems: [] } : podNode(pod);
    }),
  };
}
