/** How many replicas bring one value, that of an object or of something outside the cluster, to its target. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { podReady } from '../../resources/core/pod/facts.ts';
import { ceiling, isWithin, type Tolerance } from './tolerance.ts';

export interface Valued {
  /** Thousandths, as the target. */
  readonly milli: number;
  readonly targetMilli: number;
  readonly tolerance: Tolerance;
}

export type ValueProposal =
  | { readonly ok: true; readonly replicas: number }
  | { readonly ok: false; readonly message: string };

const replicasMax = 2 ** 31 - 1;

/**
 * The value as a whole is to be the target: so many times as much, so many times the ready pods that the selector matches. A
 * target that counts something else than pods has to match one pod for each that it counts.
 */
export function proposeByValue(
  { milli, targetMilli, tolerance }: Valued,
  { currentReplicas, pods }: { readonly currentReplicas: number; readonly pods: readonly Pod[] },
): ValueProposal {
  const ratio = milli / targetMilli;
  // From nothing there are no pods to go by, and no change is too small.
  if (currentReplicas === 0) return bounded(ratio);
  if (isWithin(ratio, tolerance)) return { ok: true, replicas: currentReplicas };
  if (pods.length === 0)
    return {
      ok: false,
      message: 'unable to calculate ready pods: no pods returned by selector while calculating replica count',
    };
  return bounded(ratio * pods.filter(isServing).length);
}

export interface AverageProposal {
  readonly replicas: number;
  /** Thousandths for each replica there is. */
  readonly averageMilli: number;
}

/** Each replica is to have the target: what the target itself says that it has counts, and pods do not. */
export function proposeByAverage({ milli, targetMilli, tolerance }: Valued, statusReplicas: number): AverageProposal {
  const ratio = milli / (targetMilli * statusReplicas);
  const averageMilli = statusReplicas === 0 ? milli : Math.ceil(milli / statusReplicas);
  if (isWithin(ratio, tolerance)) return { replicas: statusReplicas, averageMilli };
  return { replicas: bounded(milli / targetMilli).replicas, averageMilli };
}

function isServing(pod: Pod): boolean {
  return pod.status.phase === 'Running' && podReady(pod);
}

function bounded(replicas: number): { readonly ok: true; readonly replicas: number } {
  return { ok: true, replicas: Math.min(replicasMax, ceiling(replicas)) };
}
