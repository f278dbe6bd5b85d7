import type { DaemonSet, DaemonSetCondition, DaemonSetStatus } from '../../api/generated/apps-v1.ts';
import { isAvailable } from './daemon-pod.ts';
import type { Rolling, Rollout } from './rollout.ts';
import type { Sites } from './sites.ts';

/** The counts as they were observed. What a plan is about to change shows once it has happened. */
export function statusOf(
  daemonset: DaemonSet,
  {
    sites,
    rollout,
    collisionCount,
    conditions,
  }: {
    readonly sites: Sites;
    readonly rollout: Rollout;
    readonly collisionCount: number | undefined;
    readonly conditions: readonly DaemonSetCondition[] | undefined;
  },
): DaemonSetStatus {
  const { hash, desired } = rollout;
  const { scheduled, misscheduled, ready } = sites.tally;
  const updated = sites.tally.updated(hash);
  const available = rollout.minReadySeconds === 0 ? ready : availableAmong(sites.rolling(rollout), rollout);
  const { generation } = daemonset.metadata;
  return {
    currentNumberScheduled: scheduled,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: desired,
    numberReady: ready,
    ...(generation !== undefined && { observedGeneration: generation }),
    ...nonZero('updatedNumberScheduled', updated),
    ...nonZero('numberAvailable', available),
    ...nonZero('numberUnavailable', desired - available),
    ...(collisionCount !== undefined && { collisionCount }),
    ...(conditions !== undefined && { conditions }),
  };
}

function availableAmong({ restless, current, old }: Rolling, rollout: Rollout): number {
  let available = current + old;
  for (const { verdict, pods } of restless) {
    const [first] = pods;
    if (verdict.runs && first !== undefined && isAvailable(first, rollout)) available++;
  }
  return available;
}

/** Upstream leaves these out of the wire form when they are 0. */
function nonZero(field: string, count: number): Partial<DaemonSetStatus> {
  return count === 0 ? {} : { [field]: count };
}
