import type { GroupVersionKind, GroupVersionResource, ResourceType } from '../api/gvk.ts';
import type { FieldPath, Issue } from '../api/issue.ts';
import type { KubeObject } from '../api/meta.ts';
import type { DeleteOptions } from '../api/operation.ts';
import { assert } from '../base/assert.ts';

/**
 * Everything that is particular about one kind, as one frozen value. All members are pure. The server supplies the rest:
 * metadata, generation, optimistic concurrency, schema validation, storage.
 */
export interface ResourceDefinition<T extends KubeObject = KubeObject> extends ResourceType<T> {
  /** As what an invalid object is refused, where that is another face of it. */
  readonly refusedAs?: Pick<GroupVersionKind, 'group' | 'kind'>;
  /** Lower-case kind unless the kind says otherwise. */
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Name of the definition in the generated schema facts (`io.k8s.api.apps.v1.DaemonSet`), or a structural schema. */
  readonly schema: string | Readonly<Record<string, unknown>>;
  /** Whether status has its own door: then `update` leaves it alone, and `/status` leaves everything else alone. */
  readonly hasStatus: boolean;
  /** What a write to `/status` leaves alone besides all that is no status: some kinds take metadata there, others not. */
  readonly statusKeeps?: 'metadata' | 'labels' | 'ownerReferences';
  readonly subresources: readonly Subresource<T>[];
  /** Subresources that Kubernetes has and this server cannot serve, each with the reason that clients are told. */
  readonly refusedSubresources: Readonly<Record<string, string>>;
  /** Subresources that turn the connection into something else and last as long as it; older clients start them with a POST. */
  readonly connections: readonly string[];
  readonly traits: Traits;
  /**
   * Extra printer columns. The server puts `Name` in front and `Age` behind the last column of priority 0 (see
   * {@link Column}), unless {@link columnsComplete} says that this is the whole table.
   */
  readonly columns: readonly Column<T>[];
  readonly columnsComplete?: boolean;
  /** Set when objects are kept as another group or version of the same thing. Absent: kept as they come. */
  readonly storedAs?: StoredAs<T>;
  /** The version in which objects of all versions are kept, where this is one of several that differ by a conversion. */
  readonly storageVersion?: string;
  /** The time in its spec that whoever holds an object writes again and again, and says nothing else by it. */
  readonly signOfLife?: string;
  /**
   * Set where others say conditions of its status, one at a time, by patches that go a shorter way: the texts of the status that
   * may be said beside one. Nothing of the status may depend on its conditions then, but what `defaultsByStatus` and
   * `validateStatusUpdate` say.
   */
  readonly says?: readonly string[];
  /** Fields that a field selector may name besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly SelectableField<T>[];

  /** Why an object cannot be read although its fields fit (400): what upstream's conversion stumbles over. */
  unreadable?(object: T): string | undefined;
  /** Fills in what the user left out. Idempotent. Runs on create, update and patch, before validation. */
  defaults?(object: T): T;
  /** Fills in what a status leaves out, by whichever door it comes. */
  defaultStatus?(status: NonNullable<unknown>): unknown;
  /** What is filled in also by the door of the status, which may take it away: of `defaults`, or of what was there. */
  defaultsByStatus?(object: T, current: T): T;
  /** Last touch before a create is stored: resets status, allocates nothing. */
  prepareForCreate?(object: T, now: { readonly nowMs: number }): T;
  /** What follows from what it says once the rules of admission have completed it. */
  concludeNew?(object: T): T;
  /** Carries over what the user may not change silently. */
  prepareForUpdate?(next: T, current: T): T;
  validate?(object: T, at: FieldPath): Iterable<Issue>;
  /** What holds for new objects besides, or in place of {@link validate} where an update is judged by what it changes. */
  validateCreate?(object: T, at: FieldPath): Iterable<Issue>;
  validateUpdate?(next: T, current: T, at: FieldPath): Iterable<Issue>;
  validateStatusUpdate?(next: T, current: T, at: FieldPath): Iterable<Issue>;
  /** How `metadata.name` is checked. The default is a DNS subdomain (RFC 1123). */
  validateName?(name: string, at: FieldPath): Iterable<Issue>;
  /** Things that are allowed but unwise; shown to the user as warnings. `current` is what a change was made from. */
  warnings?(object: T, current?: T): Iterable<string>;
  /** The same of a deletion, whatever it is that goes. */
  deleteWarnings?(options: DeleteOptions): Iterable<string>;
  /** The same of new objects alone. */
  warningsOfNew?(object: T): Iterable<string>;
  /** What the first delete of an object adds to it, e.g. a finalizer for what has to end before it. */
  prepareForDelete?(object: T, now: { readonly nowMs: number }): T;
  /** Seconds between a delete and the object's end when the request names none; 0 removes it at once. Pods only. */
  gracePeriodSeconds?(object: T): number;
}

