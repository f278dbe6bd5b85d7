import type { ContainerStatus, Pod } from '../../api/generated/core-v1.ts';
import { podCondition } from '../../resources/core/pod/facts.ts';
import { isTerminating } from '../../workloads/phase.ts';
import { revisionOf } from './identity.ts';
import { isRunningAndReady } from './replicas.ts';

/** The names of the revisions that a set comes from and goes to. */
export interface Course {
  readonly current: string;
  readonly update: string;
}

/**
 * Whether a pod that the others wait for will never serve as it is: its revision has been given up, or it is out of date and
 * cannot even start. Nothing is lost by replacing it, and nothing goes on until it is.
 *
 * One of the revision that the set comes from which runs and is not ready may still be reading its data: it is left alone.
 */
export function isStuck(pod: Pod, { current, update }: Course): boolean {
  const revision = revisionOf(pod);
  if (revision === update || isTerminating(pod) || isRunningAndReady(pod)) return false;
  // One that was adopted without a revision may be of any.
  return (revision !== undefined && revision !== current) || isUnschedulable(pod) || cannotStart(pod);
}

function isUnschedulable(pod: Pod): boolean {
  const scheduled = podCondition(pod, 'PodScheduled');
  return scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
}

/** Reasons to wait that pass by themselves. */
const beginnings: ReadonlySet<string | undefined> = new Set([undefined, 'ContainerCreating', 'PodInitializing']);

function cannotStart({ status }: Pod): boolean {
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  const waitsInVain = ({ state }: ContainerStatus): boolean => !beginnings.has(state?.waiting?.reason);
  return [...initContainerStatuses, ...containerStatuses].some(waitsInVain);
}
