import { clusterroles } from '../../api/generated/kinds.ts';
import type { ClusterRole } from '../../api/generated/rbac-v1.ts';
import { equal } from '../../base/equal.ts';
import { gatheredRules, isGathered } from '../../resources/rbac/aggregation.ts';
import { nothingToDo, type Plan } from '../../runtime/plan.ts';

export interface Observed {
  readonly role: ClusterRole;
  /** All roles of the cluster; most roles gather none. */
  all(): Iterable<ClusterRole>;
}

/** The rules of the roles that it selects, and no others. */
export function plan({ role, all }: Observed): Plan {
  if (!isGathered(role) || role.metadata.deletionTimestamp !== undefined) return nothingToDo;
  const rules = gatheredRules(role, all());
  if (equal(rules, role.rules ?? [])) return nothingToDo;
  const object: ClusterRole = { ...role, rules };
  return { actions: [{ do: 'update', type: clusterroles, object }] };
}