export type ApiVerb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/**
 * How Kubernetes 1.34 treats a resource beyond what its fields say: facts of its storage strategies that clients can
 * observe. The server asks these, never for a kind by its name: another group may use the same one.
 */
export interface Traits {
  /** `metadata.generation` counts changes of the desired state. */
  readonly counted: boolean;
  /** The generation is 1, whatever changes. */
  readonly countedOnce: boolean;
  /** Annotations belong to the desired state: rollbacks read a Deployment's. */
  readonly countsAnnotations: boolean;
  /** Labels belong to it. */
  readonly countsLabels: boolean;
  /** An update without a resourceVersion is taken as "whatever stands there now". */
  readonly updatesUnconditionally: boolean;
  /** An update of a missing object creates it. */
  readonly createsOnUpdate: boolean;
  /** A delete answers with the last state of the object, not with a Status. */
  readonly returnsDeleted: boolean;
  /** Dependents outlive the object when the request names no propagation policy. */
  readonly orphansByDefault: boolean;
  /** Deletions follow propagation policies. Events own nothing and ignore them. */
  readonly isCollected: boolean;
  /** `spec.finalizers` keeps a deleted object until the content in it is gone. */
  readonly heldBySpec: boolean;
  /** Finalizers must be qualified (`example.com/name`), as upstream's own API server has it for its own kinds. */
  readonly qualifiesFinalizers: boolean;
  /** Who sends no name leaves it to the server. */
  readonly namesItself: boolean;
  /** A name that begins with `generateName` is made up to its end; where it is not, that is the name. */
  readonly endsNames: boolean;
  /** The first deletion marks the object, and asks for nothing else: what it has made is cleaned up before. */
  readonly marksFirst: boolean;
  /** The kind is a question: the answer comes back, nothing is kept. */
  readonly isQuestion: boolean;
  /** Creating one is an older way to come in by another resource's door, for the object that it names. */
  readonly standsFor?: { readonly resource: GroupVersionResource; readonly subresource: string };
  /** Its time is over: whoever reads the audit log finds those who still ask for it. */
  readonly deprecated: boolean;
  readonly verbs: readonly ApiVerb[];
}

export const storedVerbs: readonly ApiVerb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

const usualTraits: Traits = Object.freeze({
  counted: false,
  countedOnce: false,
  countsAnnotations: false,
  countsLabels: false,
  updatesUnconditionally: true,
  createsOnUpdate: false,
  returnsDeleted: false,
  orphansByDefault: false,
  isCollected: true,
  heldBySpec: false,
  qualifiesFinalizers: true,
  namesItself: false,
  endsNames: true,
  marksFirst: false,
  isQuestion: false,
  deprecated: false,
  verbs: storedVerbs,
});

/** Another face of a stored object: `events.k8s.io/v1` events, the versions of a custom resource that are not stored. */
export interface StoredAs<T extends KubeObject = KubeObject> {
  /** Where the objects are kept: the resource whose definition owns storage, revisions and watches. */
  readonly resource: GroupVersionResource;
  toStored(object: T): KubeObject;
  fromStored(stored: KubeObject): T;
}

