import type { Node, Pod, PodCondition } from '../../api/generated/core-v1.ts';
import { pods as podsType } from '../../api/generated/kinds.ts';
import { fromTimestamp, toTimestamp } from '../../base/clock.ts';
import { conditionPatch, isPodTerminal, saidOf } from '../../resources/core/pod/facts.ts';
import type { Action, Delete } from '../../runtime/plan.ts';

/** Whether there is nothing left that a deletion could change: only finalizers hold the pod. */
function isFinal({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/** Nobody will ever end this pod, or say that it has ended: it is being deleted and was never given to a node. */
export function isStranded(pod: Pod): boolean {
  const isOver = isFinal(pod) && isPodTerminal(pod);
  return pod.metadata.deletionTimestamp !== undefined && (pod.spec.nodeName ?? '') === '' && !isOver;
}

export function removeStranded(pod: Pod): readonly Action[] {
  return ended([pod], { why: undefined });
}

/** The pods of a node that is gone: their end is written down, because nobody else can tell it, then they go. */
export function removeOrphans(pods: readonly Pod[], { nowMs }: { readonly nowMs: number }): readonly Action[] {
  return ended(pods, { why: { message: 'PodGC: node no longer exists', nowMs } });
}

/** The pods of a node that somebody has declared out of service, as far as they are being deleted. */
export function removeOutOfService({
  node,
  pods,
}: {
  readonly node: Node;
  readonly pods: readonly Pod[];
}): readonly Action[] {
  if (!isOutOfService(node)) return [];
  const terminating = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  // Somebody has asked for their end already, so no disruption is told.
  return ended(terminating, { why: undefined });
}

export function isOutOfService({ spec, status }: Node): boolean {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
  return !isReady && spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') === true;
}

/** The oldest of the ended pods beyond the threshold. Evicted ones go first: they say least. */
export function removeSurplus(
  ended: readonly Pod[],
  { terminatedPodsMax }: { readonly terminatedPodsMax: number },
): readonly Action[] {
  const surplus = ended.length - terminatedPodsMax;
  if (surplus <= 0) return [];
  return [...ended]
    .sort(byUsefulness)
    .slice(0, surplus)
    .filter((pod) => !isFinal(pod))
    .map(removal);
}

function byUsefulness(a: Pod, b: Pod): number {
  const evicted = Number(isEvicted(b)) - Number(isEvicted(a));
  if (evicted !== 0) return evicted;
  const age = fromTimestamp(a.metadata.creationTimestamp) - fromTimestamp(b.metadata.creationTimestamp);
  return age !== 0 ? age : a.metadata.name < b.metadata.name ? -1 : 1;
}

function isEvicted({ status }: Pod): boolean {
  return status?.phase === 'Failed' && status.reason === 'Evicted';
}

interface Disruption {
  readonly message: string;
  readonly nowMs: number;
}

/** What a finalizer holds is told to have failed, too: its Job may wait for just that. */
function ended(pods: readonly Pod[], { why }: { readonly why: Disruption | undefined }): readonly Action[] {
  return pods.flatMap((pod): readonly Action[] => {
    const failing = isPodTerminal(pod) ? [] : [fail(pod, why)];
    const removing = isFinal(pod) ? [] : [removal(pod)];
    const actions = [...failing, ...removing];
    return actions.length > 1 ? [{ do: 'inOrder', actions }] : actions;
  });
}

function fail(pod: Pod, why: Disruption | undefined): Action {
  const { generation } = pod.metadata;
  const body = {
    status: {
      phase: 'Failed',
      ...(generation !== undefined && { observedGeneration: generation }),
      ...(why !== undefined && conditionPatch(pod, disruption(pod, why))),
    },
  };
  return { do: 'patch', type: podsType, target: pod, patchType: 'strategic', subresource: 'status', body };
}

function disruption(pod: Pod, { message, nowMs }: Disruption): PodCondition {
  const said = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message };
  return saidOf(pod, { said, now: toTimestamp(nowMs) });
}

function removal(pod: Pod): Delete {
  return { do: 'delete', type: podsType, target: pod, options: { gracePeriodSeconds: 0 } };
}
