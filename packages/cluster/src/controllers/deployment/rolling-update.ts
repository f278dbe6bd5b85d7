import type { ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { Budget } from './budget.ts';
import { type Generations, sizeOf, totalSize } from './generations.ts';
import type { Sizes } from './resize.ts';

/** How large the template's ReplicaSet may be now: as large as surge allows beside the others. */
export function currentSize(
  size: number,
  { old, budget }: { readonly old: readonly ReplicaSet[]; readonly budget: Budget },
): number {
  const { replicas, maxSurge } = budget;
  if (size >= replicas) return replicas;
  const room = replicas + maxSurge - (totalSize(old) + size);
  return size + Math.max(0, Math.min(room, replicas - size));
}

/** The next step: first the new generation grows as far as it may, then the old ones shrink as far as they may. */
export function rollingSizes({ current, old }: Generations, budget: Budget): Sizes {
  if (current === undefined) return new Map();
  const size = currentSize(sizeOf(current), { old, budget });
  if (size !== sizeOf(current)) return new Map([[current, size]]);
  return shrunk({ current, old, budget });
}

interface Shrinking {
  readonly current: ReplicaSet;
  readonly old: readonly ReplicaSet[];
  readonly budget: Budget;
}

/** First pods that serve nobody anyway, then serving ones as far as enough are left; the oldest generation first. */
function shrunk({ current, old, budget }: Shrinking): Sizes {
  const sizes = new Map<ReplicaSet, number>();
  if (totalSize(old) === 0) return sizes;
  const serving = [...old, current].reduce((total, replicaset) => total + availableIn(replicaset), 0);
  const servingMin = budget.replicas - budget.maxUnavailable;
  const notYetServing = sizeOf(current) - availableIn(current);
  let spare = totalSize(old) + sizeOf(current) - servingMin - notYetServing;
  if (spare <= 0) return sizes;
  for (const replicaset of old) {
    const less = Math.min(spare, Math.max(0, sizeOf(replicaset) - availableIn(replicaset)));
    if (less <= 0) continue;
    sizes.set(replicaset, sizeOf(replicaset) - less);
    spare -= less;
  }
  let servingSpare = serving - servingMin;
  for (const replicaset of old) {
    const size = sizes.get(replicaset) ?? sizeOf(replicaset);
    const less = Math.min(servingSpare, size);
    if (less <= 0) continue;
    sizes.set(replicaset, size - less);
    servingSpare -= less;
  }
  return sizes;
}

/** A size that was changed a moment ago may not show in the status yet: the size has the last word. */
function availableIn(replicaset: ReplicaSet): number {
  return Math.min(sizeOf(replicaset), replicaset.status?.availableReplicas ?? 0);
}