/** A narrower door to the same stored object: `/scale`, `/binding`. (Definitions list none for `/status`: see `hasStatus`.) */
export interface Subresource<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly verbs: readonly ('get' | 'create' | 'update' | 'patch')[];
  /** What goes over the wire, e.g. `autoscaling/v1 Scale`. */
  readonly kind: GroupVersionKind;
  /** What a body is held to before it comes in, as that of a whole object is. Required where anything comes in. */
  readonly schema?: ResourceDefinition['schema'];
  /**
   * What `write` returns is kept as it is: no defaults, no admission, no validation of the whole object, and its generation
   * stands. For doors that change what nobody else may change, as upstream's own do: `write` alone judges.
   */
  readonly keepsAsWritten?: true;
  /**
   * What the server does behind this door beyond reading and writing the object: deletes it within disruption budgets,
   * streams its log from the node, checks that nothing is left in it, takes its status alone, or issues a token for it.
   * Absent for most.
   */
  readonly does?: 'evict' | 'log' | 'finalize' | 'status' | 'issue';
  /** The object as this door shows it. Required for `get`, `update` and `patch`. */
  read?(object: T): KubeObject;
  /** How {@link read}'s object prints where it is of another kind, as the columns of a resource do; by default its name and age. */
  readonly columns?: readonly Column[];
  readonly columnsComplete?: boolean;
  /** Why the object cannot be read through this door (500), although it can be written. */
  unreadable?(object: T): string | undefined;
  /**
   * The object after `body` came in through this door. Refuse by throwing a `StatusError`. `now` dates what the write
   * leaves behind, e.g. conditions.
   */
  write?(object: T, body: KubeObject, now?: { readonly nowMs: number }): T;
  /** What holds of a change by this door in place of what its kind says of updates. */
  validateUpdate?(next: T, current: T, at: FieldPath): Iterable<Issue>;
  /** What whoever changes the object in this way has to be allowed besides the door itself. Undefined: nothing else. */
  needs?(change: { readonly next: T; readonly current: T }): Further | undefined;
}

/** A permission that follows from what an object says: `approve` for the signer that a request names. */
export interface Further {
  readonly access: { readonly verb: string; readonly group: string; readonly resource: string };
  /** To be allowed for one of them is enough. */
  readonly names: readonly string[];
  /** What is called forbidden without: the resource of the object. */
  readonly resource: string;
  /** Why. */
  readonly refusal: string;
}

/** The door that {@link ResourceDefinition.hasStatus} opens: all of the object is shown, its status alone is taken. */
export function statusSubresource({ group, version, kind, schema }: ResourceDefinition): Subresource {
  return {
    name: 'status',
    verbs: ['get', 'update', 'patch'],
    kind: { group, version, kind },
    schema,
    does: 'status',
    read: (object) => object,
  };
}

/** One column of `kubectl get`. A priority above 0 shows with `-o wide` only. */
export interface Column<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly priority?: number;
  readonly description?: string;
  /** `nowMs` is for ages. */
  of(object: T, nowMs: number): string | number | bigint | boolean;
}

export interface SelectableField<T extends KubeObject = KubeObject> {
  readonly path: string;
  of(object: T): string;
}

type Given =
  | 'singular'
  | 'shortNames'
  | 'categories'
  | 'hasStatus'
  | 'subresources'
  | 'refusedSubresources'
  | 'connections'
  | 'columns'
  | 'selectableFields';

export type ResourceOptions<T extends KubeObject> = Omit<ResourceDefinition<T>, Given | 'traits' | keyof ResourceType> &
  Partial<Pick<ResourceDefinition<T>, Given>> & {
    /** Where the resource differs from most. */
    readonly traits?: Partial<Traits>;
  };

/** Completes a definition: `defineResource(daemonsets, { schema: 'io.k8s.api.apps.v1.DaemonSet', hasStatus: true, … })`. */
export function defineResource<T extends KubeObject>(
  type: ResourceType<T>,
  options: ResourceOptions<T>,
): ResourceDefinition<T> {
  for (const door of options.subresources ?? []) checkDoor(type, door);
  return Object.freeze({
    singular: type.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    hasStatus: false,
    subresources: [],
    refusedSubresources: {},
    connections: [],
    columns: [],
    selectableFields: [],
    ...type,
    ...options,
    traits: Object.freeze({ ...usualTraits, ...options.traits }),
  });
}

/** Whoever defines a kind of their own learns here what is missing, not from a client's request. */
function checkDoor({ kind }: ResourceType, { name, verbs, does, read, write, schema }: Subresource): void {
  const facts = { kind, subresource: name };
  const shows = does !== 'log' && verbs.some((verb) => verb !== 'create');
  const answers = does === 'evict' || does === 'issue';
  const takes = !answers && verbs.some((verb) => verb !== 'get');
  assert(!shows || read !== undefined, 'a subresource that shows something has `read`', facts);
  assert(!takes || write !== undefined, 'a subresource that takes something has `write`', facts);
  assert(!(takes || answers) || schema !== undefined, 'what a subresource takes has a `schema`', facts);
}
