import { assert } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { keyBytesMax, NothingWrittenError, StoreWriteError } from './backend.ts';
import { gatherOutcomes, type Joined } from './outcomes.ts';
import type { Backend, BackendBatch, CommitOutcome, StoreFailure, Write } from './store.ts';
import { Version } from './version.ts';

/**
 * Turns concurrent commits into batches, one under way at a time. A commit is decided at once, against the newest version
 * of its key whether that is durable or still on its way, and gets its revision at once; what it says to its caller waits for
 * the batch. So a refusal, too, waits for the batch that carries the write that won.
 */
export interface GroupCommit {
  /** Why a write would not become durable now. */
  readonly failure: StoreFailure | undefined;
  /** Refuses all writes for this reason, until it is taken back. */
  block(reason: string | undefined): void;
  commit(write: Write): Promise<CommitOutcome>;
  /** Each for itself; those of one batch are one that waits for it. */
  commitEach(writes: readonly Write[]): Promise<readonly (CommitOutcome | Error)[]>;
  /** Takes no more writes; settles when none is under way. */
  close(): Promise<void>;
}

export interface GroupCommitOptions {
  readonly backend: Pick<Backend, 'write' | 'recover' | 'gather' | 'encodes'>;
  readonly clock: Clock;
  /** What is durable. A deletion counts as absent. */
  readonly durable: { readonly revision: number; get(key: string): Version | undefined };
  /** Called with every batch once it is durable, before its commits settle. */
  applied(versions: readonly Version[]): void;
  /** Called when a batch was not written, and when all writes are blocked. */
  failed?(failure: StoreFailure): void;
  /** Writes in one batch. */
  readonly batchMax?: number;
}

interface Batch extends Joined {
  readonly versions: Version[];
}

