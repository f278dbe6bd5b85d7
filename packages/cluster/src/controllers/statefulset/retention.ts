import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, pods, statefulsets } from '../../api/generated/kinds.ts';
import { isOfKind } from '../../api/gvk.ts';
import type { OwnerReference } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import type { Action, Announcement } from '../../runtime/plan.ts';
import { controllerReference } from '../../workloads/owner.ts';

/** What becomes of a claim, said to the garbage collector by owner references. */
export interface Retention {
  readonly set: StatefulSet;
  /** The pod that uses the claim, if it exists. */
  readonly pod: Pod | undefined;
  /** The pod is out of the set's range and about to go. */
  readonly condemned: boolean;
}

/**
 * Brings the owner references of a claim in line with the policy. One that still names an earlier set or pod of the same name is left to
 * the garbage collector. That somebody else controls it is said when it is given to a pod, and when it was ours.
 */
export function retain(claim: PersistentVolumeClaim, retention: Retention): readonly Action[] {
  const before = claim.metadata.ownerReferences ?? [];
  const { set, pod } = retention;
  const isNew = pod === undefined || pod.status?.phase === 'Pending';
  const stale = before.some((owner) => isEarlier(owner, retention));
  const others = before.filter((owner) => !isOurs(owner, retention));
  const isForeign = stale || others.some(({ controller }) => controller === true);
  const wanted = isForeign ? undefined : wantedOwner(retention);
  const after = wanted === undefined ? others : [...others, wanted];
  const isRight = stale || equal(sorted(before), sorted(after));
  const warning = isForeign && deletesAnything(set) && (isNew || !isRight) ? [conflict(claim, set)] : [];
  if (isRight) return warning;
  const { resourceVersion } = claim.metadata;
  // The whole list is replaced, so it must be the list that was seen.
  const body = { metadata: { resourceVersion, ownerReferences: after } };
  const announce = isNew || retention.condemned ? {} : { announce: podIsUpdated(set, pod) };
  const patch = { do: 'patch', type: persistentvolumeclaims, target: claim, patchType: 'merge', body } as const;
  return [...warning, { ...patch, ...announce }];
}

/** As upstream puts it, whatever belongs to the pod was put right. */
export function podIsUpdated(set: StatefulSet, { metadata }: Pod): Announcement {
  const about = `update Pod ${metadata.name} in StatefulSet ${set.metadata.name}`;
  return {
    regarding: set,
    done: { reason: 'SuccessfulUpdate', note: `${about} successful` },
    failed: { reason: 'FailedUpdate', note: `${about} failed error: {error}` },
  };
}

/**
 * Who owns a claim: nobody (it stays), the set (it goes with the set), or the pod once it is out of range (it goes with
 * the pod).
 */
export function wantedOwner({ set, pod, condemned }: Retention): OwnerReference | undefined {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  if (condemned && whenScaled === 'Delete') return pod && controllerReference(pod);
  return whenDeleted === 'Delete' ? controllerReference(set) : undefined;
}

/** The claim belongs to an earlier pod of the same name and is about to be collected: a new pod would lose its data. */
export function isStale(
  claim: PersistentVolumeClaim,
  { set, podName }: { readonly set: StatefulSet; readonly podName: string },
): boolean {
  if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return false;
  return (claim.metadata.ownerReferences ?? []).some((owner) => isOfKind(owner, pods) && owner.name === podName);
}

/** Another set or pod of the same name, which is gone. */
function isEarlier(owner: OwnerReference, { set, pod }: Retention): boolean {
  if (isOfKind(owner, statefulsets) && owner.name === set.metadata.name) return owner.uid !== set.metadata.uid;
  return isOfKind(owner, pods) && owner.name === pod?.metadata.name && owner.uid !== pod.metadata.uid;
}

function isOurs({ uid }: OwnerReference, { set, pod }: Retention): boolean {
  return uid === set.metadata.uid || uid === pod?.metadata.uid;
}

function deletesAnything({ spec }: StatefulSet): boolean {
  const { whenDeleted, whenScaled } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return whenDeleted === 'Delete' || whenScaled === 'Delete';
}

function conflict({ metadata }: PersistentVolumeClaim, set: StatefulSet): Action {
  return {
    do: 'emit',
    regarding: set,
    type: 'Warning',
    reason: 'ConflictingController',
    // Upstream's words, with its slip: clients match on them.
    note: `PersistentVolumeClaim ${metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`,
  };
}

function sorted(owners: readonly OwnerReference[]): readonly OwnerReference[] {
  return [...owners].sort((a, b) => (a.uid < b.uid ? -1 : 1));
}
