import { leases } from '../../api/generated/kinds.ts';
import { isSameResource } from '../../api/gvk.ts';
import { groups, serviceAccountsOf } from '../../api/identities.ts';
import type { User } from '../../api/operation.ts';
import { controllerManager, scheduler } from '../../api/system-identities.ts';

/** Who leads must not lose the lead because others are busy, so leases and the plane's own users have shares of their own. */
export type Share = 'leader-election' | 'system' | 'ordinary';

const planeUsers: ReadonlySet<string> = new Set([controllerManager.user.name, scheduler.user.name]);
const planeGroups: ReadonlySet<string> = new Set([groups.nodes, serviceAccountsOf('kube-system')]);

/** Which share a request of this user counts against; without a resource it is for a path beside the API. */
export function shareOf(user: User, resource?: { readonly group: string; readonly resource: string }): Share {
  if (resource !== undefined && isSameResource(resource, leases)) return 'leader-election';
  const isPlane = planeUsers.has(user.name) || user.groups.some((each) => planeGroups.has(each));
  return isPlane ? 'system' : 'ordinary';
}
