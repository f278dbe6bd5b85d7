import type { ControllerRevision, ReplicaSet } from '../api/generated/apps-v1.ts';
import type { Pod } from '../api/generated/core-v1.ts';
import type { Index } from '../client/cache.ts';
import { mountedClaims } from '../resources/core/pod/claims.ts';
import { orphanIndex } from './claim.ts';

// Shared by all controllers, so that each cache keeps one such index and not one per controller.
export const orphanPods: Index<Pod> = orphanIndex('orphan pods');
export const orphanRevisions: Index<ControllerRevision> = orphanIndex('orphan controller revisions');
export const orphanReplicaSets: Index<ReplicaSet> = orphanIndex('orphan replica sets');
/** Files pods under the claims that they mount. */
export const podsByClaim: Index<Pod> = {
  name: 'mounted claims',
  valuesOf: (pod) => mountedClaims(pod).map(({ key }) => key),
};
