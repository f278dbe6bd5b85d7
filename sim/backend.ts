import { createHash } from 'node:crypto';
import { type Backend, type Clock, type Random, sleep } from '@signalbox/cluster';
import type { BackendBatch } from '@signalbox/cluster/testing';

/** One durable change of one key. */
export interface Change {
  readonly revision: number;
  readonly key: string;
  readonly kind: 'put' | 'delete';
  readonly atMs: number;
}

/** The truth about what became durable, kept across restarts. */
export interface History {
  readonly changes: readonly Change[];
  /** The newest revision of each batch, in the order in which they were written. */
  readonly batches: readonly number[];
  /** Over every key, revision and byte: two runs of one seed have the same. */
  hash(): string;
}

export interface RecordingBackend extends Backend {
  /** From now on nothing becomes durable, but perhaps the batch that is on its way. */
  crash(): void;
}

export interface BackendFaults {
  readonly clock: Clock;
  readonly random: Random;
  /** How long a batch takes at most; asked for each. */
  readonly delayMsMax: () => number;
}

export function createHistory(): History & { record(batch: BackendBatch, atMs: number): void } {
  const changes: Change[] = [];
  const batches: number[] = [];
  const hash = createHash('sha256');
  return {
    changes,
    batches,
    hash: () => hash.copy().digest('hex').slice(0, 16),
    record({ revision, puts, deletes }, atMs) {
      batches.push(revision);
      hash.update(`${revision} ${atMs}\n`);
      for (const put of puts) {
        changes.push({ revision: put.revision, key: put.key, kind: 'put', atMs });
        hash.update(`${put.revision} ${put.key}\n`).update(put.bytes);
      }
      for (const key of deletes) {
        changes.push({ revision, key, kind: 'delete', atMs });
        hash.update(`- ${key}\n`);
      }
    },
  };
}

/** Survives the planes that run on it: `inner` is the disk. */
export function createRecordingBackend(
  inner: Backend,
  history: ReturnType<typeof createHistory>,
  { clock, random, delayMsMax }: BackendFaults,
): RecordingBackend {
  let isDown = false;
  const never = new AbortController().signal;
  return {
    load: () => inner.load(),
    async write(batch) {
      if (isDown) throw new Error('the machine is off');
      const mostMs = delayMsMax();
      if (mostMs > 0) await sleep(clock, random.below(mostMs), { signal: never });
      // The last write before the power cut reaches the disk or does not; either way nobody hears of it.
      const isLost = isDown && random.below(2) === 0;
      if (!isLost) {
        await inner.write(batch);
        history.record(batch, clock.nowMs());
      }
      if (isDown) throw new Error('the machine is off');
    },
    crash() {
      isDown = true;
    },
    close: () => inner.close(),
  };
}
