import type { KubeObject } from '../../api/meta.ts';
import type { GetOperation } from '../../api/operation.ts';
import type { Passed, Passing } from '../../api/passing.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Store, Stored } from '../../store/store.ts';
import type { AdmissionPlugin } from './admission.ts';
import type { Authorizer, AuthorizerWorld } from './authorizer.ts';
import type { LoadExpressions } from './load-expressions.ts';
import type { MemoryGate } from './memory-gate.ts';
import type { OtherApis } from './other-apis.ts';
import type { Quotas } from './quotas.ts';
import type { Registry } from './registry.ts';
import type { Reviewer } from './reviewer.ts';
import type { AuthenticateToken, TokenSigner } from './tokens.ts';
import type { ResourceView } from './views.ts';
import type { ObjectWrite } from './write-request.ts';

/** What the stages of the pipeline share. One per server. */
export interface ServerContext extends AuthorizerWorld {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  /** How long others are waited for, and wait: a clock that stands still must not hold up a client. */
  readonly outsideClock: Clock;
  readonly random: Random;
  readonly limits: Limits;
  readonly memory: MemoryGate;
  readonly authorizer: Authorizer;
  readonly admission: readonly AdmissionPlugin[];
  readonly loadExpressions: LoadExpressions;
  /** Asked about writes, one after the other where they change something, in this order. */
  readonly reviewers: readonly Reviewer[];
  /** Told after a write is durable and before its answer goes out. */
  readonly listeners: readonly WriteListener[];
  readonly quotas: Quotas;
  /** Creates that are under way, by namespace: a namespace may not end while there are any. */
  readonly creating: Map<string, number>;
  /** By the id of the resource. */
  readonly views: ReadonlyMap<string, ResourceView>;
  readonly others: OtherApis;
  readonly tokenSigner: TokenSigner;
  /** For TokenReview. */
  readonly authenticateToken: AuthenticateToken;
  readonly nodeLogs?: NodeLogs;
  readonly nodeDoors?: NodeDoors;
}

export interface Limits {
  /** Size of one object as JSON, in bytes. etcd takes 1.5 MiB. */
  readonly objectBytesMax: number;
  /** How long a read waits for a resourceVersion that the store has not reached. */
  readonly freshWaitMs: number;
  /** A watch without `timeoutSeconds` ends after this time, up to twice as long. */
  readonly watchMs: number;
  readonly bookmarkMs: number;
  /** How long a reviewer may take about one write. */
  readonly reviewMs: number;
  /** How long events (kind Event) are kept. */
  readonly eventMs: number;
  /** What all of them may weigh: beyond that the oldest go before their time, warnings last. */
  readonly eventBytesMax: number;
}

export const defaultLimits: Limits = {
  objectBytesMax: 1.5 * 1024 * 1024,
  freshWaitMs: 3_000,
  watchMs: 30 * 60_000,
  bookmarkMs: 60_000,
  reviewMs: 30_000,
  eventMs: 60 * 60_000,
  eventBytesMax: 64 * 1024 * 1024,
};

export interface WriteListener {
  put?(stored: Stored, write: ObjectWrite): void;
  removed?(stored: Stored, write: ObjectWrite): void;
}

/** Where `pods/log` comes from: the node that the pod is on. */
export type NodeLogs = (
  request: LogRequest,
  waiting: { readonly signal: AbortSignal },
) => Promise<AsyncIterable<string>>;

/** Hands a request to the kubelet of a node. Throws the `StatusError` of a node that nobody answers for. */
export type NodeDoors = (to: NodeRequest, passing: Passing) => Promise<Passed>;

export interface NodeRequest {
  readonly node: string;
  /** With its query: `/exec/default/web/main?command=ls`. */
  readonly path: string;
  /** What is asked for, as clients call it: `pods/exec`, `nodes/proxy`. */
  readonly what: string;
  /** What is told besides the client's own headers: who asks. */
  readonly adds?: Readonly<Record<string, string | readonly string[]>>;
}

export interface LogRequest {
  readonly pod: KubeObject;
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  /** Epoch. */
  readonly sinceMs?: number;
  readonly limitBytes?: number;
  readonly operation: GetOperation;
}
