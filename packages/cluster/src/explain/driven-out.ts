import type { Node, Pod } from '../api/generated/core-v1.ts';
import { formatTaint, tolerates } from '../api/tolerations.ts';
import { fromTimestamp, toTimestamp } from '../base/clock.ts';
import { evictedAtMs } from '../controllers/nodehealth/evictions.ts';
import { noExecuteTaints } from '../controllers/nodehealth/taints.ts';

/** What becomes of a pod on a node with NoExecute taints. */
export interface DrivenOut {
  /** Undefined: when tolerations end is not known, because nobody has written down since when a taint is there. */
  readonly atMs: number | undefined;
  readonly why: string;
}

/** Whether it has to go, and when, by the rule of who drives it out. Undefined: it may stay for good. */
export function drivenOut(
  pod: Pod,
  { node, nowMs }: { readonly node: Node; readonly nowMs: number },
): DrivenOut | undefined {
  const taints = noExecuteTaints(node);
  const atMs = evictedAtMs(pod, { taints, nowMs, seenMs: new Map() });
  if (atMs === Number.POSITIVE_INFINITY) return undefined;
  const { tolerations = [] } = pod.spec;
  const against = taints.find((taint) => !tolerations.some((each) => tolerates(each, taint)));
  if (against !== undefined) return { atMs, why: `it does not tolerate the taint ${formatTaint(against)}` };
  // What is not written down is in the memory of who has seen it.
  const isKnown = taints.every(({ timeAdded }) => !Number.isNaN(fromTimestamp(timeAdded ?? '')));
  return isKnown
    ? { atMs, why: `at ${toTimestamp(atMs)}, when its tolerationSeconds are over` }
    : { atMs: undefined, why: 'when its tolerationSeconds are over' };
}
