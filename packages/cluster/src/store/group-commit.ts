import { assert } from '../base/assert.ts';
import { keyBytesMax, NothingWrittenError, StoreWriteError } from './backend.ts';
import type { Backend, BackendBatch, CommitOutcome, StoreFailure, Write } from './store.ts';
import { Version } from './version.ts';

/**
 * Turns concurrent commits into batches, one under way at a time. A commit is decided at once, against the newest version
 * of its key whether that is durable or still on its way, and gets its revision at once; what it says to its caller waits for
 * the batch. So a refusal, too, waits for the batch that carries the write that won.
 */
export interface GroupCommit {
  /** Why the last batch failed, until one succeeds. */
  readonly failure: StoreFailure | undefined;
  commit(write: Write): Promise<CommitOutcome>;
  /** Takes no more writes; settles when none is under way. */
  close(): Promise<void>;
}

export interface GroupCommitOptions {
  readonly backend: Pick<Backend, 'write' | 'gather' | 'encodes'>;
  /** What is durable. A deletion counts as absent. */
  readonly durable: { readonly revision: number; get(key: string): Version | undefined };
  /** Called with every batch once it is durable, before its commits settle. */
  applied(versions: readonly Version[]): void;
  /** Writes in one batch. */
  readonly batchMax?: number;
}

interface Batch {
  readonly versions: Version[];
  readonly commits: Commit[];
}

interface Commit {
  /** Once the batch is durable. */
  settle(): void;
  reject(reason: unknown): void;
}

/** The newest version of a key that is not durable yet, and the batch that makes it so. */
interface Head {
  readonly version: Version;
  readonly batch: Batch;
}

export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  return new Committer(options);
}

class Committer implements GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #batchMax: number;
  readonly #heads = new Map<string, Head>();
  readonly #queue: Batch[] = [];
  #revision: number;
  #running: Promise<void> | undefined;
  #refusal: StoreWriteError | undefined;
  #failure: StoreWriteError | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#batchMax = options.batchMax ?? 1000;
    this.#revision = options.durable.revision;
  }

  get failure(): StoreFailure | undefined {
    return this.#failure;
  }

  async commit(write: Write): Promise<CommitOutcome> {
    if (this.#refusal !== undefined) throw this.#refusal;
    assertKey(write.key);
    const head = this.#heads.get(write.key);
    const newest = head?.version ?? this.#options.durable.get(write.key);
    const current = newest?.deleted ? undefined : newest;
    if (write.expect !== (current?.revision ?? 0) || (write.kind === 'delete' && current === undefined)) {
      return head === undefined ? this.#refuse(write.key) : this.#join(head.batch, () => this.#refuse(write.key));
    }
    const version = this.#version(write, current);
    const batch = this.#batch();
    this.#revision = version.revision;
    this.#heads.set(write.key, { version, batch });
    batch.versions.push(version);
    this.#running ??= this.#run();
    return this.#join(batch, () => ({ ok: true, stored: version }));
  }

  async close(): Promise<void> {
    this.#refusal ??= new StoreWriteError('the store is closed', { permanent: true });
    await this.#running;
  }

  #version({ key, kind, make }: Write, current: Version | undefined): Version {
    const revision = this.#revision + 1;
    const value = make(revision);
    assert(Object.isFrozen(value), 'a stored value is frozen', { key, revision });
    const createdRevision = current?.createdRevision ?? revision;
    const version = new Version({ key, value, revision, createdRevision, deleted: kind === 'delete' });
    if (this.#options.backend.encodes && kind === 'put') version.hold();
    return version;
  }

  #refuse(key: string): CommitOutcome {
    return { ok: false, current: this.#options.durable.get(key) };
  }

  #join(batch: Batch, outcome: () => CommitOutcome): Promise<CommitOutcome> {
    return new Promise((resolve, reject) => {
      batch.commits.push({ settle: () => resolve(outcome()), reject });
    });
  }

  #batch(): Batch {
    const last = this.#queue.at(-1);
    if (last !== undefined && last.versions.length < this.#batchMax) return last;
    const batch: Batch = { versions: [], commits: [] };
    this.#queue.push(batch);
    return batch;
  }

  async #run(): Promise<void> {
    const { backend, applied } = this.#options;
    while (this.#queue.length > 0) {
      await backend.gather?.();
      const batch = this.#queue.shift();
      if (batch === undefined) break;
      try {
        await backend.write(toBackendBatch(batch.versions));
        for (const version of batch.versions) version.release();
        applied(batch.versions);
        this.#failure = undefined;
      } catch (error) {
        this.#fail(batch, error);
        continue;
      }
      for (const { key, revision } of batch.versions) {
        if (this.#heads.get(key)?.version.revision === revision) this.#heads.delete(key);
      }
      for (const commit of batch.commits) commit.settle();
    }
    this.#running = undefined;
  }

  /** What is queued behind a failed batch was decided on it and goes with it. */
  #fail(batch: Batch, cause: unknown): void {
    const permanent = !(cause instanceof NothingWrittenError);
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = permanent
      ? `the store takes no more writes until it is opened again: ${reason}`
      : `nothing was written: ${reason}`;
    const error = new StoreWriteError(message, { permanent, cause });
    this.#failure = error;
    if (permanent) this.#refusal = error;
    this.#revision = this.#options.durable.revision;
    this.#heads.clear();
    for (const { commits } of [batch, ...this.#queue.splice(0)]) for (const commit of commits) commit.reject(error);
  }
}

function assertKey(key: string): void {
  // A UTF-16 unit is at most three bytes of UTF-8, so most keys need no counting.
  const fits = key.length > 0 && (key.length * 3 <= keyBytesMax || Buffer.byteLength(key) <= keyBytesMax);
  assert(fits, 'a key has between 1 and 1024 bytes', { key });
}

/** Only the last version of each key matters on disk. */
function toBackendBatch(versions: readonly Version[]): BackendBatch {
  const newest = new Map(versions.map((version) => [version.key, version]));
  const puts: Version[] = [];
  const deletes: string[] = [];
  for (const version of newest.values()) {
    if (version.deleted) deletes.push(version.key);
    else puts.push(version);
  }
  return { revision: versions.at(-1)?.revision ?? 0, puts, deletes };
}