interface Decided {
  readonly batch: Batch | undefined;
  readonly version: Version | undefined;
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
  /** Why nothing is written any more. */
  #refusal: StoreWriteError | undefined;
  #blocked: StoreWriteError | undefined;
  #failure: StoreWriteError | undefined;
  /** The versions of a batch of which nobody knows yet whether the disk has it; until then nothing is written. */
  #uncertain: readonly Version[] | undefined;
  #retries = 0;
  #cancelRetry: () => void = () => undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#batchMax = options.batchMax ?? 1000;
    this.#revision = options.durable.revision;
  }

  get failure(): StoreFailure | undefined {
    return this.#blocked ?? this.#failure;
  }

  block(reason: string | undefined): void {
    if (reason === this.#blocked?.message) return;
    this.#blocked = reason === undefined ? undefined : new StoreWriteError(reason, { outcome: 'nothing' });
    if (this.#blocked !== undefined) this.#options.failed?.(this.#blocked);
  }

  commit(write: Write): Promise<CommitOutcome> {
    const refusal = this.#refuses();
    if (refusal !== undefined) return Promise.reject(refusal);
    try {
      const { key, wantsJson } = write;
      const { batch, version } = this.#decide(write);
      // Let go of by the version when it is durable, which is when somebody may want to show it.
      const json = wantsJson === true ? version?.held : undefined;
      const outcome = (): CommitOutcome =>
        version === undefined ? this.#refuse(key) : { ok: true, stored: version, ...(json !== undefined && { json }) };
      if (batch === undefined) return Promise.resolve(outcome());
      return new Promise<CommitOutcome>((resolve, reject) => {
        batch.commits.push({ settle: () => resolve(outcome()), reject });
      });
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  commitEach(writes: readonly Write[]): Promise<readonly (CommitOutcome | Error)[]> {
    const refusal = this.#refuses();
    if (refusal !== undefined) return Promise.reject(refusal);
    const gathered = gatherOutcomes(writes, (key) => this.#refuse(key));
    for (const [index, write] of writes.entries()) {
      try {
        const { batch, version } = this.#decide(write);
        gathered.note(index, batch, version);
      } catch (error) {
        gathered.fail(index, error as Error);
      }
    }
    return gathered.settled();
  }

  #refuses(): StoreWriteError | undefined {
    return this.#refusal ?? this.#blocked ?? (this.#uncertain === undefined ? undefined : this.#waiting());
  }

  /** No batch: nothing is on its way, so it is known already. No version: it is refused. */
  #decide(write: Write): Decided {
    assertKey(write.key);
    const head = this.#heads.get(write.key);
    const newest = head?.version ?? this.#options.durable.get(write.key);
    const current = newest?.deleted ? undefined : newest;
    if (write.expect !== (current?.revision ?? 0) || (write.kind === 'delete' && current === undefined)) {
      return { batch: head?.batch, version: undefined };
    }
    const version = this.#version(write, current);
    const batch = this.#batch();
    this.#revision = version.revision;
    this.#heads.set(write.key, { version, batch });
    batch.versions.push(version);
    this.#running ??= this.#run();
    return { batch, version };
  }

  async close(): Promise<void> {
    this.#refusal ??= new StoreWriteError('the store is closed', { outcome: 'nothing', permanent: true });
    this.#cancelRetry();
    await this.#running;
  }

  #version({ key, kind, make, admit, wantsJson }: Write, current: Version | undefined): Version {
    const revision = this.#revision + 1;
    const value = make(revision);
    assert(Object.isFrozen(value), 'a stored value is frozen', { key, revision });
    const createdRevision = current?.createdRevision ?? revision;
    const deleted = kind === 'delete';
    const version = new Version({ key, value, revision, createdRevision, deleted, before: current });
    if (this.#options.backend.encodes && kind === 'put') {
      const { length } = version.hold({ lasting: wantsJson === true });
      admit?.(length);
    }
    return version;
  }

  #refuse(key: string): CommitOutcome {
    return { ok: false, current: this.#options.durable.get(key) };
  }

  #batch(): Batch {
    const last = this.#queue.at(-1);
    if (last !== undefined && last.versions.length < this.#batchMax) return last;
    const batch: Batch = { versions: [], commits: [] };
    this.#queue.push(batch);
    return batch;
  }

  async #run(): Promise<void> {
    const { backend } = this.#options;
    while (this.#queue.length > 0) {
      await backend.gather?.();
      const batch = this.#queue.shift();
      if (batch === undefined) break;
      try {
        await backend.write(toBackendBatch(batch.versions));
      } catch (error) {
        await this.#fail(batch, error);
        continue;
      }
      this.#apply(batch);
    }
    this.#running = undefined;
  }

  #apply(batch: Batch): void {
    const { versions, commits } = batch;
    for (const version of versions) version.release();
    try {
      this.#options.applied(versions);
    } catch (cause) {
      this.#end(batch, { reason: reasonOf(cause), cause });
      return;
    }
    this.#succeed();
    for (const { key, revision } of versions) {
      if (this.#heads.get(key)?.version.revision === revision) this.#heads.delete(key);
    }
    for (const commit of commits) commit.settle();
  }

  #succeed(): void {
    this.#failure = undefined;
    this.#uncertain = undefined;
    this.#retries = 0;
    this.#cancelRetry();
  }

  async #fail(batch: Batch, cause: unknown): Promise<void> {
    const { backend } = this.#options;
    const reason = reasonOf(cause);
    if (cause instanceof NothingWrittenError)
      return this.#reject(batch, new StoreWriteError(`nothing was written: ${reason}`, { outcome: 'nothing', cause }));
    if (backend.recover === undefined) return this.#end(batch, { reason, cause });
    const newest = await backend.recover().catch(() => undefined);
    if (newest === undefined) {
      this.#uncertain = batch.versions;
      const message = `nobody knows yet whether it was written: ${reason}`;
      return this.#reject(batch, new StoreWriteError(message, { outcome: 'unknown', cause }));
    }
    if (newest === lastRevision(batch.versions)) return this.#apply(batch);
    if (newest !== this.#options.durable.revision) return this.#end(batch, { reason: stranger(newest), cause });
    this.#reject(batch, new StoreWriteError(`nothing was written: ${reason}`, { outcome: 'nothing', cause }));
    this.#succeed();
  }

  #end(batch: Batch, { reason, cause }: { readonly reason: string; readonly cause: unknown }): void {
    const message = `the store takes no more writes until it is opened again: ${reason}`;
    this.#refusal = new StoreWriteError(message, { outcome: 'unknown', permanent: true, cause });
    this.#reject(batch, this.#refusal);
  }

  /** What is queued behind a failed batch was decided on it and goes with it. */
  #reject(batch: Batch, error: StoreWriteError): void {
    this.#failure = error;
    this.#options.failed?.(error);
    this.#revision = this.#options.durable.revision;
    this.#heads.clear();
    for (const { commits } of [batch, ...this.#queue.splice(0)]) for (const commit of commits) commit.reject(error);
    if (!error.permanent) this.#retryLater();
  }

  #waiting(): StoreWriteError {
    const message = `no write is taken until it is known what the disk has: ${this.#failure?.message ?? 'it failed'}`;
    return new StoreWriteError(message, { outcome: 'nothing' });
  }

  #retryLater(): void {
    const { backend, clock } = this.#options;
    this.#cancelRetry();
    if (backend.recover === undefined || this.#refusal !== undefined) return;
    const delayMs = Math.min(retryDelayMsMax, retryDelayMsMin * 2 ** this.#retries);
    this.#retries += 1;
    this.#cancelRetry = clock.after(delayMs, () => {
      if (this.#running === undefined) this.#running = this.#retry();
      else this.#retryLater();
    });
  }

  /** Writes come back by themselves, and so does what a health check says, when nobody writes. */
  async #retry(): Promise<void> {
    const { backend, durable } = this.#options;
    const versions = this.#uncertain ?? [];
    try {
      const newest = await backend.recover?.();
      if (newest === durable.revision) this.#succeed();
      else if (newest === lastRevision(versions)) this.#apply({ versions: [...versions], commits: [] });
      else this.#end({ versions: [], commits: [] }, { reason: stranger(newest), cause: undefined });
      this.#revision = durable.revision;
    } catch (error) {
      // What is known of the write that failed stays the reason, unless it is the disk that tells more.
      if (this.#uncertain === undefined)
        this.#failure = new StoreWriteError(reasonOf(error), { outcome: 'nothing', cause: error });
      this.#retryLater();
    }
    await this.#run();
  }
}

const retryDelayMsMin = 1_000;
const retryDelayMsMax = 10_000;

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function stranger(revision: number | undefined): string {
  return `the disk has revision ${revision}, which this process has not written; start it again`;
}

function lastRevision(versions: readonly Version[]): number {
  return versions.at(-1)?.revision ?? 0;
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
  return { revision: lastRevision(versions), puts, deletes };
}
