import type { ClusterRole, PolicyRule } from '../../api/generated/rbac-v1.ts';
import { compileSelector } from '../../api/selector/selector.ts';
import { equal } from '../../base/equal.ts';

/** Whether the rules of a role are those of the roles that it selects. */
export function isGathered({ aggregationRule }: ClusterRole): boolean {
  return (aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/** Whether `role` gathers the rules of `other`. */
export function gathers(role: ClusterRole, other: ClusterRole): boolean {
  return gathersOf(role)(other);
}

function gathersOf({ metadata, aggregationRule }: ClusterRole): (other: ClusterRole) => boolean {
  const selects = (aggregationRule?.clusterRoleSelectors ?? []).map(compileSelector);
  return (other) =>
    other.metadata.name !== metadata.name && selects.some((isSelected) => isSelected(other.metadata.labels));
}

/** The rules of all roles that it selects, by their names, each rule once. */
export function gatheredRules(role: ClusterRole, all: Iterable<ClusterRole>): readonly PolicyRule[] {
  const selected = [...all].filter(gathersOf(role));
  // Sorted, so that the same roles give the same rules.
  selected.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const other of selected)
    for (const rule of other.rules ?? []) if (!rules.some((known) => equal(known, rule))) rules.push(rule);
  return rules;
}
