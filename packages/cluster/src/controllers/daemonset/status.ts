import type { DaemonSet, DaemonSetCondition, DaemonSetStatus } from '../../api/generated/apps-v1.ts';
import { isAvailable } from './daemon-pod.ts';
import type { Rollout } from './rollout.ts';
import type { Site } from './sites.ts';

/** The counts as they were observed. What a plan is about to change shows once it has happened. */
export function statusOf(
  daemonset: DaemonSet,
  {
    sites,
    rollout,
    collisionCount,
    conditions,
  }: {
    readonly sites: readonly Site[];
    readonly rollout: Rollout;
    readonly collisionCount: number | undefined;
    readonly conditions: readonly DaemonSetCondition[] | undefined;
  },
): DaemonSetStatus {
  const { hash, desired } = rollout;
  let scheduled = 0;
  let misscheduled = 0;
  let ready = 0;
  let available = 0;
  let updated = 0;
  for (const { verdict, pods } of sites) {
    const first = pods[0];
    if (first === undefined) continue;
    if (!verdict.runs) {
      misscheduled++;
      continue;
    }
    scheduled++;
    if (first.hash === hash) updated++;
    if (!first.ready) continue;
    ready++;
    if (isAvailable(first, rollout)) available++;
  }
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

/** Upstream leaves these out of the wire form when they are 0. */
function nonZero(field: string, count: number): Partial<DaemonSetStatus> {
  return count === 0 ? {} : { [field]: count };
}
