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
export function tend(pod: Pod, tending: Tending): PodPlan {
  const { driver, nowMs, refusal } = tending;
  if (refusal !== undefined) return turnAway(pod, { tending, refusal });
  const { containers, initContainers = [] } = pod.spec;
  // A start of each container and a stop: a driver that does not show what it was told to do is asked again later.
  const roundsMax = 2 + containers.length + initContainers.length;
  for (let round = 0; round < roundsMax; round++) {
    const plan = planPod(observed(pod, driver.status(pod), tending), nowMs);
    if (plan.action?.do === 'start') driver.start(pod, plan.action.containers);
    else if (plan.action?.do === 'stop') driver.stop(pod, plan.action.terms);
    else return plan;
  }
  return { againMs: nowMs + retryMs };
}

/** Field by field: a pod is looked at several times, and what a pattern leaves over is slow to copy. */
function observed(
  pod: Pod,
  seen: PodSeen,
  { hostIp, stoppingMs, sizeRefusal, volumes, lackingEnvironments, missingPullSecrets }: Tending,
): { readonly [Fact in keyof Required<PodObserved>]: PodObserved[Fact] } {
  return { pod, seen, hostIp, stoppingMs, sizeRefusal, volumes, lackingEnvironments, missingPullSecrets };
}

const nothingSeen: PodSeen = { containers: new Map() };

interface TurnedAway {
  readonly tending: Tending;
  readonly refusal: Refusal;
}

function turnAway(pod: Pod, { tending, refusal }: TurnedAway): PodPlan {
  const { nowMs } = tending;
  const atMs = fromTimestamp(pod.metadata.creationTimestamp) + refusalTakesMs;
  if (nowMs < atMs && pod.metadata.deletionTimestamp === undefined) return { againMs: atMs };
  const plan = planPod(observed(pod, { ...nothingSeen, failed: refusal.failed }, tending), nowMs);
  return plan.action?.do === 'report' ? { ...plan, action: { ...plan.action, events: [refusal.event] } } : plan;
}
