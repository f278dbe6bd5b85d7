import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import { type Identity, systemIdentities } from '../../api/system-identities.ts';
import { knownUsers } from '../../server/access/known-users.ts';
import type { Access, Authorizer } from '../../server/context/authorizer.ts';

/** Asks another authorizer, and notes what parts of the plane do that their list does not allow. */
export interface IdentityJudge extends Authorizer {
  /** One line for each thing that somebody did beyond their list; to be empty at the end. */
  readonly excess: ReadonlySet<string>;
}

export function createIdentityJudge(
  authorizer: Authorizer = knownUsers,
  identities: readonly Identity[] = systemIdentities,
): IdentityJudge {
  const rules = new Map(identities.map(({ user, rules }) => [user.name, rules]));
  const excess = new Set<string>();
  return {
    name: `${authorizer.name}, with the identities' lists beside it`,
    excess,
    authorize(access, world) {
      const own = rules.get(access.user.name);
      if (own !== undefined && !own.some((rule) => covers(rule, access))) excess.add(finding(access));
      return authorizer.authorize(access, world);
    },
    rulesFor: (subject, world) => authorizer.rulesFor(subject, world),
  };
}

function finding(access: Access): string {
  const what = 'path' in access ? access.path : `${access.resource} of group "${access.group}"`;
  return `${access.user.name} does ${access.verb} ${what}: allow it in api/system-identities.ts, or let it not`;
}

/** As upstream reads rules: `*` is anything, and a star before `/scale` that part of anything. */
export function covers(rule: PolicyRule, access: Access): boolean {
  if (!has(rule.verbs, access.verb)) return false;
  if ('path' in access) return (rule.nonResourceURLs ?? []).some((url) => coversPath(url, access.path));
  const { apiGroups = [], resources = [], resourceNames = [] } = rule;
  const [, subresource] = access.resource.split('/');
  const isNamed = resourceNames.length === 0 || (access.name !== undefined && resourceNames.includes(access.name));
  const isMeant =
    has(resources, access.resource) || (subresource !== undefined && resources.includes(`*/${subresource}`));
  return has(apiGroups, access.group) && isMeant && isNamed;
}

function coversPath(url: string, path: string): boolean {
  return url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
}

function has(allowed: readonly string[], value: string): boolean {
  return allowed.includes('*') || allowed.includes(value);
}
