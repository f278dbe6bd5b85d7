import { clusterrolebindings, clusterroles, rolebindings, roles } from '../../../api/generated/kinds.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from '../../../api/generated/rbac-v1.ts';
import { serviceAccountUserName } from '../../../api/identities.ts';
import type { User } from '../../../api/operation.ts';
import type { BuiltinPolicy } from '../../../resources/rbac/builtin/builtin.ts';
import { reconciledBinding, reconciledRole } from '../../../resources/rbac/builtin/reconcile.ts';
import type { Store } from '../../../store/store.ts';
import type { WriteListener } from '../../context/context.ts';
import type { Grant, Grants } from '../../context/grants.ts';
import { objectKey, resourcePrefix } from '../../context/keys.ts';

/**
 * Roles and bindings by whom they are for, so that a question looks at nothing that is about others. Read once and kept up by
 * every write; what is built in holds from the first moment, as a start will write it.
 */
export interface Policy extends Grants, WriteListener {}

export interface PolicyOptions {
  readonly store: Pick<Store, 'list'>;
  readonly builtin: BuiltinPolicy;
}

const prefixes = {
  clusterRoles: resourcePrefix(clusterroles),
  roles: resourcePrefix(roles),
  clusterBindings: resourcePrefix(clusterrolebindings),
  bindings: resourcePrefix(rolebindings),
};
/** Most writes are about neither roles nor bindings. */
const groupPrefix = '/rbac.authorization.k8s.io/';

/** A binding, for one of those whom it names. */
interface Bound extends Grant {
  readonly user?: string;
  readonly group?: string;
}

/** By the names of users, and by those of groups. */
interface Scope {
  readonly users: Map<string, readonly Bound[]>;
  readonly groups: Map<string, readonly Bound[]>;
}

export function createPolicy({ store, builtin }: PolicyOptions): Policy {
  const rules = new Map<string, readonly PolicyRule[]>();
  const bound = new Map<string, readonly Bound[]>();
  const everywhere = newScope();
  const within = new Map<string, Scope>();
  let state = {};

  const scopeOf = ({ namespace }: Bound): Scope => {
    if (namespace === undefined) return everywhere;
    const scope = within.get(namespace) ?? newScope();
    within.set(namespace, scope);
    return scope;
  };
  const unbind = (key: string): void => {
    for (const each of bound.get(key) ?? []) {
      take(scopeOf(each), each);
      if (each.namespace !== undefined && isEmpty(scopeOf(each))) within.delete(each.namespace);
    }
    bound.delete(key);
  };
  const keep = (key: string, value: object): void => {
    state = {};
    if (key.startsWith(prefixes.clusterRoles) || key.startsWith(prefixes.roles)) {
      rules.set(key, (value as ClusterRole | Role).rules ?? []);
      return;
    }
    if (!key.startsWith(prefixes.clusterBindings) && !key.startsWith(prefixes.bindings)) return;
    unbind(key);
    const added = boundBy(value as ClusterRoleBinding | RoleBinding, (roleKey) => rules.get(roleKey));
    bound.set(key, added);
    for (const each of added) put(scopeOf(each), each);
  };

  const stored = new Map<string, object>();
  for (const prefix of Object.values(prefixes)) {
    const found = store.list(prefix);
    if (!('expired' in found)) for (const { key, value } of found.items) stored.set(key, value);
  }
  for (const [key, value] of withBuiltin(stored, builtin)) keep(key, value);

  return {
    get state() {
      return state;
    },
    to(user, namespace) {
      const found: Grant[] = [];
      collect(everywhere, user, found);
      if (namespace !== undefined) collect(within.get(namespace), user, found);
      return found;
    },
    rulesOf: (role, namespace) => rules.get(roleKeyOf(role, namespace)),
    put({ key, value }) {
      if (key.startsWith(groupPrefix)) keep(key, value);
    },
    removed({ key }) {
      if (!key.startsWith(groupPrefix)) return;
      state = {};
      rules.delete(key);
      unbind(key);
    },
  };
}

const none: readonly Bound[] = [];

// Asked by every request: lists are walked, not made.
function collect(scope: Scope | undefined, { name, groups }: User, into: Grant[]): void {
  if (scope === undefined) return;
  for (const each of scope.users.get(name) ?? none) into.push(each);
  for (const group of groups) for (const each of scope.groups.get(group) ?? none) into.push(each);
}

/** What is stored, as it will be once a start has brought what is built in up to date. */
function withBuiltin(
  stored: ReadonlyMap<string, object>,
  { roles: own, bindings }: BuiltinPolicy,
): Map<string, object> {
  const all = new Map(stored);
  for (const role of own) {
    const key = objectKey(prefixes.clusterRoles, undefined, role.metadata.name);
    const found = stored.get(key) as ClusterRole | undefined;
    all.set(key, found === undefined ? role : reconciledRole(found, role));
  }
  for (const binding of bindings) {
    const key = objectKey(prefixes.clusterBindings, undefined, binding.metadata.name);
    const found = stored.get(key) as ClusterRoleBinding | undefined;
    all.set(key, (found === undefined ? undefined : reconciledBinding(found, binding)) ?? binding);
  }
  return all;
}

/** A role may change, come and go while it is bound. */
function boundBy(
  { metadata, roleRef, subjects = [] }: ClusterRoleBinding | RoleBinding,
  rulesAt: (roleKey: string) => readonly PolicyRule[] | undefined,
): readonly Bound[] {
  const { name, namespace } = metadata;
  const roleKey = roleKeyOf(roleRef, namespace);
  return subjects.flatMap((subject): readonly Bound[] => {
    const whom = whomOf(subject, namespace);
    if (whom === undefined) return [];
    return [
      {
        ...whom,
        binding: name,
        role: roleRef,
        ...(namespace !== undefined && { namespace }),
        get rules() {
          return rulesAt(roleKey);
        },
      },
    ];
  });
}

function whomOf(
  { kind, name, namespace }: Subject,
  bindingNamespace: string | undefined,
): Pick<Bound, 'user' | 'group' | 'subject'> | undefined {
  switch (kind) {
    case 'User':
      return { user: name, subject: `User "${name}"` };
    case 'Group':
      return { group: name, subject: `Group "${name}"` };
    case 'ServiceAccount': {
      const home = namespace ?? bindingNamespace ?? '';
      return { user: serviceAccountUserName(home, name), subject: `ServiceAccount "${name}/${home}"` };
    }
    default:
      return undefined;
  }
}

function roleKeyOf({ kind, name }: RoleRef, namespace: string | undefined): string {
  return kind === clusterroles.kind
    ? objectKey(prefixes.clusterRoles, undefined, name)
    : objectKey(prefixes.roles, namespace, name);
}

function newScope(): Scope {
  return { users: new Map(), groups: new Map() };
}

function isEmpty({ users, groups }: Scope): boolean {
  return users.size === 0 && groups.size === 0;
}

function listOf(scope: Scope, { user, group }: Bound): readonly [Map<string, readonly Bound[]>, string] {
  return user === undefined ? [scope.groups, group ?? ''] : [scope.users, user];
}

function put(scope: Scope, each: Bound): void {
  const [map, name] = listOf(scope, each);
  map.set(name, [...(map.get(name) ?? none), each]);
}

function take(scope: Scope, each: Bound): void {
  const [map, name] = listOf(scope, each);
  const rest = (map.get(name) ?? none).filter((other) => other !== each);
  if (rest.length === 0) map.delete(name);
  else map.set(name, rest);
}
