import type { User } from './operation.ts';

/** The groups that everybody is sorted into, and those that say what somebody is. */
export const groups = {
  /** May do everything. */
  masters: 'system:masters',
  authenticated: 'system:authenticated',
  unauthenticated: 'system:unauthenticated',
  nodes: 'system:nodes',
  /** Reads what the server says of itself. */
  monitoring: 'system:monitoring',
  serviceAccounts: 'system:serviceaccounts',
} as const;

/** Whoever does not say who they are. */
export const anonymous: User = { name: 'system:anonymous', groups: [groups.unauthenticated] };

export function isAnonymous({ name }: User): boolean {
  return name === anonymous.name;
}

/** Somebody who proved who they are. */
export function authenticated(user: User): User {
  const { groups: own } = user;
  return { ...user, groups: own.includes(groups.authenticated) ? own : [...own, groups.authenticated] };
}

export function serviceAccount(namespace: string, name: string): User {
  return authenticated({
    name: serviceAccountUserName(namespace, name),
    groups: [groups.serviceAccounts, serviceAccountsOf(namespace)],
  });
}

export function serviceAccountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The group of all service accounts of a namespace. */
export function serviceAccountsOf(namespace: string): string {
  return `${groups.serviceAccounts}:${namespace}`;
}

/** Whose service account a user name stands for, if any. */
export function serviceAccountOf(name: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? [];
  return namespace === undefined || account === undefined ? undefined : { namespace, name: account };
}

const nodePrefix = 'system:node:';

/** Which node somebody is the agent of. The name alone does not make one: anybody may be called so. */
export function nodeNameOf({ name, groups: own }: User): string | undefined {
  return name.startsWith(nodePrefix) && own.includes(groups.nodes) ? name.slice(nodePrefix.length) : undefined;
}
