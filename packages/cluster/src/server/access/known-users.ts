import { anonymous, groups } from '../../api/identities.ts';
import type { User } from '../../api/operation.ts';
import type { Access, AccessVerdict, Authorizer } from '../context/authorizer.ts';

/**
 * Everybody who proved who they are may do everything, but for what lays open everything or acts for others: that is for
 * administrators. Nobody else may do anything but ask for health and version.
 */
export const knownUsers: Authorizer = {
  name: 'known-users',
  authorize(access) {
    if (isForMasters(access)) return access.user.groups.includes(groups.masters) ? master : refused;
    return isAuthenticated(access.user) ? known : isOpen(access) ? open : refused;
  },
  rulesFor({ user }) {
    const all = isAuthenticated(user);
    return {
      incomplete: false,
      resourceRules: all ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
      nonResourceRules: all ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
    };
  },
};

const known: AccessVerdict = { allowed: true, reason: 'every authenticated user may do everything' };
const master: AccessVerdict = { allowed: true, reason: 'administrators may do everything' };
const open: AccessVerdict = { allowed: true, reason: 'everybody may ask for it' };
const refused: AccessVerdict = { allowed: false };

/** A backup holds every secret and the authority's key. */
function isForMasters(access: Access): boolean {
  return 'path' in access ? access.path === '/signalbox/backup' : access.verb === 'impersonate';
}

/** What tools may ask before they have credentials, as upstream. */
function isOpen(access: Access): boolean {
  return 'path' in access && /^\/(version|(healthz|livez|readyz)(\/.*)?)$/.test(access.path) && isRead(access.verb);
}

function isRead(verb: string): boolean {
  return verb === 'get' || verb === 'head';
}

function isAuthenticated(user: User): boolean {
  return user.name !== anonymous.name && user.name !== '' && !user.groups.includes(groups.unauthenticated);
}
