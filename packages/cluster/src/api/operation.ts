import type { GroupVersionResource } from './gvk.ts';
import type { KubeList, KubeObject } from './meta.ts';
import type { Status } from './status.ts';

/**
 * The waist of the system: one request to the API, free of any wire format. HTTP is a codec around it; in-process
 * clients build it directly. Objects inside are plain data; the server freezes what it keeps.
 */
export type Operation =
  | GetOperation
  | ListOperation
  | CreateOperation
  | UpdateOperation
  | PatchOperation
  | DeleteOperation
  | DeleteCollectionOperation;

interface Target {
  readonly resource: GroupVersionResource;
  /** Absent for cluster-scoped resources and for lists across all namespaces. */
  readonly namespace?: string;
  readonly user: User;
  /** The program that asks, by the name that it gives itself. In-process components give none. */
  readonly agent?: string;
  /** Takes what is to be noted of the request in the audit log. Absent where nobody writes one. */
  readonly annotate?: (key: string, value: string) => void;
}

interface NamedTarget extends Target {
  readonly name: string;
  /** `status`, `scale`, `binding`, `eviction`, `log`, … */
  readonly subresource?: string;
}

/** Who asks. In-process components go by the names of their Kubernetes counterparts. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  /** Tells them from others who had the same name before; a service account has one. */
  readonly uid?: string;
  /** What else is known of them: the pod whose token they showed. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface GetOperation extends NamedTarget {
  readonly verb: 'get';
  readonly resourceVersion?: string;
  /** Query options that only a subresource understands, e.g. `container`, `tailLines` of `log`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** What stands behind the subresource `proxy`, as in a path: `/metrics`. The answer is that of whatever is there. */
  readonly below?: string;
}

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
}

export interface ListOperation extends Target {
  readonly verb: 'list';
  readonly options: ListOptions;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** What happens to unknown and duplicate fields. The default is `Warn`, as upstream since 1.25. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

/** What a client sends. */
interface Sent {
  readonly body: unknown;
  /** What was wrong with its text and does not show in the body any more: `duplicate field "spec.a"`. */
  readonly flaws?: readonly string[];
  /** It came as text, which says of what kind it is. */
  readonly wasText?: boolean;
}

export interface CreateOperation extends Target, Sent {
  readonly verb: 'create';
  /** Set with a subresource (`binding`, `eviction`), and for creation by PUT or apply. */
  readonly name?: string;
  readonly subresource?: string;
  readonly options: WriteOptions;
}

export interface UpdateOperation extends NamedTarget, Sent {
  readonly verb: 'update';
  readonly options: WriteOptions;
}

/** The same update of several objects of one resource by one user, each for itself. */
export interface UpdateEachOperation extends Omit<Target, 'namespace' | 'annotate'> {
  readonly objects: readonly KubeObject[];
  readonly options: WriteOptions;
}

/** The end of several objects of one resource, each for itself, with a condition of its status that says why. */
export interface DismissEachOperation extends Omit<Target, 'namespace' | 'annotate'> {
  readonly dismissals: readonly Dismissal[];
}

export interface Dismissal {
  readonly namespace?: string;
  readonly name: string;
  /** Another one of that name is not meant. */
  readonly uid: string;
  /** As a strategic merge patch says it. */
  readonly condition: object;
}

/** What came of each, in their order: what it was written as, or why it was not. */
export type UpdatedEach = readonly (KubeObject | Error)[];

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface PatchOperation extends NamedTarget, Sent {
  readonly verb: 'patch';
  readonly patchType: PatchType;
  readonly options: WriteOptions & { readonly force?: boolean };
}

export interface DeleteOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface DeleteOperation extends NamedTarget {
  readonly verb: 'delete';
  readonly options: DeleteOptions;
}

export interface DeleteCollectionOperation extends Target {
  readonly verb: 'deletecollection';
  readonly options: DeleteOptions;
  readonly list: ListOptions;
}

/** A watch is no Operation: its answer is a stream. */
export interface WatchOperation extends Target {
  readonly options: ListOptions & {
    readonly allowWatchBookmarks?: boolean;
    /** Nobody has to be shown that the other side lives: of the bookmarks only the one shortly before the end. Does not go over the wire. */
    readonly onlyLastBookmark?: boolean;
    readonly sendInitialEvents?: boolean;
    readonly timeoutMs?: number;
  };
}

/** How an answer is waited for. */
export interface Waiting {
  /** Every wait ends when this aborts, by rejecting with its reason. */
  readonly signal: AbortSignal;
  /** Of a write: its answer is sent as JSON, so what was made of it for the disk is of use. */
  readonly wantsJson?: boolean;
  /** Of a list: told where it goes on before its objects are read, so that the next page is on its way meanwhile. Not every transport tells. */
  readonly goesOn?: (token: string) => void;
  /** Called in the moment in which the request leaves this process, behind all waiting for credentials and for a connection; what it throws is what comes of it. Not every transport has such a moment. */
  readonly leaves?: () => void;
}

/** What the API answers when it does not refuse; refusals are thrown as `StatusError`. */
export interface Outcome<T extends KubeObject | KubeList | Status = KubeObject | KubeList | Status> {
  /** 200, 201 or 202. */
  readonly code: number;
  /** Frozen, shared with the store's caches. */
  readonly object: T;
  /** Shown to the user as `Warning:` headers. */
  readonly warnings: readonly string[];
  /** What was made of the object for the disk, so that it need not be made again to show it. */
  readonly encoded?: Encoded;
}

export interface Encoded {
  /** Whoever shows another object in its place has no use for it. */
  readonly object: object;
  readonly json: Buffer;
}

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: Status };
