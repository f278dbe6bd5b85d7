import type { Pod, PodCondition, PodStatus } from '../../../api/generated/core-v1.ts';
import { fresh } from '../../../base/fresh.ts';

/** Its class of service and the versions that were seen are nobody's to take away, and its end is not told by this door. */
export function withKeptStatus(pod: Pod, { metadata, status: before }: Pod): Pod {
  const { deletionTimestamp } = metadata;
  const status = pod.status ?? {};
  const isEnding = pod.metadata.deletionTimestamp !== deletionTimestamp;
  const kept = {
    ...((status.qosClass ?? '') === '' && before?.qosClass !== undefined && { qosClass: before.qosClass }),
    ...seenAgain(status, before),
    ...conditionsSeenAgain(status.conditions, before?.conditions),
  };
  if (!isEnding && Object.keys(kept).length === 0) return pod;
  const { deletionTimestamp: _said, ...others } = pod.metadata;
  return {
    ...fresh,
    ...pod,
    ...(isEnding && { metadata: { ...others, ...(deletionTimestamp !== undefined && { deletionTimestamp }) } }),
    status: { ...fresh, ...status, ...kept },
  } as Pod;
}

type Seen = Pick<PodCondition, 'observedGeneration'>;

/** The version that was seen before, where what is said now names none. */
function seenAgain(after: Seen, before: Seen | undefined): Seen | undefined {
  const isLost = (after.observedGeneration ?? 0) === 0 && (before?.observedGeneration ?? 0) !== 0;
  return isLost ? { observedGeneration: before?.observedGeneration ?? 0 } : undefined;
}

/** The same for each condition; of several of one type the first goes by the first. */
function conditionsSeenAgain(
  after: readonly PodCondition[] = [],
  before: readonly PodCondition[] = [],
): Pick<PodStatus, 'conditions'> {
  if (after.every(({ observedGeneration = 0 }) => observedGeneration !== 0)) return {};
  const used = new Set<PodCondition>();
  const conditions = after.map((condition) => {
    const old = before.find((each) => each.type === condition.type && !used.has(each));
    if (old !== undefined) used.add(old);
    const seen = seenAgain(condition, old);
    return seen === undefined ? condition : { ...fresh, ...condition, ...seen };
  });
  return conditions.some((each, index) => each !== after[index]) ? { conditions } : {};
}
