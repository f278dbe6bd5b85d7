import type { Clock } from '../../base/clock.ts';
import { overlaid } from '../../base/overlaid.ts';
import { NothingWrittenError } from '../backend.ts';
import type { Backend, BackendBatch, BackendRecord } from '../store.ts';

export interface LaggingOptions {
  /** Whether the next batch may be acknowledged before it is on the disk. */
  mayLag(): boolean;
  /** Real time. */
  readonly clock: Pick<Clock, 'after'>;
  /** How long a batch waits at most before it is on its way. */
  readonly lagMsMax?: number;
  /** How much may wait; who brings more waits for the disk. */
  readonly bytesMax?: number;
}

export interface LaggingBackend {
  readonly backend: Backend;
  /** Resolves when everything that was acknowledged is on the disk. */
  caughtUp(): Promise<void>;
}

/**
 * Batches that come while nobody waits for the disk are put together, the newest of each key, and are there a moment later: three
 * days of three nodes in virtual time are 80,000 moments, and a sync for each takes minutes. What is on the disk is always
 * all up to some revision. At any other time a batch is acknowledged when it, and everything before it, is there.
 */
export function createLaggingBackend(inner: Backend, options: LaggingOptions): LaggingBackend {
  const lagging = new Lagging(inner, options);
  const own: Partial<Backend> = {
    write: (batch) => lagging.write(batch),
    ...(inner.recover !== undefined && { recover: () => lagging.recover(inner.recover?.bind(inner)) }),
    async close() {
      await lagging.caughtUp();
      await inner.close();
    },
  };
  return { backend: overlaid(inner, own), caughtUp: () => lagging.caughtUp() };
}

/** What was acknowledged and is not on the disk; revision 0: nothing. */
interface Waiting {
  readonly revision: number;
  /** By key; undefined: it goes. */
  readonly changes: Map<string, BackendRecord | undefined>;
  readonly bytes: number;
}

const nothing = (): Waiting => ({ revision: 0, changes: new Map(), bytes: 0 });

class Lagging {
  readonly #inner: Backend;
  readonly #options: Required<LaggingOptions>;
  #waiting = nothing();
  #writing: Promise<void> | undefined;
  #isDue = false;
  /** The last try failed: nothing more is acknowledged early before one succeeds. */
  #isStuck = false;
  #written = 0;

  constructor(inner: Backend, { lagMsMax = 250, bytesMax = 16 * 2 ** 20, ...options }: LaggingOptions) {
    this.#inner = inner;
    this.#options = { ...options, lagMsMax, bytesMax };
  }

  async write(batch: BackendBatch): Promise<void> {
    const { mayLag, bytesMax } = this.#options;
    if (this.#isStuck || !mayLag()) {
      await this.#beforeIt();
      await this.#inner.write(batch);
      this.#written = batch.revision;
      return;
    }
    if (this.#waiting.bytes > bytesMax) await this.#beforeIt();
    this.#waiting = joined(this.#waiting, waitingOf(batch));
    this.#soon();
  }

  async recover(recover: (() => Promise<number>) | undefined): Promise<number> {
    const newest = (await recover?.()) ?? 0;
    await this.caughtUp();
    return Math.max(newest, this.#written);
  }

  async caughtUp(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing.catch(() => undefined);
    if (this.#waiting.revision === 0) return;
    this.#writing = this.#writeWaiting().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  /** Of a batch that is refused for what came before it nothing is kept. */
  async #beforeIt(): Promise<void> {
    try {
      await this.caughtUp();
    } catch (cause) {
      throw new NothingWrittenError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }

  async #writeWaiting(): Promise<void> {
    const taken = this.#waiting;
    this.#waiting = nothing();
    try {
      await this.#inner.write(batchOf(taken));
      this.#written = taken.revision;
      this.#isStuck = false;
    } catch (error) {
      this.#isStuck = true;
      // What came meanwhile is newer.
      this.#waiting = joined(taken, this.#waiting);
      throw error;
    }
  }

  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#options.clock.after(this.#options.lagMsMax, () => {
      this.#isDue = false;
      // Whoever writes next is told.
      void this.caughtUp().catch(() => undefined);
    });
  }
}

function waitingOf({ revision, puts, deletes }: BackendBatch): Waiting {
  const changes = new Map<string, BackendRecord | undefined>();
  let length = 0;
  for (const { key, createdRevision, revision: of, bytes } of puts) {
    // The bytes of a record may be let go of once its batch is acknowledged.
    changes.set(key, { key, createdRevision, revision: of, bytes });
    length += key.length + bytes.length;
  }
  for (const key of deletes) changes.set(key, undefined);
  return { revision, changes, bytes: length };
}

/** Changes the first one. The weight of what was overtaken is counted on: it is a bound, no sum. */
function joined(older: Waiting, newer: Waiting): Waiting {
  if (newer.revision === 0) return older;
  for (const [key, change] of newer.changes) older.changes.set(key, change);
  return { revision: newer.revision, changes: older.changes, bytes: older.bytes + newer.bytes };
}

function batchOf({ revision, changes }: Waiting): BackendBatch {
  const puts: BackendRecord[] = [];
  const deletes: string[] = [];
  for (const [key, change] of changes)
    if (change === undefined) deletes.push(key);
    else puts.push(change);
  return { revision, puts, deletes };
}
