import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { deployments, pods, replicasets } from '../../api/generated/kinds.ts';
import type { Key } from '../../api/meta.ts';
import type { Caches } from '../../client/cache.ts';
import { isPodTerminal } from '../../resources/core/pod/facts.ts';
import { type Claims, claimFrom } from '../../workloads/claim.ts';
import { orphanReplicaSets } from '../../workloads/indexes.ts';
import { isRecreate } from './budget.ts';
import { type GenerationName, generationName, generationsOf } from './generations.ts';

export interface Observed {
  readonly deployment: Deployment;
  readonly replicasets: Claims<ReplicaSet>;
  /** Where a ReplicaSet of the template would go. */
  readonly naming: GenerationName;
  /** Pods of other generations still run. Only looked at for `Recreate`. */
  readonly oldPodsRun: boolean;
  /** Why the API would have no ReplicaSet of the template when it was last to be made. */
  readonly refusal: string | undefined;
}

export interface Memory {
  readonly refusal: string;
}

export function observe(key: Key, caches: Caches, memory?: Memory): Observed | undefined {
  const deployment = caches.of(deployments).get(key);
  if (deployment === undefined) return undefined;
  const claims = claimFrom(deployment, { type: replicasets, orphans: orphanReplicaSets, caches });
  return {
    deployment,
    replicasets: claims,
    naming: generationName(deployment, caches.of(replicasets)),
    oldPodsRun: isRecreate(deployment.spec) && oldPodsRun(deployment, { claimed: claims.claimed, caches }),
    refusal: memory?.refusal,
  };
}

function oldPodsRun(
  deployment: Deployment,
  { claimed, caches }: { readonly claimed: readonly ReplicaSet[]; readonly caches: Caches },
): boolean {
  const { old } = generationsOf(deployment, claimed);
  return old.some(({ metadata }) =>
    caches
      .of(pods)
      .ownedBy(metadata.uid)
      .some((pod) => !isPodTerminal(pod)),
  );
}
