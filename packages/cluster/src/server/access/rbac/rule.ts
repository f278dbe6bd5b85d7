import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';
import { names, namesPath, namesResource } from '../../../resources/rbac/coverage.ts';
import type { Access } from '../../context/authorizer.ts';

/** Whether one rule allows it, as upstream reads rules. */
export function allows(rule: PolicyRule, access: Access): boolean {
  if (!names(rule.verbs, access.verb)) return false;
  if ('path' in access) return namesPath(rule.nonResourceURLs, access.path);
  if (!names(rule.apiGroups, access.group) || !namesResource(rule.resources, access.resource)) return false;
  const { resourceNames = [] } = rule;
  return resourceNames.length === 0 || (access.name !== undefined && resourceNames.includes(access.name));
}
