import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { desiredReplicasIn, maxReplicasIn } from './annotations.ts';
import { type Budget, isRecreate } from './budget.ts';
import { byAge, type Generations, sizeOf, totalSize } from './generations.ts';
import type { Sizes } from './resize.ts';

/** Whether the Deployment has been scaled since its ReplicaSets were last sized. */
export function isScaled({ current, old }: Generations, { replicas }: Budget): boolean {
  return active(current, old).some((replicaset) => {
    const desired = desiredReplicasIn(replicaset);
    return desired !== undefined && desired !== replicas;
  });
}

/**
 * Sizes for a Deployment that was scaled, or that is paused. One generation takes all; in the middle of a rollout the
 * generations share what is added or taken away in proportion to their sizes, so that the risk stays the same.
 */
export function scaledSizes(
  deployment: Deployment,
  { generations, budget }: { readonly generations: Generations; readonly budget: Budget },
): Sizes {
  const { current, old } = generations;
  const only = activeOrLatest(current, old);
  if (only !== undefined) return new Map([[only, budget.replicas]]);
  if (current !== undefined && isSaturated(current, budget.replicas))
    return new Map(active(undefined, old).map((replicaset) => [replicaset, 0]));
  if (isRecreate(deployment.spec)) return new Map();
  return proportional(active(current, old), { deployment, budget });
}

export function active(current: ReplicaSet | undefined, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return (current === undefined ? old : [...old, current]).filter((replicaset) => sizeOf(replicaset) > 0);
}

function activeOrLatest(current: ReplicaSet | undefined, old: readonly ReplicaSet[]): ReplicaSet | undefined {
  const [first, ...others] = active(current, old);
  if (others.length > 0) return undefined;
  return first ?? current ?? old.at(-1);
}

function isSaturated(replicaset: ReplicaSet, replicas: number): boolean {
  return (
    sizeOf(replicaset) === replicas &&
    desiredReplicasIn(replicaset) === replicas &&
    (replicaset.status?.availableReplicas ?? 0) === replicas
  );
}

function proportional(
  replicasets: readonly ReplicaSet[],
  { deployment, budget }: { readonly deployment: Deployment; readonly budget: Budget },
): Sizes {
  const allowed = budget.replicas > 0 ? budget.replicas + budget.maxSurge : 0;
  const toAdd = allowed - totalSize(replicasets);
  // The largest takes what rounding leaves; of two equals the newer grows and the older shrinks.
  const ordered = [...replicasets].sort((a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? byAge(b, a) : byAge(a, b)));
  const sizes = new Map<ReplicaSet, number>();
  let added = 0;
  for (const replicaset of ordered) {
    const share = shareOf(replicaset, { deployment, budget, left: toAdd - added, toAdd });
    sizes.set(replicaset, sizeOf(replicaset) + share);
    added += share;
  }
  const [largest] = ordered;
  if (largest !== undefined) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + toAdd - added));
  return sizes;
}

interface Sharing {
  readonly deployment: Deployment;
  readonly budget: Budget;
  readonly left: number;
  readonly toAdd: number;
}

function shareOf(replicaset: ReplicaSet, { deployment, budget, left, toAdd }: Sharing): number {
  const size = sizeOf(replicaset);
  if (toAdd === 0 || size === 0) return 0;
  const base = maxReplicasIn(replicaset) || deployment.status?.replicas || totalOf(budget);
  const fraction = roundedAway((size * totalOf(budget)) / base) - size;
  return toAdd > 0 ? Math.max(0, Math.min(fraction, left)) : Math.min(0, Math.max(fraction, left, -size));
}

function totalOf({ replicas, maxSurge }: Budget): number {
  return replicas > 0 ? replicas + maxSurge : 0;
}

function roundedAway(value: number): number {
  return Math.floor(value + 0.5);
}
