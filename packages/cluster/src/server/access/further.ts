import { parseApiVersion } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { User } from '../../api/operation.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import type { Further } from '../../resources/resource.ts';
import type { Judging } from './authorize.ts';

/** Refuses with 403 who is not allowed what a door to an object asks for besides itself. */
export function checkFurther(
  world: Judging,
  { access, names, resource, refusal }: Further,
  { user, object }: { readonly user: User; readonly object: KubeObject },
): void {
  const isAllowed = names.some((name) => world.authorizer.authorize({ user, ...access, name }, world).allowed);
  if (isAllowed) return;
  const { group } = parseApiVersion(object.apiVersion);
  throw new StatusError(forbidden({ group, resource }, object.metadata.name, refusal));
}
