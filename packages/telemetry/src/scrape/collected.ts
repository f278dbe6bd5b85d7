import type { KubeObject } from '@signalbox/cluster';
import type { RenderedJobs } from './jobs.ts';

/** A monitor, with its jobs and whom they are for: the root, or an instance of it. */
export interface CollectedJobs {
  readonly by: KubeObject;
  readonly monitor: KubeObject;
  readonly jobs: RenderedJobs;
}

/** The jobs stand in the order of their monitors. */
export function collectedBy(
  by: KubeObject,
  monitors: readonly KubeObject[],
  jobs: readonly RenderedJobs[],
): readonly CollectedJobs[] {
  return monitors.flatMap((monitor, index) => {
    const own = jobs[index];
    return own === undefined ? [] : [{ by, monitor, jobs: own }];
  });
}
