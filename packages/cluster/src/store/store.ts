/**
 * What the rest of the system sees of the store. One sequence of revisions; every write is a compare-and-set; a write is
 * acknowledged and published only once it is durable. Values are frozen plain data; the store does not look inside.
 */
export interface Store {
  /** The newest durable revision. Never repeats, never goes back, also across restarts. */
  readonly revision: number;
  /** Everything up to here is forgotten: reads and watches from earlier revisions get `expired`. */
  readonly compactedRevision: number;
  /** Why a write would not become durable now, for health checks; undefined while all is well. Costs nothing to ask. */
  readonly failure: StoreFailure | undefined;
  /** The newest durable version. */
  get(key: string): Stored | undefined;
  list(prefix: string, options?: StoreListOptions): StoreList | Expired;
  /** How many keys a list with these options would show. Takes a look at what was created and deleted since, not at them. */
  count(prefix: string, options?: StoreCountOptions): number | Expired;
  /**
   * Settles once durable, a refusal too: `current` is what won, and it is durable. Concurrent commits share one sync.
   * Rejects with a `StoreWriteError` when the disk fails or the store is closed, and with what `make` throws.
   */
  commit(write: Write): Promise<CommitOutcome>;
  /**
   * The same for each, and what came of each, in their order: errors are those that `commit` rejects with. Those that share a
   * batch wait for it as one.
   */
  commitEach(writes: readonly Write[]): Promise<readonly (CommitOutcome | Error)[]>;
  /** Whether a put is encoded when it is committed. */
  readonly encodes: boolean;
  /**
   * Events of keys under `prefix` with a revision above `from`, in order, each once. Ends with `expired` when `from` is
   * compacted or when the reader falls more than the buffer behind; writers never wait for it. Ends without a word when
   * the signal aborts or the store closes. To be read once, by one reader; it takes part from this call on.
   */
  subscribe(options: SubscribeOptions): AsyncIterable<StoreEvent | Expired>;
  /** Forgets versions and events by age and count; called by the store's own schedule and by tests. */
  compact(revision: number): Promise<void>;
  /** Compacts, and takes from whoever still holds on to what could be read before `revision`: slow watches and lists. */
  forget(revision: number): void;
  /**
   * `letGo` is called once when what could be read at `revision` has to be forgotten; returns how to say that it is not held
   * any more. For those who keep what they have read, as a list does that is on its way to a slow client.
   */
  hold(revision: number, letGo: () => void): () => void;
  /** What the newest versions weigh, by a name made of their keys. Looks at every key. */
  weigh(groupOf: (key: string) => string): ReadonlyMap<string, Weight>;
  /** What the store keeps. */
  readonly usage: StoreUsage;
  /** Stops taking writes, waits for those under way, releases the folder. */
  close(): Promise<void>;
}

export interface StoreFailure {
  /** One line: what is wrong, where, and the mend. */
  readonly message: string;
  /** Whether only opening the store again helps. Otherwise it tries by itself, and writes come back once they can. */
  readonly permanent: boolean;
}

export interface Weight {
  readonly count: number;
  readonly bytes: number;
}

/** In bytes, as near as can be said without encoding anything. */
export interface StoreUsage {
  /** The newest versions of all keys. */
  readonly liveBytes: number;
  /** Older versions, for watches and lists of the past. */
  readonly historyBytes: number;
}

export interface Stored {
  readonly key: string;
  /** What was loaded is decoded when it is first read. */
  readonly value: object;
  /** The revision that wrote this version. */
  readonly revision: number;
  /** The revision that created the key. */
  readonly createdRevision: number;
  /** About what it takes to keep it, in bytes; not less than its value has characters. */
  readonly weightBytes: number;
}

export interface StoreCountOptions {
  /** Reads the state at this revision instead of the newest. It must have been reached: the caller waits for it first. */
  readonly at?: number;
  /** Starts after this key. */
  readonly after?: string;
}

export interface StoreListOptions extends StoreCountOptions {
  readonly limit?: number;
}

export interface StoreList {
  readonly items: readonly Stored[];
  /** The one revision of the whole answer. */
  readonly revision: number;
  /** Whether keys under the prefix follow the last item. */
  readonly more: boolean;
}

export interface Expired {
  readonly expired: true;
  readonly compactedRevision: number;
}

/**
 * Changes one key if its newest revision is still `expect`; 0 says that the key must not exist. A delete of what does not
 * exist is always refused.
 */
export interface Write {
  readonly key: string;
  readonly expect: number;
  readonly kind: 'put' | 'delete';
  /** The value, given the revision that it gets. For a delete: the last state, as watchers see it. Pure; must freeze. */
  make(revision: number): object;
  /**
   * Of a put: given how long the value's JSON is. What it throws fails the write, of which nothing is left. Asked only where
   * the backend has that JSON made anyway: {@link Store.encodes}.
   */
  admit?(jsonBytes: number): void;
  /** The outcome has the value's JSON, where the backend has it made before the write is decided. */
  readonly wantsJson?: boolean;
}

export type CommitOutcome =
  | {
      readonly ok: true;
      readonly stored: Stored;
      /** The value's JSON, where it was wanted and made. */
      readonly json?: Buffer;
    }
  | { readonly ok: false; readonly current: Stored | undefined };

export interface StoreEvent {
  readonly type: 'put' | 'delete';
  readonly key: string;
  /** For a delete: the last state with the revision of its deletion. */
  readonly stored: Stored;
  /** The version before, if there was one: what selector transitions need. */
  readonly previous: Stored | undefined;
}

export interface SubscribeOptions {
  readonly prefix: string;
  readonly from: number;
  /** Absent: it goes on until its reader returns. */
  readonly signal?: AbortSignal;
}

/** Where a store keeps its bytes. One contract suite (`conformance.ts`) holds for every backend. */
export interface Backend {
  /** Everything that was durable, in any order, and the newest revision ever given out. */
  load(): Promise<{
    readonly revision: number;
    readonly records: AsyncIterable<BackendRecord> | Iterable<BackendRecord>;
  }>;
  /**
   * Makes the batch durable as a whole; the store never has two batches under way. A `NothingWrittenError` says that
   * the batch left no trace and the next may succeed. After any other error the store asks `recover` what became of it.
   */
  write(batch: BackendBatch): Promise<void>;
  /**
   * After a write that failed: finds out which revision is the newest on the disk, and makes sure that it and everything
   * before it stays. Rejects when that cannot be done now; it is asked again. Without it a failed write is the last one.
   */
  recover?(): Promise<number>;
  /** Why what is written now would be lost, e.g. because the folder was removed; asked now and then, and cheap. */
  trouble?(): Promise<string | undefined>;
  /** Waits for what else may join the next batch; without it a batch holds what was committed in one microtask. */
  gather?(): Promise<void>;
  /** Whether it reads the records' bytes. The store then encodes in `commit`, so that a bad value fails alone. */
  readonly encodes?: boolean;
  close(): Promise<void>;
}

export interface BackendRecord {
  readonly key: string;
  readonly createdRevision: number;
  readonly revision: number;
  readonly bytes: Buffer;
}

export interface BackendBatch {
  readonly revision: number;
  readonly puts: readonly BackendRecord[];
  readonly deletes: readonly string[];
}
