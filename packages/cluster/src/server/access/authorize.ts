import type { User } from '../../api/operation.ts';

export type Access = ResourceAccess | { readonly verb: string; readonly path: string };

export interface ResourceAccess {
  readonly verb: string;
  readonly group: string;
  /** With the subresource, if any: `pods/log`. */
  readonly resource: string;
  readonly namespace?: string;
}

export type AccessVerdict =
  | { readonly allowed: true; readonly reason: string }
  | { readonly allowed: false; readonly reason: string };

const allowed: AccessVerdict = { allowed: true, reason: 'every authenticated user may do everything' };

/** Everybody who proved who they are may do everything; nobody else may do anything but ask for health. */
export function authorize(user: User, access: Access): AccessVerdict {
  if (isAuthenticated(user)) return allowed;
  if ('path' in access && openPaths.has(access.path)) return allowed;
  return { allowed: false, reason: refusal(user, access) };
}

const openPaths = new Set(['/healthz', '/livez', '/readyz', '/version']);

export function isAuthenticated(user: User): boolean {
  return user.name !== 'system:anonymous' && user.name !== '' && !user.groups.includes('system:unauthenticated');
}

function refusal(user: User, access: Access): string {
  if ('path' in access) return `User "${user.name}" cannot ${access.verb} path "${access.path}"`;
  const where = access.namespace === undefined ? 'at the cluster scope' : `in the namespace "${access.namespace}"`;
  return `User "${user.name}" cannot ${access.verb} resource "${access.resource}" in API group "${access.group}" ${where}`;
}
