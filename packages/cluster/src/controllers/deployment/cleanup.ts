import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { replicasets } from '../../api/generated/kinds.ts';
import type { Delete } from '../../runtime/plan.ts';
import { byRevision } from './annotations.ts';
import { byAge, sizeOf } from './generations.ts';

/** The oldest generations beyond `revisionHistoryLimit` that hold nothing any more. */
export function planCleanup({ spec }: Deployment, old: readonly ReplicaSet[]): readonly Delete[] {
  const present = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = present.length - (spec.revisionHistoryLimit ?? 10);
  if (surplus <= 0) return [];
  return [...present]
    .sort((a, b) => byRevision(a, b) || byAge(a, b))
    .slice(0, surplus)
    .filter(isEmpty)
    .map((target) => ({ do: 'delete', type: replicasets, target }));
}

function isEmpty(replicaset: ReplicaSet): boolean {
  const { metadata, status } = replicaset;
  if (sizeOf(replicaset) !== 0 || (status?.replicas ?? 0) !== 0) return false;
  return (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
}
