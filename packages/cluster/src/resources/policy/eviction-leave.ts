/** Whether a disruption budget lets a pod be evicted: what the eviction door asks, and who explains it. */
import type { Pod } from '../../api/generated/core-v1.ts';
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import { compileSelector } from '../../api/selector/selector.ts';
import { podReady } from '../core/pod/facts.ts';

const disruptedPodsMax = 2_000;

export interface EvictionRefusal {
  /** `unseen`: its controller has not looked at the budget yet. `overfull`: too many evictions wait to be confirmed. */
  readonly because: 'unseen' | 'overfull' | 'spent';
  readonly message: string;
}

/** A pod that serves nobody disrupts nobody. */
export function needsNoBudget({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? '');
}

export function isCovered({ metadata }: Pod, { spec }: PodDisruptionBudget): boolean {
  return compileSelector(spec?.selector)(metadata.labels);
}

/**
 * The budget does not mind: the pod is not ready, and its policy is to let such pods go, or enough others are healthy without it.
 * A budget that needs nobody healthy protects pods that are yet to become so.
 */
export function spendsNothing({ spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  if (podReady(pod)) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const desiredHealthy = status?.desiredHealthy ?? 0;
  return desiredHealthy > 0 && (status?.currentHealthy ?? 0) >= desiredHealthy;
}

/** Undefined where the budget allows it. */
export function evictionRefusal(budget: PodDisruptionBudget, pod: Pod): EvictionRefusal | undefined {
  if (spendsNothing(budget, pod)) return undefined;
  const { status, metadata } = budget;
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return {
      because: 'unseen',
      message: `The disruption budget ${metadata.name} is still being processed by the server.`,
    };
  if (Object.keys(status?.disruptedPods ?? {}).length > disruptedPodsMax)
    return {
      because: 'overfull',
      message: 'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    };
  if ((status?.disruptionsAllowed ?? 0) > 0) return undefined;
  return {
    because: 'spent',
    message: `The disruption budget ${metadata.name} needs ${status?.desiredHealthy ?? 0} healthy pods and has ${status?.currentHealthy ?? 0} currently`,
  };
}
