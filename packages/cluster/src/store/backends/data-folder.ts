import { access, constants, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BackendRecord } from '../store.ts';
import { keyText, type LmdbFile, openLmdbFile } from './lmdb-file.ts';
import { DamagedFileError } from './lmdb-pages.ts';
import { decodeRecord } from './record.ts';
import { type RevisionMarker, readMarker } from './revision-marker.ts';

/** What lies in a data folder, read without lmdb and without changing anything. */
export const dataFileName = 'objects.mdb';
export const format = 1;

export interface FolderState {
  /** False when there is no data file, or an empty one as a crash at the very first start leaves it. */
  readonly exists: boolean;
  readonly marker: RevisionMarker | undefined;
}

/** Fails when the folder once held revisions that its data file does not hold, or a format that is not ours. */
export async function examineFolder(folder: string): Promise<FolderState> {
  const path = join(folder, dataFileName);
  const marker = await readMarker(folder);
  const bytes = await sizeOf(path);
  if (bytes === undefined || bytes === 0) {
    if (marker === undefined) return { exists: false, marker };
    const what = bytes === undefined ? 'is missing' : 'is empty';
    throw new Error(
      `${dataFileName} ${what}, and the folder has held a cluster up to revision ${marker.least} or later; ${mend(folder)}`,
    );
  }
  await access(path, constants.R_OK | constants.W_OK);
  const revision = await reading(folder, (file) => readRevision(file));
  if (revision !== undefined && marker !== undefined && revision < marker.least)
    throw new Error(
      `${dataFileName} ends with revision ${revision}, and the folder has held revision ${marker.least}: it was replaced by an older one; ${mend(folder)}`,
    );
  return { exists: true, marker };
}

/** How to go on when the data file is lost. */
export function mend(folder: string): string {
  return `restore a backup into another folder (signalbox restore FILE --data DIR), or remove ${folder} to begin with an empty cluster`;
}

/** Undefined where the file cannot be read but by lmdb. */
export async function reading<T>(folder: string, read: (file: LmdbFile) => T): Promise<T | undefined> {
  return explaining(folder, () => {
    const file = openLmdbFile(join(folder, dataFileName));
    try {
      return file && read(file);
    } finally {
      file?.close();
    }
  });
}

function explaining<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof DamagedFileError)) throw cause;
    throw new Error(`${dataFileName} is damaged: ${cause.message}; ${mend(folder)}`, { cause });
  }
}

/** The newest revision ever given out. Fails when another version of this program wrote the file. */
export function readRevision(file: LmdbFile): number {
  let revision = 0;
  for (const { key, value } of file.entries('meta')) {
    const number = Number(value.toString('utf8'));
    if (!Number.isSafeInteger(number)) throw new DamagedFileError(`its ${keyText(key)} is no number`);
    if (keyText(key) === 'revision') revision = number;
    if (keyText(key) === 'format' && number !== format)
      throw new Error(`its format is ${number}, and this version reads ${format} only; use the version that wrote it`);
  }
  return revision;
}

/** Every record, then whether all pages are what they should be. Ends with the file closed. */
export function* readRecords(folder: string): Generator<BackendRecord> {
  const file = explaining(folder, () => openLmdbFile(join(folder, dataFileName)));
  if (file === undefined) return;
  try {
    const revision = explaining(folder, () => readRevision(file));
    const entries = file.entries('objects')[Symbol.iterator]();
    for (;;) {
      const next = explaining(folder, () => entries.next());
      if (next.done === true) break;
      const { key, value } = next.value;
      const record = decodeRecord(keyText(key), value);
      if (record === undefined) throw new Error(`the record of ${keyText(key)} is damaged; ${mend(folder)}`);
      if (record.revision > revision || record.createdRevision > record.revision)
        throw new Error(
          `${dataFileName} is damaged: ${record.key} was written at revision ${record.revision}, and the newest is ${revision}; ${mend(folder)}`,
        );
      yield record;
    }
    explaining(folder, () => file.checkFreePages());
  } finally {
    file.close();
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new Error(`${path} is no file; ${mend(dirname(path))}`);
    return found.size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
