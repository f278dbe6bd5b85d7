import type { Pod } from '../../api/generated/core-v1.ts';
import type { User } from '../../api/operation.ts';
import type { FieldRequirement } from '../../api/selector/selector.ts';
import type { Store } from '../../store/store.ts';
import type { Grants } from './grants.ts';
import type { Registry } from './registry.ts';

/**
 * Who may what. Asked once per request, whichever way it came in, before anything else is looked at; and by those who ask
 * what somebody may (SubjectAccessReview and its like). It answers at once, from what the store holds.
 */
export interface Authorizer {
  readonly name: string;
  authorize(access: Access, world: AuthorizerWorld): AccessVerdict;
  /** All that a user may do in a namespace, as SelfSubjectRulesReview shows it. */
  rulesFor(subject: { readonly user: User; readonly namespace: string }, world: AuthorizerWorld): SubjectRules;
}

/** What an authorizer may look at. The server's context is one. */
export interface AuthorizerWorld {
  readonly store: Pick<Store, 'get' | 'list' | 'revision'>;
  readonly registry: Registry;
  /** What roles and their bindings give, kept up by every write. */
  readonly grants: Grants;
  /** The pods that are bound to a node. */
  podsOf(node: string): Iterable<Pod>;
}

/** One question: may this user do this? */
export type Access = ResourceAccess | PathAccess;

export interface ResourceAccess {
  readonly user: User;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, `impersonate`. */
  readonly verb: string;
  readonly group: string;
  /** With the subresource, if any: `pods/log`. */
  readonly resource: string;
  /** Absent for cluster-scoped resources and for all namespaces at once. One Namespace is within itself. */
  readonly namespace?: string;
  /** Absent for a create, and for lists and watches that do not choose one name. */
  readonly name?: string;
  /** What a list, a watch or a deletecollection chooses by. Absent where nothing is chosen, or the selector is none. */
  readonly fields?: readonly FieldRequirement[];
}

export interface PathAccess {
  readonly user: User;
  /** The HTTP method in lower case. */
  readonly verb: string;
  /** Decoded, without a slash at its end: `/livez/ping`. */
  readonly path: string;
}

/** The server says who cannot do what; a reason of a refusal says why, where there is more to say. */
export type AccessVerdict =
  | { readonly allowed: true; readonly reason: string }
  | { readonly allowed: false; readonly reason?: string };

/** As the status of a SelfSubjectRulesReview has it. */
export interface SubjectRules {
  readonly incomplete: boolean;
  /** Why it is incomplete. */
  readonly evaluationError?: string;
  readonly resourceRules: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly nonResourceRules: readonly {
    readonly verbs: readonly string[];
    readonly nonResourceURLs: readonly string[];
  }[];
}
