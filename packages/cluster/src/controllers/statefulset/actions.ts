import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, pods } from '../../api/generated/kinds.ts';
import type { Action, Create, Delete, Emit } from '../../runtime/plan.ts';
import { claimName, identityLabels, newClaim, newPod, podName, type Version } from './identity.ts';
import { podIsUpdated, wantedOwner } from './retention.ts';

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
      unsaid: ['AlreadyExists'],
    },
  };
  const missing = createMissingClaims(set, { ordinal, claims, holdsUp: true });
  return missing.length === 0 ? create : { do: 'inOrder', actions: [...missing, create] };
}

export function createMissingClaims(set: StatefulSet, { ordinal, claims, holdsUp }: MissingClaims): readonly Create[] {
  const templates = set.spec.volumeClaimTemplates ?? [];
  return templates
    .filter((template) => !claims.has(claimName(set, { template, ordinal })))
    .map((template) => createClaim(set, { template, ordinal, holdsUp }));
}

interface MissingClaims {
  readonly ordinal: number;
  readonly claims: ClaimsByName;
  /** Whether the pod is not made before they are: then that is told, too. */
  readonly holdsUp: boolean;
}

function createClaim(
  set: StatefulSet,
  {
    template,
    ordinal,
    holdsUp,
  }: { readonly template: PersistentVolumeClaim; readonly ordinal: number; readonly holdsUp: boolean },
): Create {
  const claim = newClaim(set, { template, ordinal });
  const owner = wantedOwner({ set, pod: undefined, condemned: false });
  const { name } = claim.metadata;
  const about = `Pod ${podName(set, ordinal)} in StatefulSet ${set.metadata.name}`;
  const failed = { reason: 'FailedCreate', note: `create Claim ${name} for ${about} failed error: {error}` };
  const held = { reason: 'FailedCreate', note: `create ${about} failed error: failed to create PVC ${name}: {error}` };
  return {
    do: 'create',
    type: persistentvolumeclaims,
    object: owner === undefined ? claim : { ...claim, metadata: { ...claim.metadata, ownerReferences: [owner] } },
    announce: {
      regarding: set,
      done: { reason: 'SuccessfulCreate', note: `create Claim ${name} ${about} success` },
      failed: holdsUp ? [failed, held] : failed,
      unsaid: ['AlreadyExists'],
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
  const announce = podIsUpdated(set, pod);
  return [{ do: 'patch', type: pods, target: pod, patchType: 'merge', body: { metadata: { labels } }, announce }];
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
