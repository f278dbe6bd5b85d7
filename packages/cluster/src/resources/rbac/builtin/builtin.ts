/** The roles that every cluster has, and their bindings: for people, for namespaces, for nodes, for the parts of the plane. */
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from '../../../api/generated/rbac-v1.ts';
import { groups, serviceAccountOf } from '../../../api/identities.ts';
import type { ObjectMeta, StoredMeta } from '../../../api/meta.ts';
import { type Identity, systemIdentities } from '../../../api/system-identities.ts';
import { freeze } from '../../../base/freeze.ts';
import { gatheredRules } from '../aggregation.ts';
import { compactRules, missingRules } from '../coverage.ts';
import { rbacGroup } from '../rules.ts';
import { rolesForCertificates } from './certificates.ts';
import { rolesForClusterControllers } from './cluster-controllers.ts';
import { rolesForComponents } from './components.ts';
import { rolesForEverybody } from './everybody.ts';
import { type NamespacedRole, rolesInNamespaces } from './namespaced.ts';
import { rolesForNamespaces } from './namespaces.ts';
import { rolesForNodes } from './nodes.ts';
import type { BuiltinRole } from './role.ts';
import { rolesForWorkloadControllers } from './workload-controllers.ts';

/** Set to anything else but `true`, a start leaves the object as its owner made it. */
export const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

export interface BuiltinPolicy {
  readonly roles: readonly ClusterRole[];
  readonly bindings: readonly ClusterRoleBinding[];
  /** Of single namespaces. They hold once they are written. */
  readonly namespaced: { readonly roles: readonly Role[]; readonly bindings: readonly RoleBinding[] };
}

/** With `identities` beside the plane's own: parts that somebody else brought along. */
export function builtinPolicy(identities: readonly Identity[] = []): BuiltinPolicy {
  if (identities.length > 0) return policyOf([...ownRoles, ...identities.flatMap(roleOf)]);
  own ??= policyOf(ownRoles);
  return own;
}

/** As upstream has them: its own parts run with them as well. */
const upstreamRoles: readonly BuiltinRole[] = [
  ...rolesForEverybody,
  ...rolesForNamespaces,
  ...rolesForNodes,
  ...rolesForCertificates,
  ...rolesForComponents,
  ...rolesForWorkloadControllers,
  ...rolesForClusterControllers,
];
const upstreamByName = new Map(upstreamRoles.map((role) => [role.name, role]));
const ownRoles: readonly BuiltinRole[] = [...upstreamRoles, ...systemIdentities.flatMap(roleOf)];

/** Made when it is asked for: a start that brings identities along makes its own. */
let own: BuiltinPolicy | undefined;

/** Whoever may do everything needs no role for it; whoever has one of upstream's needs one for what that lacks. */
function roleOf({ user, role, rules }: Identity): readonly BuiltinRole[] {
  if (user.groups.includes(groups.masters)) return [];
  const account = serviceAccountOf(user.name);
  const name = role ?? (account === undefined ? user.name : `system:controller:${account.name}`);
  const upstream = upstreamByName.get(name);
  const lacking = upstream === undefined ? rules : compactRules(missingRules(upstream.rules, rules));
  if (lacking.length === 0) return [];
  const given =
    account === undefined ? { users: [user.name] } : { serviceAccounts: [`${account.namespace}/${account.name}`] };
  return [{ name: role ?? name.replace(/^system:/, 'signalbox:'), rules: lacking, ...given }];
}

function policyOf(builtin: readonly BuiltinRole[]): BuiltinPolicy {
  const roles = builtin.map(toRole);
  // What selects itself through others comes last: a role of roles needs those complete.
  const known = new Map(roles.map((role) => [role.metadata.name, role]));
  for (const name of ['view', 'edit', 'admin']) {
    const role = known.get(name);
    if (role !== undefined) known.set(name, { ...role, rules: gatheredRules(role, known.values()) });
  }
  return freeze({
    roles: [...known.values()],
    bindings: builtin.flatMap(toBinding),
    namespaced: {
      roles: rolesInNamespaces.map(toNamespacedRole),
      bindings: rolesInNamespaces.map(toNamespacedBinding),
    },
  });
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
  if ([role.users, role.groups, role.serviceAccounts].every((given) => given === undefined)) return [];
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: metadataOf(role.name),
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role.name },
      ...(subjects.length > 0 && { subjects }),
    },
  ];
}

function toNamespacedRole({ namespace, name, rules }: NamespacedRole): Role {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { ...metadataOf(name), namespace },
    rules,
  };
}

function toNamespacedBinding(role: NamespacedRole): RoleBinding {
  const { namespace, name, binding = name, users = [], serviceAccounts = [] } = role;
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { ...metadataOf(binding), namespace },
    roleRef: { apiGroup: rbacGroup, kind: 'Role', name },
    subjects: [
      ...users.map((user) => ({ apiGroup: rbacGroup, kind: 'User', name: user })),
      ...serviceAccounts.map((account) => ({ kind: 'ServiceAccount', name: account, namespace: 'kube-system' })),
    ],
  };
}
