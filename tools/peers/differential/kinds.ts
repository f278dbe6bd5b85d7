/** All kinds whose requests are played. */
import { access, reviews } from './kinds/access.ts';
import { clusterScoped } from './kinds/cluster.ts';
import { core } from './kinds/core.ts';
import { custom } from './kinds/custom.ts';
import type { Played } from './kinds/played.ts';
import { workloads } from './kinds/workloads.ts';

export const playedKinds: readonly Played[] = [
  ...workloads,
  ...core,
  ...clusterScoped,
  ...access,
  ...reviews,
  ...custom,
];
