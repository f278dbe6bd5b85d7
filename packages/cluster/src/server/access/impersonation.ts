import { authenticated, serviceAccount, serviceAccountOf } from '../../api/identities.ts';
import type { User } from '../../api/operation.ts';
import type { ResourceAccess } from '../context/authorizer.ts';

/** What `user` must be allowed to act for somebody: the name and each group is asked on its own, as upstream. */
export function impersonationAccess(user: User, { name, groups }: User): readonly ResourceAccess[] {
  const asked = { user, verb: 'impersonate', group: '' };
  const account = serviceAccountOf(name);
  return [
    account === undefined
      ? { ...asked, resource: 'users', name }
      : { ...asked, resource: 'serviceaccounts', ...account },
    ...groups.map((group) => ({ ...asked, resource: 'groups', name: group })),
  ];
}

/** Whom they are taken for then: a service account without groups has those that it always has. */
export function impersonated({ name, groups }: User): User {
  const account = serviceAccountOf(name);
  if (account !== undefined && groups.length === 0) return serviceAccount(account.namespace, account.name);
  return authenticated({ name, groups });
}
