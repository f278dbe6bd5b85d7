import type { Node, Pod } from '../api/generated/core-v1.ts';
import { equal } from '../base/equal.ts';
import { defaultSchedulerName } from '../resources/core/pod/defaults.ts';
import { type Amounts, podRequests } from '../resources/core/pod/facts.ts';
import type { PlacementEvent } from './plugin.ts';

/** Whether the change of a node can change where pods go. Heartbeats cannot. */
export function changesPlacement(before: Node, after: Node): boolean {
  return (
    before.spec.unschedulable !== after.spec.unschedulable ||
    !equal(before.spec.taints, after.spec.taints) ||
    !equal(before.metadata.labels, after.metadata.labels) ||
    !equal(before.status.allocatable, after.status.allocatable)
  );
}

/** Whether the change of a waiting pod is worth another try: its own status is not. */
export function changesDemands(before: Pod, after: Pod): boolean {
  return !equal(before.spec, after.spec) || !equal(before.metadata.labels, after.metadata.labels);
}

/** What of the change of a placed pod can matter to others. */
export function changeOfPlaced(before: Pod, after: Pod): PlacementEvent | undefined {
  if (before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp) return 'pod/stopping';
  if (!equal(before.metadata.labels, after.metadata.labels)) return 'pod/relabelled';
  return asksForLess(podRequests(after), podRequests(before)) ? 'pod/shrunk' : undefined;
}

function asksForLess(after: Amounts, before: Amounts): boolean {
  if (after === before) return false;
  const { extended: had, ...plain } = before;
  const isLess = (Object.keys(plain) as (keyof typeof plain)[]).some((name) => after[name] < plain[name]);
  return isLess || Object.entries(had).some(([name, amount]) => (after.extended[name] ?? 0) < amount);
}

/** Whether this scheduler has to find a node for the pod. */
export function isWaiting(pod: Pod, profiles: ReadonlyMap<string, unknown>): boolean {
  return (
    (pod.spec.nodeName ?? '') === '' &&
    profiles.has(pod.spec.schedulerName ?? defaultSchedulerName) &&
    pod.metadata.deletionTimestamp === undefined &&
    (pod.spec.schedulingGates?.length ?? 0) === 0 &&
    pod.status.phase !== 'Succeeded' &&
    pod.status.phase !== 'Failed'
  );
}
