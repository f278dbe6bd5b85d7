import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openLmdbBackend } from '../backends/lmdb.ts';
import { lockFolder } from '../backends/lock.ts';
import { readMarker } from '../backends/revision-marker.ts';
import type { Backend, BackendRecord } from '../store.ts';
import { type BackupFacts, readBackup, verifyBackup } from './format.ts';

export interface RestoreOptions {
  /** The backup. */
  readonly file: string;
  /** The data folder to make. */
  readonly path: string;
  /** Puts what the folder holds aside instead of refusing. */
  readonly replace: boolean;
}

export interface Restored extends BackupFacts {
  /** The revision that the cluster goes on from. */
  readonly resumesAt: number;
  /** Where what was in the folder is now. */
  readonly aside: string | undefined;
}

/**
 * How far revisions jump. What was written after the backup is gone, and clients that have seen it must not take what comes
 * for a continuation: with every version they know far behind, their watches expire and they list again.
 */
export const revisionJump = 1_000_000_000;

/**
 * Makes a data folder of a backup, as a whole or not at all. The backup is read to its end before anything is written.
 * Rejects with an Error that names the mend.
 */
export async function restoreFolder({ file, path, replace }: RestoreOptions): Promise<Restored> {
  const facts = await verifyBackup(file);
  const occupied = await entriesOf(path);
  if (occupied.length > 0 && !replace)
    throw new Error(`${path} is not empty; choose another folder, or put what it holds aside with --replace`);
  const reserved = (await readMarker(path).catch(() => undefined))?.reserved ?? 0;
  const resumesAt = Math.max(facts.revision, reserved) + revisionJump;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.restoring-${randomUUID()}`;
  try {
    await mkdir(draft, { mode: 0o700 });
    await fill({ file, folder: draft, resumesAt });
    return { ...facts, resumesAt, aside: await exchange({ path, draft, isOccupied: occupied.length > 0 }) };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

interface Filling {
  readonly file: string;
  readonly folder: string;
  readonly resumesAt: number;
}

const batchBytesMax = 8 * 1024 * 1024;

async function fill({ file, folder, resumesAt }: Filling): Promise<void> {
  const backend = await openLmdbBackend({ path: folder });
  try {
    let batch: BackendRecord[] = [];
    let batchBytes = 0;
    const flush = async (): Promise<void> => {
      await write(backend, { records: batch, revision: resumesAt });
      batch = [];
      batchBytes = 0;
    };
    for await (const item of readBackup(file)) {
      if ('key' in item) {
        batch.push(item);
        batchBytes += item.bytes.length;
        if (batchBytes > batchBytesMax || batch.length >= 1000) await flush();
      } else if ('name' in item) await writePrivately(join(folder, item.name), item.text);
    }
    await flush();
  } finally {
    await backend.close();
  }
}

function write(
  backend: Backend,
  { records, revision }: { readonly records: readonly BackendRecord[]; readonly revision: number },
): Promise<void> {
  return backend.write({ revision, puts: records, deletes: [] });
}

async function writePrivately(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600, flag: 'wx', flush: true });
}

interface Exchange {
  readonly path: string;
  readonly draft: string;
  readonly isOccupied: boolean;
}

/** Nobody may be at work in the folder that goes aside. */
async function exchange({ path, draft, isOccupied }: Exchange): Promise<string | undefined> {
  if (!isOccupied) {
    await rmdir(path).catch(() => undefined);
    await rename(draft, path);
    return undefined;
  }
  const lock = await lockFolder(path).catch((cause: unknown) => {
    throw new Error(`cannot put ${path} aside: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  });
  await lock.release();
  const aside = `${path}.before-restore-${randomUUID().slice(0, 8)}`;
  await rename(path, aside);
  await rename(draft, path);
  return aside;
}

async function entriesOf(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
