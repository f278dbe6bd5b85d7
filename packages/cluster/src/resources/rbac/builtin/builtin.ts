/** The roles that every cluster has, and their bindings: for people, for namespaces, for nodes, for the parts of the plane. */
import type { ClusterRole, ClusterRoleBinding, Subject } from '../../../api/generated/rbac-v1.ts';
import { groups, serviceAccountOf } from '../../../api/identities.ts';
import type { ObjectMeta, StoredMeta } from '../../../api/meta.ts';
import { type Identity, systemIdentities } from '../../../api/system-identities.ts';
import { freeze } from '../../../base/freeze.ts';
import { gatheredRules } from '../aggregation.ts';
import { rbacGroup } from '../rules.ts';
import { rolesForCertificates } from './certificates.ts';
import { type BuiltinRole, rolesForEverybody } from './everybody.ts';
import { rolesForNamespaces } from './namespaces.ts';
import { rolesForNodes } from './nodes.ts';

/** Set to anything else but `true`, a start leaves the object as its owner made it. */
export const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

export interface BuiltinPolicy {
  readonly roles: readonly ClusterRole[];
  readonly bindings: readonly ClusterRoleBinding[];
}

/** With `identities` beside the plane's own: parts that somebody else brought along. */
export function builtinPolicy(identities: readonly Identity[] = []): BuiltinPolicy {
  if (identities.length > 0) return policyOf([...ownRoles, ...identities.flatMap(roleOf)]);
  own ??= policyOf(ownRoles);
  return own;
}

const ownRoles: readonly BuiltinRole[] = [
  ...rolesForEverybody,
  ...rolesForNamespaces,
  ...rolesForNodes,
  ...rolesForCertificates,
  ...systemIdentities.flatMap(roleOf),
];

/** Made when it is asked for: a start that brings identities along makes its own. */
let own: BuiltinPolicy | undefined;

/** Whoever may do everything needs no role for it. */
function roleOf({ user, role, rules }: Identity): readonly BuiltinRole[] {
  if (user.groups.includes(groups.masters)) return [];
  const account = serviceAccountOf(user.name);
  if (account === undefined) return [{ name: role ?? user.name, rules, users: [user.name] }];
  const { namespace, name } = account;
  return [{ name: role ?? `system:controller:${name}`, rules, serviceAccounts: [`${namespace}/${name}`] }];
}

function policyOf(builtin: readonly BuiltinRole[]): BuiltinPolicy {
  const roles = builtin.map(toRole);
  // What selects itself through others comes last: a role of roles needs those complete.
  const known = new Map(roles.map((role) => [role.metadata.name, role]));
  for (const name of ['view', 'edit', 'admin']) {
    const role = known.get(name);
    if (role !== undefined) known.set(name, { ...role, rules: gatheredRules(role, known.values()) });
  }
  return freeze({ roles: [...known.values()], bindings: builtin.flatMap(toBinding) });
}

/** What only a stored object has is still missing. */
function metadataOf(name: string, labels: Readonly<Record<string, string>> = {}): StoredMeta {
  const metadata: ObjectMeta = {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { [autoUpdate]: 'true' },
  };
  return metadata as StoredMeta;
}

function toRole({ name, rules, labels, gathers }: BuiltinRole): ClusterRole {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: metadataOf(name, labels),
    ...(gathers !== undefined && {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [gathers]: 'true' } }] },
    }),
    rules,
  };
}

function toBinding(role: BuiltinRole): readonly ClusterRoleBinding[] {
  const subjects: readonly Subject[] = [
    ...(role.users ?? []).map((name) => ({ apiGroup: rbacGroup, kind: 'User', name })),
    ...(role.groups ?? []).map((name) => ({ apiGroup: rbacGroup, kind: 'Group', name })),
    ...(role.serviceAccounts ?? []).map((account) => {
      const [namespace = '', name = ''] = account.split('/');
      return { kind: 'ServiceAccount', name, namespace };
    }),
  ];
  if (subjects.length === 0) return [];
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: metadataOf(role.name),
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role.name },
      subjects,
    },
  ];
}
