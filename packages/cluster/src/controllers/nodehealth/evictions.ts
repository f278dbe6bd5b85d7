import type { Pod, Taint } from '../../api/generated/core-v1.ts';
import { pods as podsType } from '../../api/generated/kinds.ts';
import { tolerates } from '../../api/tolerations.ts';
import { fromTimestamp, toTimestamp } from '../../base/clock.ts';
import { conditionPatch, saidOf } from '../../resources/core/pod/facts.ts';
import type { Action } from '../../runtime/plan.ts';

export interface EvictionFacts {
  /** All of the node's pods. */
  readonly pods: readonly Pod[];
  /** The node's NoExecute taints. */
  readonly taints: readonly Taint[];
  readonly nowMs: number;
  /** When taints without a time were first seen, by {@link taintId}. */
  readonly seenMs: ReadonlyMap<string, number>;
  /** Uids of the pods whose eviction was only a matter of time when the node was last looked at. */
  readonly expected: ReadonlySet<string>;
}

export interface Evictions {
  readonly actions: readonly Action[];
  /** When the next pod's patience ends. */
  readonly nextInMs: number | undefined;
  readonly expected: ReadonlySet<string>;
}

/** Who drives out is a controller of its own upstream, and known by its name. */
const source = 'taint-eviction-controller';

/** Pods that do not tolerate a taint go at once; those that do so for a while go when the shortest while is over. */
export function planEvictions({ pods, taints, nowMs, seenMs, expected }: EvictionFacts): Evictions {
  const actions: Action[] = [];
  const waiting = new Set<string>();
  let nextMs = Number.POSITIVE_INFINITY;
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    const dueMs = evictedAtMs(pod, { taints, nowMs, seenMs });
    if (dueMs <= nowMs) actions.push(evict(pod, nowMs));
    else if (dueMs < Number.POSITIVE_INFINITY) {
      waiting.add(pod.metadata.uid);
      nextMs = Math.min(nextMs, dueMs);
    } else if (expected.has(pod.metadata.uid)) actions.push(say(pod, 'Cancelling deletion of Pod'));
  }
  const nextInMs = nextMs === Number.POSITIVE_INFINITY ? undefined : nextMs - nowMs;
  return { actions, nextInMs, expected: waiting };
}

export function taintId({ key, value = '', effect }: Taint): string {
  return `${key}=${value}:${effect}`;
}

/** Infinity: the pod tolerates all taints for good. */
export function evictedAtMs(
  { spec }: Pod,
  { taints, nowMs, seenMs }: Pick<EvictionFacts, 'taints' | 'nowMs' | 'seenMs'>,
): number {
  let soonestMs = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const toleration = spec.tolerations?.find((each) => tolerates(each, taint));
    if (toleration === undefined) return Number.NEGATIVE_INFINITY;
    const { tolerationSeconds } = toleration;
    if (tolerationSeconds === undefined) continue;
    const addedMs = fromTimestamp(taint.timeAdded ?? '');
    const sinceMs = Number.isNaN(addedMs) ? (seenMs.get(taintId(taint)) ?? nowMs) : addedMs;
    soonestMs = Math.min(soonestMs, sinceMs + Math.max(0, Number(tolerationSeconds)) * 1_000);
  }
  return soonestMs;
}

/** Says why before it deletes: controllers and users tell an eviction from an end of the pod's own by the condition. */
function evict(pod: Pod, nowMs: number): Action {
  const said = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
  };
  const condition = saidOf(pod, { said, now: toTimestamp(nowMs) });
  const body = { status: conditionPatch(pod, condition) };
  return {
    do: 'inOrder',
    actions: [
      say(pod, 'Marking for deletion Pod'),
      { do: 'patch', type: podsType, target: pod, patchType: 'strategic', subresource: 'status', body },
      { do: 'delete', type: podsType, target: pod },
    ],
  };
}

function say(pod: Pod, what: string): Action {
  const note = `${what} ${pod.metadata.namespace}/${pod.metadata.name}`;
  return { do: 'emit', source, regarding: pod, type: 'Normal', reason: 'TaintManagerEviction', note };
}
