import type { Pod } from '../api/generated/core-v1.ts';
import type { NodeDriver } from './driver.ts';
import { type PodObserved, type PodPlan, planPod } from './pod-plan.ts';

export interface Tending extends Omit<PodObserved, 'pod' | 'seen'> {
  readonly driver: NodeDriver;
  readonly nowMs: number;
}

const retryMs = 100;

/** Gives the driver its orders until only something to be told is left, or nothing. */
export function tend(pod: Pod, { driver, hostIp, stoppingMs, nowMs }: Tending): PodPlan {
  const { containers, initContainers = [] } = pod.spec;
  // A start of each container and a stop: a driver that does not show what it was told to do is asked again later.
  const roundsMax = 2 + containers.length + initContainers.length;
  for (let round = 0; round < roundsMax; round++) {
    const plan = planPod({ pod, seen: driver.status(pod), hostIp, stoppingMs }, nowMs);
    if (plan.action?.do === 'start') driver.start(pod, plan.action.containers);
    else if (plan.action?.do === 'stop') driver.stop(pod, plan.action.terms);
    else return plan;
  }
  return { againMs: nowMs + retryMs };
}
