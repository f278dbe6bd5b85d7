import type { SchedulerPlugin } from './plugin.ts';
import { balancedAllocation } from './plugins/balanced-allocation.ts';
import { nodeAffinity } from './plugins/node-affinity.ts';
import { nodeName } from './plugins/node-name.ts';
import { nodePorts } from './plugins/node-ports.ts';
import { nodeUnschedulable } from './plugins/node-unschedulable.ts';
import { resourcesFit } from './plugins/resources-fit.ts';
import { taintToleration } from './plugins/taint-toleration.ts';
import { unsupportedDemands } from './plugins/unsupported.ts';
import { volumeBinding } from './plugins/volume-binding.ts';
import { volumeRestrictions } from './plugins/volume-restrictions.ts';

/** The profile of `default-scheduler`. The order is the order of filtering: the first to reject a node gives the reason. */
export const defaultPlugins: readonly SchedulerPlugin[] = [
  unsupportedDemands,
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  resourcesFit,
  volumeRestrictions,
  volumeBinding,
  balancedAllocation,
];
