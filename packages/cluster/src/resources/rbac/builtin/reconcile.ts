/** What becomes of a built-in role or binding at a start, when there is one of its name already. Pure. */
import type { ClusterRole, ClusterRoleBinding } from '../../../api/generated/rbac-v1.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { equal } from '../../../base/equal.ts';
import { isGathered } from '../aggregation.ts';
import { compactRules, missingRules } from '../coverage.ts';
import { autoUpdate } from './builtin.ts';

/** What a newer version of the plane needs is added; what somebody else added stays. */
export function reconciledRole(stored: ClusterRole, expected: ClusterRole): ClusterRole {
  if (!updatesItself(stored)) return stored;
  const next = withMetadata(stored, expected);
  // The rules of a role that gathers are the controller's.
  if (isGathered(expected))
    return equal(stored.aggregationRule, expected.aggregationRule)
      ? next
      : { ...next, aggregationRule: expected.aggregationRule as NonNullable<ClusterRole['aggregationRule']> };
  if (equal(stored.rules ?? [], expected.rules ?? [])) return next;
  const missing = missingRules(stored.rules ?? [], expected.rules ?? []);
  return missing.length === 0 ? next : { ...next, rules: [...(stored.rules ?? []), ...compactRules(missing)] };
}

/** Undefined: it grants another role, so it has to be made anew. */
export function reconciledBinding(
  stored: ClusterRoleBinding,
  expected: ClusterRoleBinding,
): ClusterRoleBinding | undefined {
  if (!updatesItself(stored)) return stored;
  if (!equal(stored.roleRef, expected.roleRef)) return undefined;
  const next = withMetadata(stored, expected);
  const { subjects = [] } = stored;
  const missing = (expected.subjects ?? []).filter((subject) => !subjects.some((known) => equal(known, subject)));
  return missing.length === 0 ? next : { ...next, subjects: [...subjects, ...missing] };
}

function updatesItself({ metadata }: KubeObject): boolean {
  const { [autoUpdate]: stated = 'true' } = metadata.annotations ?? {};
  return stated === 'true';
}

function withMetadata<T extends KubeObject>(stored: T, { metadata: { labels, annotations } }: KubeObject): T {
  const { metadata } = stored;
  const next = {
    ...metadata,
    labels: { ...metadata.labels, ...labels },
    annotations: { ...annotations, ...metadata.annotations },
  };
  return equal(next, metadata) ? stored : { ...stored, metadata: next };
}
