import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
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
  const unused = new Map(identities.map(({ user, rules }) => [user.name, new Set(rules.flatMap(piecesOf))]));
  return {
    name: `${authorizer.name}, with the identities' lists beside it`,
    excess,
    unused: (user) => [...(unused.get(user) ?? [])].map(({ deed }) => deed),
    authorize(access, world) {
      const own = rules.get(access.user.name);
      if (own !== undefined && !own.some((rule) => allows(rule, access))) excess.add(finding(access));
      const pieces = unused.get(access.user.name);
      for (const piece of pieces ?? []) if (allows(piece.rule, access)) pieces?.delete(piece);
      return authorizer.authorize(access, world);
    },
    rulesFor: (subject, world) => authorizer.rulesFor(subject, world),
  };
}

/** The least that a rule may be taken apart into; one of several names is enough to need it. */
interface Piece {
  readonly rule: PolicyRule;
  /** `update deployments.apps/status` */
  readonly deed: string;
}

function piecesOf({ verbs, apiGroups = [], resources = [], resourceNames }: PolicyRule): readonly Piece[] {
  const named = resourceNames && { resourceNames };
  return verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources.map((resource) => {
        const [name = '', ...below] = resource.split('/');
        const deed = `${verb} ${[group === '' ? name : `${name}.${group}`, ...below].join('/')}`;
        return { deed, rule: { verbs: [verb], apiGroups: [group], resources: [resource], ...named } };
      }),
    ),
  );
}

function finding(access: Access): string {
  const what = 'path' in access ? access.path : `${access.resource} of group "${access.group}"`;
  return `${access.user.name} does ${access.verb} ${what}: allow it in api/system-identities.ts, or let it not`;
}
