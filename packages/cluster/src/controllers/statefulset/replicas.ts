import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { podAvailable, podReady } from '../../resources/core/pod/facts.ts';
import { isTerminating } from '../../workloads/phase.ts';
import { firstOrdinal, ordinalOf, wantedReplicas } from './identity.ts';

/** A place in the set, with the pod that fills it. */
export interface Slot {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

export interface Replicas {
  /** The set's range, lowest ordinal first. */
  readonly slots: readonly Slot[];
  /** Pods outside the range, highest ordinal first. */
  readonly condemned: readonly (Slot & { readonly pod: Pod })[];
}

export function replicasOf(set: StatefulSet, pods: readonly Pod[]): Replicas {
  const first = firstOrdinal(set);
  const end = first + wantedReplicas(set);
  const byOrdinal = new Map<number, Pod>();
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal !== undefined) byOrdinal.set(ordinal, pod);
  }
  const slots = Array.from({ length: end - first }, (_, index) => ({
    ordinal: first + index,
    pod: byOrdinal.get(first + index),
  }));
  const condemned = [...byOrdinal]
    .map(([ordinal, pod]) => ({ ordinal, pod }))
    .filter(({ ordinal }) => ordinal < first || ordinal >= end)
    .sort((a, b) => b.ordinal - a.ordinal);
  return { slots, condemned };
}

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && podReady(pod);
}

/** Runs, is ready and stays. */
export function isHealthy(pod: Pod | undefined): boolean {
  return pod !== undefined && isRunningAndReady(pod) && !isTerminating(pod);
}

/** Healthy, and has been ready for long enough. */
export function isServing(
  pod: Pod | undefined,
  { minReadySeconds, nowMs }: { readonly minReadySeconds: number; readonly nowMs: number },
): boolean {
  return pod !== undefined && isHealthy(pod) && podAvailable(pod, minReadySeconds, nowMs);
}
