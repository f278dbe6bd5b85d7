import { statfs } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import type { BackendRecord } from '../store.ts';

/**
 * Whether a batch still fits on the disk. Asked before lmdb is, which takes a full disk for a broken one: what is refused here
 * has left no trace for certain. The file system is asked once a second, or when what was written since may have filled it.
 */
export interface DiskSpace {
  /** Why the records cannot be written; undefined when they can. A promise only when the file system has to be asked. */
  shortage(records: readonly BackendRecord[]): Promise<string | undefined> | string | undefined;
  /** Asks the file system whether there is any room, for who goes on only when somebody has made some. */
  measure(): Promise<string | undefined>;
}

/** What is always left free: lmdb's own pages, the marker, certificates. */
const reserveBytes = 1_048_576;
/** Copy-on-write rewrites a few pages on the way to each record. */
const pagesBytes = 16_384;
const measureEveryMs = 1_000;

export interface DiskSpaceOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly freeBytesIn?: (folder: string) => Promise<number>;
}

export function createDiskSpace({ folder, clock, freeBytesIn = freeBytes }: DiskSpaceOptions): DiskSpace {
  let free = 0;
  let measuredMs = -Infinity;
  const verdict = (needed: number): string | undefined =>
    free < needed
      ? `the disk of ${folder} is full: ${megabytes(free)} MB are free and ${megabytes(needed)} MB are needed; make room`
      : undefined;
  const measure = async (needed: number): Promise<string | undefined> => {
    free = await freeBytesIn(folder);
    measuredMs = clock.nowMs();
    return verdict(needed);
  };
  return {
    shortage(records) {
      const growth = records.reduce((bytes, record) => bytes + record.bytes.length + pagesBytes, pagesBytes);
      const needed = growth + reserveBytes;
      const isFresh = Math.abs(clock.nowMs() - measuredMs) < measureEveryMs;
      const decided = isFresh && free > 4 * needed ? undefined : measure(needed).then(goesOn);
      free -= growth;
      return decided;
    },
    measure: () => measure(pagesBytes + reserveBytes),
  };
}

function goesOn(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : `${reason}, and writes go on by themselves`;
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}

/** Infinity when it cannot be told. */
async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
