import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, pods } from '../../api/generated/kinds.ts';
import type { Action, Create, Delete, Emit } from '../../runtime/plan.ts';
import { claimName, identityLabels, newClaim, newPod, podName, type Version } from './identity.ts';
import { wantedOwner } from './retention.ts';

export type ClaimsByName = ReadonlyMap<string, PersistentVolumeClaim>;

/** Creates a pod after its missing claims. */
export function createReplica(
  set: StatefulSet,
  { ordinal, version, claims }: { readonly ordinal: number; readonly version: Version; readonly claims: ClaimsByName },
): Action {
  const name = podName(set, ordinal);
  const create: Create = {
    do: 'create',
    type: pods,
    object: newPod(set, { ordinal, version }),
    announce: {
      regarding: set,
      done: { reason: 'SuccessfulCreate', note: `create Pod ${name} in StatefulSet ${set.metadata.name} successful` },
      failed: {
        reason: 'FailedCreate',
        note: `create Pod ${name} in StatefulSet ${set.metadata.name} failed error: {error}`,
      },
    },
  };
  const missing = createMissingClaims(set, { ordinal, claims });
  return missing.length === 0 ? create : { do: 'inOrder', actions: [...missing, create] };
}

export function createMissingClaims(
  set: StatefulSet,
  { ordinal, claims }: { readonly ordinal: number; readonly claims: ClaimsByName },
): readonly Create[] {
  const templates = set.spec.volumeClaimTemplates ?? [];
  return templates
    .filter((template) => !claims.has(claimName(set, { template, ordinal })))
    .map((template) => createClaim(set, { template, ordinal }));
}

function createClaim(
  set: StatefulSet,
  { template, ordinal }: { readonly template: PersistentVolumeClaim; readonly ordinal: number },
): Create {
  const claim = newClaim(set, { template, ordinal });
  const owner = wantedOwner({ set, pod: undefined, condemned: false });
  const about = `Claim ${claim.metadata.name} Pod ${podName(set, ordinal)} in StatefulSet ${set.metadata.name}`;
  return {
    do: 'create',
    type: persistentvolumeclaims,
    object: owner === undefined ? claim : { ...claim, metadata: { ...claim.metadata, ownerReferences: [owner] } },
    announce: {
      regarding: set,
      done: { reason: 'SuccessfulCreate', note: `create ${about} success` },
      failed: { reason: 'FailedCreate', note: `create ${about} failed error: {error}` },
    },
  };
}

export function deleteReplica(set: StatefulSet, pod: Pod): Delete {
  const about = `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  return {
    do: 'delete',
    type: pods,
    target: pod,
    announce: {
      regarding: set,
      done: { reason: 'SuccessfulDelete', note: `${about} successful` },
      failed: { reason: 'FailedDelete', note: `${about} failed error: {error}` },
    },
  };
}

/** Puts back labels by which the pod is found, e.g. on an adopted one. */
export function repairIdentity(
  set: StatefulSet,
  { pod, ordinal }: { readonly pod: Pod; readonly ordinal: number },
): readonly Action[] {
  const labels = identityLabels(set, ordinal);
  if (Object.entries(labels).every(([key, value]) => pod.metadata.labels?.[key] === value)) return [];
  return [{ do: 'patch', type: pods, target: pod, patchType: 'merge', body: { metadata: { labels } } }];
}

/** A pod must not start on a claim that is on its way out. */
export function claimIsGoing(
  set: StatefulSet,
  { ordinal, claim }: { readonly ordinal: number; readonly claim: PersistentVolumeClaim },
): Emit {
  const about = `create Pod ${podName(set, ordinal)} in StatefulSet ${set.metadata.name}`;
  return {
    do: 'emit',
    regarding: set,
    type: 'Warning',
    reason: 'FailedCreate',
    note: `${about} failed error: pvc ${claim.metadata.name} is being deleted`,
  };
}
