import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';
import { names, namesPath, namesResource } from '../../../resources/rbac/coverage.ts';
import type { Access, ResourceAccess } from '../../context/authorizer.ts';

/** Whether one rule allows it, as upstream reads rules. */
export function allows(rule: PolicyRule, access: Access): boolean {
  if (!names(rule.verbs, access.verb)) return false;
  if ('path' in access) return namesPath(rule.nonResourceURLs, access.path);
  if (!names(rule.apiGroups, access.group) || !namesResource(rule.resources, access.resource)) return false;
  const { resourceNames = [] } = rule;
  return resourceNames.length === 0 || (access.name !== undefined && resourceNames.includes(access.name));
}

/** Whether one of the rules allows it. */
export function rulesAllow(rules: readonly PolicyRule[], access: Access): boolean {
  if (!('path' in access) && rulesAllowAnyName(rules, access)) return true;
  return tableFor(rules).others.some((rule) => allows(rule, access));
}

/** Whether one of the rules allows it whatever the object is called. */
export function rulesAllowAnyName(
  rules: readonly PolicyRule[],
  { verb, group, resource }: Pick<ResourceAccess, 'verb' | 'group' | 'resource'>,
): boolean {
  const { byVerb } = tableFor(rules);
  return hasResource(byVerb.get(verb), group, resource) || hasResource(byVerb.get('*'), group, resource);
}

/** Of the same frozen rules the table is made once, so that many cost no more than few. */
function tableFor(rules: readonly PolicyRule[]): RuleTable {
  const known = tables.get(rules);
  if (known !== undefined) return known;
  const table = tableOf(rules);
  if (Object.isFrozen(rules)) tables.set(rules, table);
  return table;
}

const tables = new WeakMap<readonly PolicyRule[], RuleTable>();

type ByGroup = ReadonlyMap<string, ReadonlySet<string>>;

interface RuleTable {
  /** Verb, group, resources: what no names restrict. */
  readonly byVerb: ReadonlyMap<string, ByGroup>;
  /** Rules for paths, and for objects of certain names. */
  readonly others: readonly PolicyRule[];
}

function tableOf(rules: readonly PolicyRule[]): RuleTable {
  const byVerb = new Map<string, Map<string, Set<string>>>();
  const isPlain = ({ resources = [], resourceNames = [] }: PolicyRule): boolean =>
    resources.length > 0 && resourceNames.length === 0;
  for (const { verbs, apiGroups = [], resources = [] } of rules.filter(isPlain))
    for (const verb of verbs)
      for (const group of apiGroups) {
        const byGroup = byVerb.get(verb) ?? new Map<string, Set<string>>();
        byVerb.set(verb, byGroup.set(group, new Set([...(byGroup.get(group) ?? []), ...resources])));
      }
  return { byVerb, others: rules.filter((rule) => !isPlain(rule)) };
}

function hasResource(byGroup: ByGroup | undefined, group: string, resource: string): boolean {
  if (byGroup === undefined) return false;
  return hasPart(byGroup.get(group), resource) || hasPart(byGroup.get('*'), resource);
}

function hasPart(resources: ReadonlySet<string> | undefined, resource: string): boolean {
  if (resources === undefined) return false;
  if (resources.has(resource) || resources.has('*')) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && resources.has(`*${resource.slice(slash)}`);
}
