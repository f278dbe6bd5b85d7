import type { User } from '../../../api/operation.ts';
import type { Access, AccessVerdict, ResourceAccess } from '../../context/authorizer.ts';

/**
 * What is allowed in every namespace, for whoever asks again and again, as the parts of the plane do: a verdict is found by
 * user, verb and resource, and holds until roles or bindings change. What is refused, or hangs on a namespace or a name, is
 * looked at each time.
 */
const known = new WeakMap<object, WeakMap<User, Verdicts>>();

/** Of one user. Who asks about more than exist starts again with none. */
const verdictsMax = 1_000;

/** `state`: that of the grants. */
export function knownVerdict(access: Access, state: object): AccessVerdict | undefined {
  return 'path' in access ? undefined : known.get(state)?.get(access.user)?.get(access);
}

export function remember(verdict: AccessVerdict, access: ResourceAccess, state: object): void {
  const byUser = known.get(state) ?? new WeakMap<User, Verdicts>();
  known.set(state, byUser);
  const verdicts = byUser.get(access.user) ?? new Verdicts();
  byUser.set(access.user, verdicts);
  verdicts.set(access, verdict);
}

/** By each word of the question: to make one text of them at each write costs more than to look thrice. */
class Verdicts {
  readonly #known = new Map<string, Map<string, Map<string, AccessVerdict>>>();
  #count = 0;

  get({ verb, group, resource }: ResourceAccess): AccessVerdict | undefined {
    return this.#known.get(verb)?.get(group)?.get(resource);
  }

  set({ verb, group, resource }: ResourceAccess, verdict: AccessVerdict): void {
    if (this.#count >= verdictsMax) {
      this.#known.clear();
      this.#count = 0;
    }
    this.#count += 1;
    const byGroup = this.#known.get(verb) ?? new Map<string, Map<string, AccessVerdict>>();
    this.#known.set(verb, byGroup);
    const byResource = byGroup.get(group) ?? new Map<string, AccessVerdict>();
    byGroup.set(group, byResource);
    byResource.set(resource, verdict);
  }
}
