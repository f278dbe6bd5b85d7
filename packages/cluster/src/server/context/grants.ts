import type { PolicyRule, RoleRef } from '../../api/generated/rbac-v1.ts';
import type { User } from '../../api/operation.ts';

/** What roles and their bindings say, as of the last write. */
export interface Grants {
  /** Another one after every change: what was concluded from the grants holds for as long as it is the same. */
  readonly state: object;
  /** What a user is granted for the whole cluster and, if one is named, in that namespace. */
  to(user: User, namespace: string | undefined): readonly Grant[];
  /** The rules of a role; undefined when there is none. */
  rulesOf(role: RoleRef, namespace: string | undefined): readonly PolicyRule[] | undefined;
}

/** One binding that names the user or one of the groups. */
export interface Grant {
  /** Where the binding stands; absent: it is for the whole cluster. */
  readonly namespace?: string;
  readonly binding: string;
  readonly role: RoleRef;
  /** `User "jane"`, `Group "system:authenticated"`, `ServiceAccount "robot/shop"`. */
  readonly subject: string;
  /** Undefined when there is no such role. */
  readonly rules: readonly PolicyRule[] | undefined;
}
