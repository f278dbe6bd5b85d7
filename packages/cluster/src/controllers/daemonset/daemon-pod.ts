import type { Pod } from '../../api/generated/core-v1.ts';
import { podReady } from '../../resources/core/pod/facts.ts';
import { isTerminating, readySinceMs } from '../../workloads/phase.ts';
import { hashOf, isBound, targetNode } from './pod.ts';

/** What a plan asks of a pod. */
export interface DaemonPod {
  readonly pod: Pod;
  /** The node that it is on or meant for. */
  readonly target: string | undefined;
  readonly bound: boolean;
  readonly hash: string | undefined;
  readonly terminating: boolean;
  readonly phase: string | undefined;
  readonly ready: boolean;
  /** Only for ready pods; undefined when the API does not tell. */
  readonly readySinceMs: number | undefined;
}

export function daemonPod(pod: Pod): DaemonPod {
  return {
    pod,
    target: targetNode(pod),
    bound: isBound(pod),
    hash: hashOf(pod),
    terminating: isTerminating(pod),
    phase: pod.status?.phase,
    ready: podReady(pod),
    readySinceMs: readySinceMs(pod),
  };
}

/** Failed or Succeeded. */
export function isOver({ phase }: DaemonPod): boolean {
  return phase === 'Failed' || phase === 'Succeeded';
}

/** Ready for long enough. */
export function isAvailable(
  { ready, readySinceMs: sinceMs }: DaemonPod,
  { minReadySeconds, nowMs }: { readonly minReadySeconds: number; readonly nowMs: number },
): boolean {
  if (!ready || minReadySeconds === 0) return ready;
  return sinceMs !== undefined && sinceMs + minReadySeconds * 1_000 <= nowMs;
}

/** Bound before unbound, then older before younger, then by name. */
export function byRank(a: DaemonPod, b: DaemonPod): number {
  if (a.bound !== b.bound) return a.bound ? -1 : 1;
  const { creationTimestamp: createdA, name: nameA } = a.pod.metadata;
  const { creationTimestamp: createdB, name: nameB } = b.pod.metadata;
  if (createdA !== createdB) return createdA < createdB ? -1 : 1;
  return nameA < nameB ? -1 : 1;
}
