import { defaultSchedulerName } from '../resources/core/pod/defaults.ts';
import { defaultPlugins } from './default-plugins.ts';
import type { SchedulerPlugin } from './plugin.ts';
import { type CandidateLimits, defaultLimits } from './preempt.ts';

/** A way of scheduling that pods choose by `spec.schedulerName`. */
export interface Profile {
  readonly name: string;
  /** In the order of filtering. */
  readonly plugins: readonly SchedulerPlugin[];
  /** How many nodes of a hundred are to fit before the best is taken; 0: the more nodes the fewer. */
  readonly percentageOfNodesToScore: number;
  /** Whether others have to go where nothing fits; undefined: nobody has to. */
  readonly preemption: CandidateLimits | undefined;
}

export const defaultProfile: Profile = {
  name: defaultSchedulerName,
  plugins: defaultPlugins,
  percentageOfNodesToScore: 0,
  preemption: defaultLimits,
};
