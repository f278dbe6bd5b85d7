import { isOfKind, type ResourceType } from '../api/gvk.ts';
import type { Key, KubeObject } from '../api/meta.ts';
import { controllerOf, keyOf } from '../api/meta.ts';
import type { User } from '../api/operation.ts';
import type { CacheEvent, Caches } from '../client/cache.ts';
import type { Action, Plan } from './plan.ts';

/**
 * A controller is what wakes it, what it sees, and what it decides. `observe` reads caches; `plan` is pure: same input,
 * same output, no clock, no cache, no client. One runner serves all controllers.
 *
 * `Memory` is for the little that the API does not hold (a back-off count): `plan` returns it, the runner hands it to the
 * next `observe` of the same key and forgets it when `observe` returns undefined.
 */
export interface Controller<Observed, Memory = undefined> {
  /** `daemonset`: names the log, and the source of events where nothing else does. */
  readonly name: string;
  /** Whose events they are, where upstream does not call it by the name and `-controller`. */
  readonly source?: string;
  /** Whom it acts as, to whom roles are bound. The default is `controllerUser` (`api/system-identities.ts`) by its name. */
  readonly user?: User;
  readonly watches: readonly Watch[];
  /** Caches that `observe` consults without being woken by them. */
  readonly reads?: readonly ResourceType[];
  /** What else wakes keys, e.g. a certificate that was renewed. Returns how to stop it. */
  wakes?(add: (key: Key) => void, caches: Caches): () => void;
  /** Undefined: there is nothing to do for this key any more. */
  observe(key: Key, caches: Caches, memory: Memory | undefined): Observed | undefined;
  plan(observed: Observed, nowMs: number): Plan<Memory>;
  /**
   * What to remember when the API refused some of the plan's actions: takes the place of the plan's memory. For those who
   * report a refusal in their object's status. Pure; without it the plan's memory stays.
   */
  remember?(memory: Memory | undefined, failures: readonly Failure[]): Memory | undefined;
}

/** An action that the API refused, and its words. */
export interface Failure {
  readonly action: Action;
  readonly message: string;
}

/** Which keys a change of one resource wakes. */
export interface Watch<T extends KubeObject = KubeObject> {
  readonly type: ResourceType<T>;
  keysOf(event: CacheEvent<T>, caches: Caches): Iterable<Key>;
}

/** Every change of the resource wakes its own key. */
export function primary<T extends KubeObject>(type: ResourceType<T>): Watch<T> {
  return { type, keysOf: ({ object }) => [keyOf(object)] };
}

/** A change of an object wakes the key of the controller that owns it, and of the one that owned it before. */
export function owned<T extends KubeObject>(type: ResourceType<T>, owner: ResourceType): Watch<T> {
  return {
    type,
    keysOf({ object, previous }) {
      const now = ownerKey(object, owner);
      const before = previous && ownerKey(previous, owner);
      if (before === undefined || before === now) return now === undefined ? nobody : [now];
      return now === undefined ? [before] : [now, before];
    },
  };
}

/** Whom most changes wake. Asked by each controller at each change, so it is one list, and made by no generator. */
export const nobody: readonly Key[] = Object.freeze([]);

/** A change wakes whatever keys `keysOf` finds. */
export function mapped<T extends KubeObject>(type: ResourceType<T>, keysOf: Watch<T>['keysOf']): Watch<T> {
  return { type, keysOf };
}

function ownerKey(object: KubeObject, owner: ResourceType): Key | undefined {
  const reference = controllerOf(object);
  if (reference === undefined || !isOfKind(reference, owner)) return undefined;
  return owner.namespaced ? `${object.metadata.namespace}/${reference.name}` : reference.name;
}
