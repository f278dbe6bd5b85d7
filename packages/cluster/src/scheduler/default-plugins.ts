import type { SchedulerPlugin } from './plugin.ts';
import { type BalancedAllocationArgs, balancedAllocation } from './plugins/balanced-allocation.ts';
import { imageLocality } from './plugins/image-locality.ts';
import { type InterPodAffinityArgs, interPodAffinity } from './plugins/inter-pod-affinity.ts';
import { type NodeAffinityArgs, nodeAffinity } from './plugins/node-affinity.ts';
import { nodeName } from './plugins/node-name.ts';
import { nodePorts } from './plugins/node-ports.ts';
import { nodeUnschedulable } from './plugins/node-unschedulable.ts';
import { nodeVolumeLimits } from './plugins/node-volume-limits.ts';
import { type NodeResourcesFitArgs, resourcesFit } from './plugins/resources-fit.ts';
import { type PodTopologySpreadArgs, podTopologySpread } from './plugins/spread/pod-topology-spread.ts';
import { taintToleration } from './plugins/taint-toleration.ts';
import { unsupportedDemands } from './plugins/unsupported.ts';
import { type VolumeBindingArgs, volumeBinding } from './plugins/volume-binding.ts';
import { volumeRestrictions } from './plugins/volume-restrictions.ts';
import { volumeZone } from './plugins/volume-zone.ts';

/** What of the plugins can be set, by name. */
export interface PluginArgs {
  readonly NodeAffinity: NodeAffinityArgs;
  readonly NodeResourcesFit: NodeResourcesFitArgs;
  readonly NodeResourcesBalancedAllocation: BalancedAllocationArgs;
  readonly PodTopologySpread: PodTopologySpreadArgs;
  readonly InterPodAffinity: InterPodAffinityArgs;
  readonly VolumeBinding: VolumeBindingArgs;
}

const cpuAndMemory = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

export const defaultArgs: PluginArgs = {
  NodeAffinity: { addedAffinity: undefined },
  NodeResourcesFit: {
    scoringStrategy: { type: 'LeastAllocated', resources: cpuAndMemory },
    ignoredResources: [],
    ignoredResourceGroups: [],
  },
  NodeResourcesBalancedAllocation: { resources: cpuAndMemory },
  PodTopologySpread: { defaultingType: 'System', defaultConstraints: [] },
  InterPodAffinity: { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false },
  VolumeBinding: { bindTimeoutSeconds: 600 },
};

/** All plugins. The order is the order of filtering: the first to reject a node gives the reason. */
export function createPlugins(args: PluginArgs): readonly SchedulerPlugin[] {
  return [
    unsupportedDemands,
    nodeUnschedulable,
    nodeName,
    taintToleration,
    nodeAffinity(args.NodeAffinity),
    nodePorts,
    resourcesFit(args.NodeResourcesFit),
    volumeRestrictions,
    nodeVolumeLimits,
    volumeBinding(args.VolumeBinding),
    volumeZone,
    podTopologySpread(args.PodTopologySpread),
    interPodAffinity(args.InterPodAffinity),
    balancedAllocation(args.NodeResourcesBalancedAllocation),
    imageLocality,
  ];
}

/** The profile of `default-scheduler`. */
export const defaultPlugins: readonly SchedulerPlugin[] = createPlugins(defaultArgs);
