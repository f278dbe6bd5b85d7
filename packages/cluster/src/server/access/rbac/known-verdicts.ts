import type { User } from '../../../api/operation.ts';
import type { Access, AccessVerdict, ResourceAccess } from '../../context/authorizer.ts';

/**
 * What is allowed in every namespace, for whoever asks again and again, as the parts of the plane do: a verdict is found by
 * user, verb and resource, and holds until roles or bindings change. What is refused, or hangs on a namespace or a name, is
 * looked at each time.
 */
const known = new WeakMap<object, WeakMap<User, Map<string, AccessVerdict>>>();

/** Of one user. Who asks about more than exist starts again with none. */
const verdictsMax = 1_000;

/** `state`: that of the grants. */
export function knownVerdict(access: Access, state: object): AccessVerdict | undefined {
  return 'path' in access ? undefined : known.get(state)?.get(access.user)?.get(question(access));
}

export function remember(verdict: AccessVerdict, access: ResourceAccess, state: object): void {
  const byUser = known.get(state) ?? new WeakMap<User, Map<string, AccessVerdict>>();
  known.set(state, byUser);
  const verdicts = byUser.get(access.user) ?? new Map<string, AccessVerdict>();
  byUser.set(access.user, verdicts);
  if (verdicts.size >= verdictsMax) verdicts.clear();
  verdicts.set(question(access), verdict);
}

/** With lengths, because who asks for a review may ask about any text: no two questions have the same. */
function question({ verb, group, resource }: ResourceAccess): string {
  return `${verb.length} ${group.length} ${verb}${group}${resource}`;
}
