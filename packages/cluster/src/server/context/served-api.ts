import type { GroupVersionResource } from '../../api/gvk.ts';
import type { KubeList, KubeObject, ListMeta } from '../../api/meta.ts';
import type {
  DismissEachOperation,
  GetOperation,
  Operation,
  Outcome,
  UpdatedEach,
  UpdateEachOperation,
  User,
  Waiting,
  WatchEvent,
  WatchOperation,
} from '../../api/operation.ts';
import type { Passed, Passing } from '../../api/passing.ts';
import type { Annotate, Auditor } from './auditor.ts';
import type { Access } from './authorizer.ts';
import type { FlowObjects } from './flow-objects.ts';
import type { ApiPlace } from './other-apis.ts';

/** Everything that the HTTP codec asks of the API server. Refusals are thrown as `StatusError`. */
export interface ServedApi {
  /**
   * Asked once for every request, before anything of it is done, documents and health included. Throws the `StatusError` of
   * a refusal; what comes back does not ask again. The verdict is noted by `annotate`.
   */
  authorize(access: Access, annotate?: Annotate): Authorized;
  /** Told of every request. Absent: nobody wants to know. */
  readonly audit?: Auditor;
  /** Whose requests come before whose. Absent: there are no such objects. */
  readonly flows?: FlowObjects;
  /**
   * A document about the API itself; undefined is a 404. The same object must come back until its content changes: its
   * bytes and its ETag are computed once per object.
   */
  document(request: DocumentRequest): object | undefined;
  /** What is to be known of the answers before anything is done. Undefined when nothing of that name is served. */
  facts(resource: GroupVersionResource, subresource?: string): ResourceFacts | undefined;
  /** How many objects of a resource are stored, in all namespaces; its versions are the same objects. */
  stored?(resource: GroupVersionResource): number;
  /** Whether requests for this group and version are for somebody else to answer; then they are passed on whole. */
  isElsewhere?(at: ApiPlace): boolean;
  /** The object or list as rows. Undefined when the resource has no columns: then the plain form is sent if acceptable. */
  table(resource: GroupVersionResource, object: KubeObject | KubeList, options: TableOptions): Table | undefined;
  /**
   * `letGo` is called once when the state at a revision has to be forgotten by who still shows it. Returns how to say that it
   * is not shown any more.
   */
  hold?(revision: number, letGo: () => void): () => void;
  /** Named checks behind `/livez`, `/readyz` and `/healthz`, in the order in which `?verbose` prints them. */
  checks(probe: 'livez' | 'readyz' | 'healthz'): readonly HealthCheck[];
}

/** What may be done for a request once its user may. */
export interface Authorized {
  perform(operation: Operation, waiting: Waiting): Promise<Outcome>;
  /** What `perform` does for each, with what they have in common done once. */
  updateEach?(operation: UpdateEachOperation, waiting: Waiting): Promise<UpdatedEach>;
  /** What a patch of the status and a deletion do for each. */
  dismissEach?(operation: DismissEachOperation, waiting: Waiting): Promise<UpdatedEach>;
  /**
   * Ends by itself after `options.timeoutMs`. A refusal is thrown before the first event, within one macrotask; the HTTP
   * answer starts right after that, so later refusals travel as an `ERROR` event.
   */
  watch(operation: WatchOperation, waiting: { readonly signal: AbortSignal }): AsyncIterable<WatchEvent>;
  /**
   * The content of a subresource that answers in plain text (`pods/log`), as it comes, once it is found. Undefined when the
   * subresource answers with an object; then `perform` is asked.
   */
  text?(operation: GetOperation, waiting: { readonly signal: AbortSignal }): Promise<AsyncIterable<string>> | undefined;
  /**
   * Hands the request for a subresource on to what it leads to, with another protocol on the connection if its client wants
   * one. Undefined when it leads nowhere: then `text` and `perform` are asked.
   */
  connect?(operation: GetOperation, passing: Passing): Promise<Passed> | undefined;
  /** Hands a whole request on to whoever answers for its group and version. */
  passElsewhere?(at: ApiPlace, passing: Passing & { readonly user: User }): Promise<Passed>;
}

export type DocumentRequest =
  | { readonly what: 'version' }
  /** `GET /`: where there is anything to read. */
  | { readonly what: 'paths' }
  /** `GET /api`: APIVersions. */
  | { readonly what: 'coreVersions' }
  /** `GET /apis`: APIGroupList. */
  | { readonly what: 'groups' }
  /** `GET /apis/<group>`: APIGroup. */
  | { readonly what: 'group'; readonly group: string }
  /** `GET /api/v1`, `GET /apis/<group>/<version>`: APIResourceList. */
  | { readonly what: 'resources'; readonly group: string; readonly version: string }
  /** `GET /api` (core) and `GET /apis` (everything else) as one APIGroupDiscoveryList. */
  | { readonly what: 'aggregated'; readonly root: 'api' | 'apis'; readonly version: 'v2' | 'v2beta1' }
  /** The OpenAPI v2 document as JSON; the codec turns it into protobuf where a client wants that. */
  | { readonly what: 'openapi2' }
  /** `GET /openapi/v3`: `{ paths: { 'apis/apps/v1': { serverRelativeURL } } }`. */
  | { readonly what: 'openapi3Index' }
  /** `GET /openapi/v3/<path>`, e.g. `api/v1`, `apis/apps/v1`. */
  | { readonly what: 'openapi3'; readonly path: string };

export interface ResourceFacts {
  /** Items of lists of custom resources say their kind and version, those of built-in kinds leave it to the list. */
  readonly custom: boolean;
  /** Whether anything of it can be shown as rows; what is only a question cannot. */
  readonly hasTables: boolean;
  /** The answer is a stream of text. */
  readonly isText: boolean;
  /** The connection becomes something else. */
  readonly isConnection: boolean;
}

export interface TableOptions {
  readonly version: 'v1' | 'v1beta1';
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  /** The object is a bookmark: a version, and nothing to fill cells with. */
  readonly isBookmark?: boolean;
}

/** meta.k8s.io Table. */
export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly object[];
  readonly rows: readonly object[];
}

export interface HealthCheck {
  readonly name: string;
  /** Why it fails; absent when all is well. */
  readonly failure?: string;
}
