import { authenticated, isAnonymous, groups as known, serviceAccount, serviceAccountOf } from '../../api/identities.ts';
import type { User } from '../../api/operation.ts';
import type { ResourceAccess } from '../context/authorizer.ts';

const authenticationGroup = 'authentication.k8s.io';

/** What `user` must be allowed to act for somebody: the name, each group and all else is asked on its own, as upstream. */
export function impersonationAccess(user: User, { name, groups, uid, extra = {} }: User): readonly ResourceAccess[] {
  const asked = { user, verb: 'impersonate', group: '' };
  const further = { ...asked, group: authenticationGroup };
  const account = serviceAccountOf(name);
  return [
    account === undefined
      ? { ...asked, resource: 'users', name }
      : { ...asked, resource: 'serviceaccounts', ...account },
    ...groups.map((group) => ({ ...asked, resource: 'groups', name: group })),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => ({ ...further, resource: `userextras/${key}`, name: value })),
    ),
    ...(uid === undefined ? [] : [{ ...further, resource: 'uids', name: uid }]),
  ];
}

/**
 * Whom they are taken for then: a service account without groups has those that it always has, and nobody has said who they are
 * as whom somebody acts who has not.
 */
export function impersonated({ name, groups, ...more }: User): User {
  const account = serviceAccountOf(name);
  if (account !== undefined && groups.length === 0)
    return { ...serviceAccount(account.namespace, account.name), ...more };
  const isUnknown = groups.includes(known.unauthenticated);
  if (isAnonymous({ name, groups }) && !isUnknown) return { name, groups: [...groups, known.unauthenticated], ...more };
  return isUnknown ? { name, groups, ...more } : authenticated({ name, groups, ...more });
}
