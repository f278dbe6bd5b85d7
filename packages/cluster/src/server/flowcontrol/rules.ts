/** Whose requests a FlowSchema is about, and which of them. Pure; asked for every request, so nothing is made on the way. */
import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../api/generated/flowcontrol-v1.ts';
import type { User } from '../../api/operation.ts';
import type { Access, PathAccess, ResourceAccess } from '../context/authorizer.ts';

export function isMatched(rules: readonly PolicyRulesWithSubjects[], access: Access): boolean {
  for (const rule of rules) if (isAboutUser(rule.subjects, access.user) && isAbout(rule, access)) return true;
  return false;
}

function isAbout({ resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects, access: Access): boolean {
  if ('path' in access) {
    for (const rule of nonResourceRules) if (isAboutPath(rule, access)) return true;
    return false;
  }
  for (const rule of resourceRules) if (isAboutResource(rule, access)) return true;
  return false;
}

function isAboutUser(subjects: readonly Subject[], user: User): boolean {
  for (const subject of subjects) if (isUser(subject, user)) return true;
  return false;
}

const accountPrefix = 'system:serviceaccount:';

function isUser({ kind, user: one, group, serviceAccount }: Subject, { name, groups }: User): boolean {
  switch (kind) {
    case 'User':
      return one !== undefined && (one.name === '*' || one.name === name);
    case 'Group':
      return group !== undefined && (group.name === '*' || groups.includes(group.name));
    case 'ServiceAccount': {
      if (serviceAccount === undefined || !name.startsWith(accountPrefix)) return false;
      const place = `${accountPrefix}${serviceAccount.namespace}:`;
      return serviceAccount.name === '*' ? name.startsWith(place) : name === place + serviceAccount.name;
    }
    default:
      return false;
  }
}

function isAboutResource(rule: ResourcePolicyRule, { verb, group, resource, namespace }: ResourceAccess): boolean {
  if (!has(rule.verbs, verb) || !has(rule.resources, resource) || !has(rule.apiGroups, group)) return false;
  return namespace === undefined ? rule.clusterScope === true : has(rule.namespaces ?? [], namespace);
}

function isAboutPath({ verbs, nonResourceURLs }: NonResourcePolicyRule, { verb, path }: PathAccess): boolean {
  return has(verbs, verb) && nonResourceURLs.some((pattern) => covers(pattern, path));
}

/** A path covers what is below it, with and without a star. */
function covers(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  const above = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern;
  return path.startsWith(above.endsWith('/') ? above : `${above}/`);
}

function has(list: readonly string[], value: string): boolean {
  return list.length === 1 && list[0] === '*' ? true : list.includes(value);
}
