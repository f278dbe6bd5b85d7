import type { BoundObjectReference } from '../../api/generated/authentication-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { nodeNameOf } from '../../api/identities.ts';
import type { User } from '../../api/operation.ts';

/**
 * Why a node gets no such token, if it gets none: only for a pod that runs on it, so that who takes over a node is nobody
 * else than the pods there. Of everybody else it is not asked. The reasons are upstream's.
 */
export function nodeTokenRefusal(
  user: User,
  { ref, pod }: { readonly ref: BoundObjectReference | undefined; readonly pod: Pod | undefined },
): string | undefined {
  const node = nodeNameOf(user);
  if (node === undefined) return undefined;
  if (ref === undefined || pod === undefined) return 'node requested token not bound to a pod';
  if ((ref.uid ?? '') === '') return 'node requested token with a pod binding without a uid';
  return pod.spec.nodeName === node ? undefined : 'node requested token bound to a pod scheduled on a different node';
}
