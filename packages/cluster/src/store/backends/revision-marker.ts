import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '../../base/atomic-file.ts';

/**
 * What a folder remembers of its revisions outside the data file, so that a data file that is lost, emptied or replaced by an
 * older one is not taken for a new cluster: clients would take what they read from it for news. It is written ahead in
 * steps, so a commit does not wait for it; after a crash it says less than the data file does, and an orderly end makes it exact.
 */
export interface RevisionMarker {
  /** A revision that was durable when this was written: a data file that has not reached it is not the one of this folder. */
  readonly least: number;
  /** No revision above this one was ever given out. */
  readonly reserved: number;
}

export const markerName = 'revisions.json';

/** Undefined when there is none. One that cannot be read says nothing but that there was one. */
export async function readMarker(folder: string): Promise<RevisionMarker | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, markerName), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return parseMarker(text) ?? { least: 0, reserved: 0 };
}

function parseMarker(text: string): RevisionMarker | undefined {
  try {
    const { least, reserved } = JSON.parse(text) as Partial<RevisionMarker>;
    return isRevision(least) && isRevision(reserved) ? { least, reserved } : undefined;
  } catch {
    return undefined;
  }
}

function isRevision(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function writeMarker(folder: string, { least, reserved }: RevisionMarker): Promise<void> {
  return writeFileAtomically(join(folder, markerName), `${JSON.stringify({ least, reserved })}\n`, { mode: 0o600 });
}

export interface Reservations {
  /** Settles when the revision may be given out; undefined when that is now, as nearly always. */
  reach(revision: number, options: { readonly durable: number }): Promise<void> | undefined;
  /** Makes the marker exact. */
  end(revision: number): Promise<void>;
}

/** How many revisions are reserved at a time, the next ones when half of them are used up. */
const step = 10_000;

export function createReservations(folder: string, reservedBefore: number): Reservations {
  let reserved = reservedBefore;
  let writing: Promise<void> | undefined;
  const extend = (marker: RevisionMarker): Promise<void> => {
    writing ??= writeMarker(folder, marker)
      .then(() => {
        reserved = marker.reserved;
      })
      .finally(() => {
        writing = undefined;
      });
    return writing;
  };
  const extendTo = async (revision: number, durable: number): Promise<void> => {
    while (revision > reserved) await extend({ least: durable, reserved: revision + step });
  };
  return {
    reach(revision, { durable }) {
      if (revision <= reserved - step / 2) return undefined;
      if (revision > reserved) return extendTo(revision, durable);
      // There is room left: a failure is left to the next write.
      extend({ least: durable, reserved: revision + step }).catch(() => undefined);
      return undefined;
    },
    async end(revision) {
      await writing?.catch(() => undefined);
      await writeMarker(folder, { least: revision, reserved: revision });
    },
  };
}
