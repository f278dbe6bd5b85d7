import type { ControllerRevision, StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { controllerrevisions, persistentvolumeclaims, pods, statefulsets } from '../../api/generated/kinds.ts';
import type { Key } from '../../api/meta.ts';
import type { Caches } from '../../client/cache.ts';
import { type Claims, claimFrom } from '../../workloads/claim.ts';
import { type RevisionName, revisionName } from '../../workloads/history/revision.ts';
import { orphanPods, orphanRevisions } from '../../workloads/indexes.ts';
import type { ClaimsByName } from './actions.ts';
import { claimNames, firstOrdinal, ordinalOf, wantedReplicas } from './identity.ts';

export interface Observed {
  readonly set: StatefulSet;
  readonly pods: Claims<Pod>;
  readonly revisions: Claims<ControllerRevision>;
  /** Where a revision of the template would go. */
  readonly naming: RevisionName;
  /** The claims of all ordinals in play. */
  readonly volumeClaims: ClaimsByName;
}

/** Leaves room in a label value for the dash and the hash. */
const prefixLengthMax = 223;

export function observe(key: Key, caches: Caches): Observed | undefined {
  const set = caches.of(statefulsets).get(key);
  if (set === undefined) return undefined;
  const accepts = (pod: Pod): boolean => ordinalOf(set, pod) !== undefined;
  const claimed = claimFrom(set, { type: pods, orphans: orphanPods, caches, accepts });
  return {
    set,
    pods: claimed,
    revisions: claimFrom(set, { type: controllerrevisions, orphans: orphanRevisions, caches }),
    naming: revisionName({
      prefix: set.metadata.name.slice(0, prefixLengthMax),
      template: set.spec.template,
      namespace: set.metadata.namespace,
      collisionCount: set.status?.collisionCount ?? 0,
      revisions: caches.of(controllerrevisions),
    }),
    volumeClaims: volumeClaimsOf(set, { pods: claimed.claimed, caches }),
  };
}

function volumeClaimsOf(
  set: StatefulSet,
  { pods: claimed, caches }: { readonly pods: readonly Pod[]; readonly caches: Caches },
): ClaimsByName {
  const found = new Map<string, PersistentVolumeClaim>();
  if ((set.spec.volumeClaimTemplates ?? []).length === 0) return found;
  const first = firstOrdinal(set);
  const ordinals = new Set(Array.from({ length: wantedReplicas(set) }, (_, index) => first + index));
  for (const pod of claimed) ordinals.add(ordinalOf(set, pod) ?? first);
  const cache = caches.of(persistentvolumeclaims);
  for (const ordinal of ordinals)
    for (const name of claimNames(set, ordinal)) {
      const claim = cache.get(`${set.metadata.namespace}/${name}`);
      if (claim !== undefined) found.set(name, claim);
    }
  return found;
}
