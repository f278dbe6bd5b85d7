import type { Pod } from '../api/generated/core-v1.ts';
import { fromTimestamp } from '../base/clock.ts';
import { isPodActive, podReady } from '../resources/core/pod/facts.ts';
import { readySinceMs } from './phase.ts';

const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost';

export interface Ranking {
  /** Pods of the same purpose, whatever ReplicaSet holds them: of two on one node, one is easier to do without. */
  readonly related: readonly Pod[];
  readonly nowMs: number;
}

/**
 * The pods in the order in which to do without them: without a node, pending, not ready, cheap by annotation, doubled up
 * on a node, ready for a short time, restarted often, young. Ages count by their order of magnitude, and a draw is decided
 * by uid, so that shrinking again and again does not always hit the newest.
 */
export function leastUsefulFirst(pods: readonly Pod[], { related, nowMs }: Ranking): readonly Pod[] {
  const perNode = new Map<string, number>();
  for (const pod of related) if (isPodActive(pod)) perNode.set(nodeOf(pod), (perNode.get(nodeOf(pod)) ?? 0) + 1);
  const ranked = pods.map((pod) => factsOf(pod, { neighbours: perNode.get(nodeOf(pod)) ?? 0, nowMs }));
  return ranked.sort(compare).map(({ pod }) => pod);
}

interface Facts {
  readonly pod: Pod;
  /** Compared one after the other; the smaller goes first. */
  readonly usefulness: readonly number[];
}

function factsOf(pod: Pod, { neighbours, nowMs }: { readonly neighbours: number; readonly nowMs: number }): Facts {
  const ready = podReady(pod);
  const sinceMs = ready ? readySinceMs(pod) : undefined;
  return {
    pod,
    usefulness: [
      nodeOf(pod) === '' ? 0 : 1,
      pod.status?.phase === 'Pending' ? 0 : pod.status?.phase === 'Running' ? 2 : 1,
      ready ? 1 : 0,
      costOf(pod),
      -neighbours,
      sinceMs === undefined ? 0 : magnitude(nowMs - sinceMs),
      -restartsOf(pod),
      magnitude(nowMs - fromTimestamp(pod.metadata.creationTimestamp)),
    ],
  };
}

function compare(a: Facts, b: Facts): number {
  for (const [index, value] of a.usefulness.entries()) {
    const difference = value - (b.usefulness[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.pod.metadata.uid < b.pod.metadata.uid ? -1 : 1;
}

function nodeOf({ spec }: Pod): string {
  return spec?.nodeName ?? '';
}

/** A malformed cost counts as none; the range is that of a 32-bit integer. */
function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[costAnnotation] ?? '0';
  const cost = Number(text);
  return /^-?(0|[1-9]\d*)$/.test(text) && Math.abs(cost) < 2 ** 31 ? cost : 0;
}

function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((most, { restartCount }) => Math.max(most, restartCount), 0);
}

function magnitude(ageMs: number): number {
  return ageMs < 1 ? -1 : Math.floor(Math.log2(ageMs));
}
