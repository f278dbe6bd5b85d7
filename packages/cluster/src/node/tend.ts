import type { Pod } from '../api/generated/core-v1.ts';
import { fromTimestamp } from '../base/clock.ts';
import type { Refusal } from './admission.ts';
import type { NodeDriver, PodSeen } from './driver.ts';
import { type PodObserved, type PodPlan, planPod } from './pod-plan.ts';

export interface Tending extends Omit<PodObserved, 'pod' | 'seen'> {
  readonly driver: NodeDriver;
  readonly nowMs: number;
  /** Why the node does not let the pod in; looked for only where the pod has not begun. */
  readonly refusal?: Refusal | undefined;
}

const retryMs = 100;
/** Whoever makes a refused pod anew at once would otherwise do nothing else. */
const refusalTakesMs = 1_000;

/** Gives the driver its orders until only something to be told is left, or nothing. */
export function tend(pod: Pod, { driver, nowMs, refusal, ...observed }: Tending): PodPlan {
  if (refusal !== undefined) return turnAway(pod, { ...observed, refusal, nowMs });
  const { containers, initContainers = [] } = pod.spec;
  // A start of each container and a stop: a driver that does not show what it was told to do is asked again later.
  const roundsMax = 2 + containers.length + initContainers.length;
  for (let round = 0; round < roundsMax; round++) {
    const plan = planPod({ pod, seen: driver.status(pod), ...observed }, nowMs);
    if (plan.action?.do === 'start') driver.start(pod, plan.action.containers);
    else if (plan.action?.do === 'stop') driver.stop(pod, plan.action.terms);
    else return plan;
  }
  return { againMs: nowMs + retryMs };
}

const nothingSeen: PodSeen = { containers: new Map() };

function turnAway(
  pod: Pod,
  { refusal, nowMs, ...observed }: Omit<Tending, 'driver'> & { readonly refusal: Refusal },
): PodPlan {
  const atMs = fromTimestamp(pod.metadata.creationTimestamp) + refusalTakesMs;
  if (nowMs < atMs && pod.metadata.deletionTimestamp === undefined) return { againMs: atMs };
  const plan = planPod({ ...observed, pod, seen: { ...nothingSeen, failed: refusal.failed } }, nowMs);
  return plan.action?.do === 'report' ? { ...plan, action: { ...plan.action, events: [refusal.event] } } : plan;
}
