import type { CommitOutcome, Write } from './store.ts';
import type { Version } from './version.ts';

/** What waits for a batch. */
export interface Commit {
  /** Once the batch is durable. */
  settle(): void;
  reject(reason: unknown): void;
}

export interface Joined {
  readonly commits: Commit[];
}

/** Of many writes, what comes of each. */
export interface Gathered {
  /** In which batch it is, or its refusal; without one that is known already. Without a version it is refused. */
  note(index: number, batch: Joined | undefined, version: Version | undefined): void;
  fail(index: number, error: Error): void;
  /** To be called once all are noted. */
  settled(): Promise<readonly (CommitOutcome | Error)[]>;
}

export function gatherOutcomes(writes: readonly Write[], refuse: (key: string) => CommitOutcome): Gathered {
  const told: (CommitOutcome | Error)[] = new Array<CommitOutcome | Error>(writes.length);
  const versions: (Version | undefined)[] = new Array<Version | undefined>(writes.length);
  /** Batches follow each other, so nearly always there is one. */
  const parts = new Map<Joined, number[]>();
  const outcome = (index: number): CommitOutcome => {
    const version = versions[index];
    return version === undefined ? refuse(writes[index]?.key ?? '') : { ok: true, stored: version };
  };
  return {
    note(index, batch, version) {
      versions[index] = version;
      if (batch === undefined) {
        told[index] = outcome(index);
        return;
      }
      const part = parts.get(batch);
      if (part === undefined) parts.set(batch, [index]);
      else part.push(index);
    },
    fail(index, error) {
      told[index] = error;
    },
    settled: () =>
      new Promise((resolve) => {
        let left = parts.size;
        if (left === 0) resolve(told);
        const ends = (indices: readonly number[], as: (index: number) => CommitOutcome | Error): void => {
          for (const index of indices) told[index] = as(index);
          left -= 1;
          if (left === 0) resolve(told);
        };
        for (const [batch, indices] of parts)
          batch.commits.push({
            settle: () => ends(indices, outcome),
            reject: (reason) => ends(indices, () => reason as Error),
          });
      }),
  };
}
