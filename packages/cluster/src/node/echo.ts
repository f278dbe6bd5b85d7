import type { Pod, PodStatus } from '../api/generated/core-v1.ts';

/**
 * Whether a new version of a pod is what its node has told, and that was all there was to tell: it comes back, or somebody else has added a
 * condition of theirs. Then nobody has to compare it with what runs. By identity: the API keeps what is not changed.
 */
export function isAllSaid(
  { spec, metadata, status }: Pod,
  { previous, told }: { readonly previous: Pod; readonly told: PodStatus },
): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, annotations } = previous.metadata;
  const isSameBut =
    previous.spec === spec &&
    metadata.deletionTimestamp === deletionTimestamp &&
    metadata.deletionGracePeriodSeconds === deletionGracePeriodSeconds &&
    metadata.annotations === annotations;
  if (!isSameBut) return false;
  // Any other news of the pod makes the agent look again: a driver may count on that.
  if (status === told) return previous.status !== status;
  return previous.status === told && addsConditions(told, status);
}

/** All conditions that were there are there as they were, and nothing else has changed. */
function addsConditions(before: PodStatus, after: PodStatus): boolean {
  let surplus = 0;
  for (const name in after) {
    if (name === 'conditions') continue;
    if (after[name as keyof PodStatus] !== before[name as keyof PodStatus]) return false;
    surplus += 1;
  }
  for (const name in before) if (name !== 'conditions') surplus -= 1;
  const { conditions: known = [] } = before;
  const { conditions } = after;
  return (
    surplus === 0 &&
    conditions !== undefined &&
    conditions.length > known.length &&
    known.every((each) => conditions.includes(each))
  );
}
