import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, pods } from '../../api/generated/kinds.ts';
import { isOfKind } from '../../api/gvk.ts';
import type { OwnerReference } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import type { Action } from '../../runtime/plan.ts';
import { controllerReference } from '../../workloads/owner.ts';

/** What becomes of a claim, said to the garbage collector by owner references. */
export interface Retention {
  readonly set: StatefulSet;
  /** The pod that uses the claim, if it exists. */
  readonly pod: Pod | undefined;
  /** The pod is out of the set's range and about to go. */
  readonly condemned: boolean;
}

/** Brings the owner references of a claim in line with the policy. */
export function retain(claim: PersistentVolumeClaim, retention: Retention): readonly Action[] {
  const before = claim.metadata.ownerReferences ?? [];
  const { set } = retention;
  const others = before.filter((owner) => !isOurs(owner, retention));
  const isForeign = others.some(({ controller }) => controller === true);
  const wanted = isForeign ? undefined : wantedOwner(retention);
  const after = wanted === undefined ? others : [...others, wanted];
  const warning = isForeign && deletesAnything(set) ? [conflict(claim, set)] : [];
  if (equal(sorted(before), sorted(after))) return warning;
  const { resourceVersion } = claim.metadata;
  // The whole list is replaced, so it must be the list that was seen.
  const body = { metadata: { resourceVersion, ownerReferences: after } };
  return [...warning, { do: 'patch', type: persistentvolumeclaims, target: claim, patchType: 'merge', body }];
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
export function isStale(claim: PersistentVolumeClaim, set: StatefulSet): boolean {
  if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return false;
  return (claim.metadata.ownerReferences ?? []).some((owner) => isOfKind(owner, pods));
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
    note: `The claim ${metadata.name} has another controller: the set's persistentVolumeClaimRetentionPolicy does not apply to it`,
  };
}

function sorted(owners: readonly OwnerReference[]): readonly OwnerReference[] {
  return [...owners].sort((a, b) => (a.uid < b.uid ? -1 : 1));
}
