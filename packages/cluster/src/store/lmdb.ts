import { chmod, mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { systemClock } from '../base/clock.ts';
import { NothingWrittenError } from './backend.ts';
import { lmdbFileDamage } from './lmdb-file.ts';
import { type FolderLock, lockFolder } from './lock.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import type { Backend, BackendBatch, BackendRecord } from './store.ts';

/**
 * Keeps everything in one lmdb file. A batch is one transaction on lmdb's own thread, synced before it is acknowledged;
 * lmdb writes copies and switches over at the end, so a crash leaves the state before or after. Two tables: `objects`, key to
 * record (see record.ts), and `meta`: the format and the newest revision, which a deletion leaves no other trace of.
 */
interface Tables {
  readonly root: RootDatabase<unknown, string>;
  readonly objects: Database<Buffer, string>;
  readonly meta: Database<number, string>;
}

const fileName = 'objects.mdb';
const format = 1;

/**
 * Opens or makes the folder (its files are for the owner alone). Fails with an Error that names the folder when another
 * process uses it, when it cannot be written, or when a newer version of this program wrote it.
 */
export async function openLmdbBackend({ path }: { readonly path: string }): Promise<Backend> {
  const lock = await inFolder(path, 'cannot open', async () => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return lockFolder(path);
  });
  try {
    const tables = await inFolder(path, 'cannot open', () => openTables(path));
    return createBackend({ path, tables, lock });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openTables(folder: string): Promise<Tables> {
  const path = join(folder, fileName);
  const damage = await lmdbFileDamage(path);
  if (damage !== undefined) throw new Error(`${fileName} is damaged: ${damage}; restore the folder from a copy`);
  // Without overlappingSync a transaction counts as committed only after its sync.
  const root = open<unknown, string>({ path, noSubdir: true, overlappingSync: false, maxDbs: 2 });
  try {
    await Promise.all([path, `${path}-lock`].map((file) => chmod(file, 0o600)));
    const objects = root.openDB<Buffer, string>('objects', { encoding: 'binary' });
    const meta = root.openDB<number, string>('meta', { encoding: 'json' });
    const found = meta.get('format');
    if (found === undefined) await meta.put('format', format);
    else if (found !== format) throw new Error(`its format is ${found}, and this version reads ${format} only`);
    return { root, objects, meta };
  } catch (error) {
    await root.close();
    throw error;
  }
}

interface Opened {
  readonly path: string;
  readonly tables: Tables;
  readonly lock: FolderLock;
}

function createBackend({ path, tables, lock }: Opened): Backend {
  const { root, objects, meta } = tables;
  return {
    encodes: true,
    // Acknowledged writers get a turn to send their next write before the next sync begins.
    gather: () => systemClock.turn(),
    load: async () => ({ revision: meta.get('revision') ?? 0, records: readRecords(path, objects) }),
    async write(batch) {
      try {
        await writeBatch(tables, batch);
      } catch (error) {
        throw await toWriteError(path, { batch, error });
      }
    },
    async close() {
      await root.close();
      await lock.release();
    },
  };
}

function* readRecords(folder: string, objects: Database<Buffer, string>): Iterable<BackendRecord> {
  for (const { key, value } of objects.getRange()) {
    const record = decodeRecord(key, value);
    if (record === undefined) {
      throw new Error(
        `cannot open the data folder ${folder}: the record of ${key} is damaged; restore the folder from a copy`,
      );
    }
    yield record;
  }
}

/** What is sent to lmdb within one turn of the event loop is one transaction. */
async function writeBatch({ root, objects, meta }: Tables, { revision, puts, deletes }: BackendBatch): Promise<void> {
  const sent: Promise<boolean>[] = [];
  for (const record of puts) sent.push(objects.put(record.key, encodeRecord(record)));
  for (const key of deletes) sent.push(objects.remove(key));
  sent.push(meta.put('revision', revision));
  // In the next turn lmdb opens the transaction and makes a promise for that, too. Left alone it would end the process
  // when the transaction fails.
  sent.push(systemClock.turn().then(() => root.committed));
  await Promise.all(sent);
}

interface FailedWrite {
  readonly batch: BackendBatch;
  readonly error: unknown;
}

/** lmdb reports a full disk as a short write, that is EIO, so the space that is left has to tell them apart. */
async function toWriteError(folder: string, { batch, error }: FailedWrite): Promise<Error> {
  const cause = await commitError(error);
  const freeBytes = await freeBytesIn(folder);
  // Copy-on-write rewrites a few pages on the way to each record.
  const neededBytes = batch.puts.reduce((bytes, record) => bytes + record.bytes.length + 16_384, 1_048_576);
  if (freeBytes < neededBytes) return new NothingWrittenError(`the disk of ${folder} is full`, { cause });
  return new Error(`cannot write to the data folder ${folder}: ${reasonOf(cause)}`, { cause });
}

/** Infinity when it cannot be told. */
async function freeBytesIn(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}

/** lmdb rejects with a general error that carries a promise of the particular one. */
async function commitError(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}

async function inFolder<T>(folder: string, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${what} the data folder ${folder}: ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
