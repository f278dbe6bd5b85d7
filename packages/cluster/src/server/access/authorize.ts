import { failure, forbidden, type Status, StatusError } from '../../api/status.ts';
import type { Annotate } from '../context/auditor.ts';
import type { Access, Authorizer, AuthorizerWorld } from '../context/authorizer.ts';

/** The server's context, as far as it matters here. */
export interface Judging extends AuthorizerWorld {
  readonly authorizer: Authorizer;
}

/** The one door: every request passes it once, whichever way it came in. Throws a 403 that says who cannot do what. */
export function authorize(world: Judging, access: Access, annotate?: Annotate): void {
  const verdict = world.authorizer.authorize(access, world);
  if (annotate !== undefined) {
    annotate('authorization.k8s.io/decision', verdict.allowed ? 'allow' : 'forbid');
    annotate('authorization.k8s.io/reason', verdict.reason ?? '');
  }
  if (!verdict.allowed) throw new StatusError(refusal(access, refusalReason(access, verdict)));
}

/** Clients and people read this sentence; it is upstream's. */
function refusalReason(access: Access, { reason = '' }: { readonly reason?: string }): string {
  const { user, verb } = access;
  const more = reason === '' ? '' : `: ${reason}`;
  if ('path' in access) return `User "${user.name}" cannot ${verb} path "${access.path}"${more}`;
  const { resource, group, namespace } = access;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return `User "${user.name}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}${more}`;
}

function refusal(access: Access, reason: string): Status {
  if ('path' in access) return failure(403, 'Forbidden', `forbidden: ${reason}`);
  // It is about the object, whichever part of it was asked for.
  const [resource = ''] = access.resource.split('/', 1);
  return forbidden({ group: access.group, resource }, access.name ?? '', reason);
}
