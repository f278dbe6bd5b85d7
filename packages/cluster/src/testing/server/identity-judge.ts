import { type Identity, systemIdentities } from '../../api/system-identities.ts';
import { rbac } from '../../server/access/rbac/rbac.ts';
import { allows } from '../../server/access/rbac/rule.ts';
import type { Access, Authorizer } from '../../server/context/authorizer.ts';

/** Asks another authorizer, and notes what parts of the plane do that their list does not allow. */
export interface IdentityJudge extends Authorizer {
  /** One line for each thing that somebody did beyond their list; to be empty at the end. */
  readonly excess: ReadonlySet<string>;
  /** What is listed for a user and was not done until now: `delete secrets`, `update deployments.apps`. */
  unused(user: string): readonly string[];
}

export function createIdentityJudge(
  authorizer: Authorizer = rbac,
  identities: readonly Identity[] = systemIdentities,
): IdentityJudge {
  const rules = new Map(identities.map(({ user, rules }) => [user.name, rules]));
  const excess = new Set<string>();
  const done = new Map<string, Set<string>>(identities.map(({ user }) => [user.name, new Set()]));
  return {
    name: `${authorizer.name}, with the identities' lists beside it`,
    excess,
    unused(user) {
      const deeds = done.get(user);
      return (rules.get(user) ?? []).flatMap(({ verbs, apiGroups = [], resources = [] }) =>
        verbs.flatMap((verb) =>
          apiGroups.flatMap((group) =>
            resources.map((resource) => deed({ verb, group, resource })).filter((one) => deeds?.has(one) !== true),
          ),
        ),
      );
    },
    authorize(access, world) {
      const own = rules.get(access.user.name);
      if (own !== undefined && !own.some((rule) => allows(rule, access))) excess.add(finding(access));
      if (!('path' in access)) done.get(access.user.name)?.add(deed(access));
      return authorizer.authorize(access, world);
    },
    rulesFor: (subject, world) => authorizer.rulesFor(subject, world),
  };
}

interface Deed {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

/** `update deployments.apps/status` */
function deed({ verb, group, resource }: Deed): string {
  const [name = '', ...below] = resource.split('/');
  return `${verb} ${[group === '' ? name : `${name}.${group}`, ...below].join('/')}`;
}

function finding(access: Access): string {
  const what = 'path' in access ? access.path : `${access.resource} of group "${access.group}"`;
  return `${access.user.name} does ${access.verb} ${what}: allow it in api/system-identities.ts, or let it not`;
}
