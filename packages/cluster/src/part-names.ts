/** The parts of a plane by name, without what they are: whoever chooses among them need not load them. */

/**
 * What runs on the API of a plane. Controllers are called as upstream's controller manager calls them, without `-controller`;
 * `scheduler`, `nodes` (the simulated ones) and `metrics` are programs of their own there.
 */
export type PlanePart =
  | 'garbage-collector'
  | 'namespace'
  | 'resourcequota'
  | 'node-lifecycle'
  | 'pod-garbage-collector'
  | 'disruption'
  | 'persistentvolume-binder'
  | 'persistentvolume-attach-detach'
  | 'ephemeral-volume'
  | 'apiservice'
  | 'horizontal-pod-autoscaler'
  | 'metrics'
  | 'endpoints'
  | 'endpointslice'
  | 'endpointslice-mirroring'
  | 'serviceaccount'
  | 'serviceaccount-token'
  | 'daemonset'
  | 'statefulset'
  | 'deployment'
  | 'replicaset'
  | 'replicationcontroller'
  | 'job'
  | 'cronjob'
  | 'ttl-after-finished'
  | 'clusterrole-aggregation'
  | 'certificatesigningrequest-approving'
  | 'certificatesigningrequest-signing'
  | 'certificatesigningrequest-cleaner'
  | 'validatingadmissionpolicy-status'
  | 'node-ipam'
  | 'scheduler'
  | 'nodes';

/** All of them, in the order of their start. */
export const planeParts: readonly PlanePart[] = Object.freeze([
  'garbage-collector',
  'namespace',
  'resourcequota',
  'node-lifecycle',
  'pod-garbage-collector',
  'disruption',
  'persistentvolume-binder',
  'persistentvolume-attach-detach',
  'ephemeral-volume',
  'apiservice',
  'horizontal-pod-autoscaler',
  'metrics',
  'endpoints',
  'endpointslice',
  'endpointslice-mirroring',
  'serviceaccount',
  'serviceaccount-token',
  'daemonset',
  'statefulset',
  'deployment',
  'replicaset',
  'replicationcontroller',
  'job',
  'cronjob',
  'ttl-after-finished',
  'clusterrole-aggregation',
  'certificatesigningrequest-approving',
  'certificatesigningrequest-signing',
  'certificatesigningrequest-cleaner',
  'validatingadmissionpolicy-status',
  'node-ipam',
  'scheduler',
  'nodes',
] as const satisfies readonly PlanePart[]);

/** What upstream's API server does itself: without these it would be another one. */
export const apiParts: readonly PlanePart[] = Object.freeze(['apiservice']);

/** What is no controller: programs of their own upstream, and what its API server does itself. */
const programs: ReadonlySet<PlanePart> = new Set(['scheduler', 'nodes', 'metrics', ...apiParts]);

/** A part that can be left to others, or all that upstream's controller manager does. */
export type LeftPart = PlanePart | 'controllers';

export function isLeftPart(name: string): name is LeftPart {
  return name === 'controllers' || planeParts.some((part) => part === name);
}

/** All parts but these, which somebody else brings along: `partsWithout(['scheduler', 'controllers'])`. */
export function partsWithout(left: readonly LeftPart[]): readonly PlanePart[] {
  const isLeft = (part: PlanePart): boolean =>
    left.some((name) => name === part || (name === 'controllers' && !programs.has(part)));
  return planeParts.filter((part) => !isLeft(part));
}
