import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';
import { groups, nodeNameOf } from '../../../api/identities.ts';
import type {
  Access,
  AccessVerdict,
  Authorizer,
  AuthorizerWorld,
  ResourceAccess,
  SubjectRules,
} from '../../context/authorizer.ts';
import type { Grant } from '../../context/grants.ts';
import { knownVerdict, remember } from './known-verdicts.ts';
import { nodeVerdict } from './nodes.ts';
import { rulesAllow, rulesAllowAnyName } from './rule.ts';

/**
 * Members of `system:masters` may do everything; an agent of a node what its node needs; everybody what roles and bindings
 * give them. Nothing takes a right away again, so any binding that allows is enough.
 */
export const rbac: Authorizer = {
  name: 'rbac',
  authorize(access, world) {
    if (access.user.groups.includes(groups.masters)) return master;
    const node = nodeVerdict(access, world);
    if (node?.allowed === true) return node;
    const verdict = granted(access, world);
    return verdict.allowed ? verdict : { allowed: false, ...reasonsOf(node, verdict) };
  },
  rulesFor({ user, namespace }, { grants }) {
    const found = grants.to(user, namespace).flatMap(({ rules }) => rules ?? []);
    const evaluationError = 'node authorizer does not support user rule resolution';
    return { ...rulesShown(found), ...(nodeNameOf(user) !== undefined && { incomplete: true, evaluationError }) };
  },
};

const master: AccessVerdict = { allowed: true, reason: '' };

function granted(access: Access, { grants }: AuthorizerWorld): AccessVerdict {
  const known = knownVerdict(access, grants.state);
  if (known !== undefined) return known;
  const missing: string[] = [];
  for (const grant of grants.to(access.user, 'path' in access ? undefined : access.namespace)) {
    const { rules } = grant;
    if (rules === undefined) missing.push(missingRole(grant));
    else if (rulesAllow(rules, access)) {
      const verdict = { allowed: true, reason: `RBAC: allowed by ${describeGrant(grant)}` } as const;
      if (isForAll(grant, access)) remember(verdict, access, grants.state);
      return verdict;
    }
  }
  if (missing.length === 0) return { allowed: false };
  const [first = '', ...others] = new Set(missing);
  return { allowed: false, reason: `RBAC: ${others.length === 0 ? first : `[${[first, ...others].join(', ')}]`}` };
}

/** Then the same is allowed in every namespace, and whatever the object is called. */
function isForAll({ namespace, rules = [] }: Grant, access: Access): access is ResourceAccess {
  return namespace === undefined && !('path' in access) && rulesAllowAnyName(rules, access);
}

function describeGrant({ namespace, binding, role, subject }: Grant): string {
  const stands = namespace === undefined ? `ClusterRoleBinding "${binding}"` : `RoleBinding "${binding}/${namespace}"`;
  return `${stands} of ${role.kind} "${role.name}" to ${subject}`;
}

function missingRole({ role }: Grant): string {
  return `${role.kind.toLowerCase()}.rbac.authorization.k8s.io "${role.name}" not found`;
}

function reasonsOf(...verdicts: readonly (AccessVerdict | undefined)[]): { readonly reason?: string } {
  const reasons = verdicts.flatMap((verdict) => (verdict?.reason === undefined ? [] : [verdict.reason]));
  return reasons.length === 0 ? {} : { reason: reasons.join('\n') };
}

function rulesShown(rules: readonly PolicyRule[]): SubjectRules {
  return {
    incomplete: false,
    resourceRules: rules.flatMap(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
      resources.length === 0
        ? []
        : [{ verbs, apiGroups, resources, ...(resourceNames.length > 0 && { resourceNames }) }],
    ),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
      nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
    ),
  };
}
