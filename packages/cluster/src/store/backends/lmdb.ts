import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { type Clock, systemClock } from '../../base/clock.ts';
import { type Arena, createArena } from '../../base/slab.ts';
import { NothingWrittenError } from '../backend.ts';
import type { Backend, BackendBatch, BackendRecord } from '../store.ts';
import { dataFileName, examineFolder, format, mend, reading, readRecords, readRevision } from './data-folder.ts';
import { createDiskSpace, type DiskSpace } from './disk-space.ts';
import { commitError, quietly } from './lmdb-errors.ts';
import { type FolderLock, lockFolder } from './lock.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { createReservations, type Reservations } from './revision-marker.ts';

/**
 * Keeps everything in one lmdb file. A batch is one transaction on lmdb's own thread, synced before it is acknowledged;
 * lmdb writes copies and switches over at the end, so a crash leaves the state before or after. Two tables: `objects`, key to
 * record (see record.ts), and `meta`: the format and the newest revision, which a deletion leaves no other trace of.
 *
 * lmdb trusts its file, so it gets to see only one that was read through before (lmdb-pages.ts): that reading is the loading.
 */
interface Tables {
  readonly root: RootDatabase<unknown, string>;
  readonly objects: Database<Buffer, string>;
  readonly meta: Database<number, string>;
  /** Which file on the disk it is. */
  readonly file: string;
}

export interface LmdbOptions {
  readonly path: string;
  readonly clock?: Clock;
}

/**
 * Opens or makes the folder (its files are for the owner alone). Fails with an Error that names the folder and the mend when
 * another process uses it, when it cannot be written, when its file is lost or damaged, or when a newer version of this
 * program wrote it.
 */
export async function openLmdbBackend({ path, clock = systemClock }: LmdbOptions): Promise<Backend> {
  const lock = await inFolder(path, async () => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return lockFolder(path);
  });
  try {
    const { exists, marker } = await inFolder(path, () => examineFolder(path));
    const space = createDiskSpace({ folder: path, clock });
    // lmdb writes by memory that is the file: on a full disk the kernel ends the process.
    if (!exists) await inFolder(path, () => assertRoom(space));
    const backend = new LmdbBackend({
      path,
      lock,
      space,
      reservations: createReservations(path, marker?.reserved ?? 0),
    });
    // What is there is opened by the first write: until then it is read, and may turn out to be damaged.
    if (!exists) await inFolder(path, () => backend.open());
    return backend;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Opened {
  readonly path: string;
  readonly lock: FolderLock;
  readonly space: DiskSpace;
  readonly reservations: Reservations;
}

class LmdbBackend implements Backend {
  readonly encodes = true;
  readonly #opened: Opened;
  #tables: Tables | undefined;
  /** The whole file was read, and all of it is as it must be. */
  #isRead = false;
  /** Undefined until it is known. */
  #durable: number | undefined;
  /** For the records of a batch; undefined while one is under way, of which lmdb reads them. */
  #arena: Arena | undefined = createArena();

  constructor(opened: Opened) {
    this.#opened = opened;
  }

  // Acknowledged writers get a turn to send their next write before the next sync begins.
  gather(): Promise<void> {
    return systemClock.turn();
  }

  async load(): Promise<{ readonly revision: number; readonly records: Iterable<BackendRecord> }> {
    const { path } = this.#opened;
    if (this.#tables !== undefined) {
      const { meta, objects } = this.#tables;
      return { revision: meta.get('revision') ?? 0, records: recordsOf(path, objects) };
    }
    const revision = await inFolder(path, () => reading(path, readRevision));
    return revision === undefined ? this.#loadByLmdb() : { revision, records: this.#records() };
  }

  async #loadByLmdb(): ReturnType<LmdbBackend['load']> {
    await inFolder(this.#opened.path, () => this.open());
    return this.load();
  }

  *#records(): Iterable<BackendRecord> {
    const { path } = this.#opened;
    try {
      yield* readRecords(path);
      this.#isRead = true;
    } catch (cause) {
      throw named(path, cause);
    }
  }

  async open(): Promise<Tables> {
    if (this.#tables !== undefined) return this.#tables;
    const { path } = this.#opened;
    const { exists } = await examineFolder(path);
    if (exists && !this.#isRead) for (const _ of this.#records());
    this.#tables = await openTables(join(path, dataFileName));
    this.#durable = this.#tables.meta.get('revision') ?? 0;
    return this.#tables;
  }

  async write(batch: BackendBatch): Promise<void> {
    const { path, space, reservations } = this.#opened;
    const shortage = space.shortage(batch.puts);
    const reason = shortage instanceof Promise ? await shortage : shortage;
    if (reason !== undefined) throw new NothingWrittenError(reason);
    try {
      const tables = this.#tables ?? (await this.open());
      await reservations.reach(batch.revision, { durable: this.#durable ?? 0 });
      await this.#writeBatch(tables, batch);
      this.#durable = batch.revision;
    } catch (error) {
      const cause = await commitError(error);
      throw new Error(`cannot write to the data folder ${path}: ${reasonOf(cause)}`, { cause });
    }
  }

  async #writeBatch(tables: Tables, batch: BackendBatch): Promise<void> {
    const arena = this.#arena ?? createArena();
    this.#arena = undefined;
    await quietly(() => writeBatch(tables, batch, arena));
    // Of a batch that failed nobody knows whether lmdb is done with it.
    arena.clear();
    this.#arena = arena;
  }

  async recover(): Promise<number> {
    const { path, space } = this.#opened;
    const trouble = await this.trouble();
    if (trouble !== undefined) throw new Error(trouble);
    const tables = this.#tables;
    this.#tables = undefined;
    this.#isRead = false;
    await tables?.root.close();
    const reason = await space.measure();
    if (reason !== undefined) throw new Error(reason);
    const reopened = await inFolder(path, () => this.open());
    const revision = this.#durable ?? 0;
    // What was read may be in memory only; once this is on the disk, all before it is, too.
    await this.write({ revision, puts: [], deletes: [] });
    return reopened.meta.get('revision') ?? 0;
  }

  async trouble(): Promise<string | undefined> {
    if (this.#tables === undefined) return undefined;
    const { path } = this.#opened;
    const file = join(path, dataFileName);
    const found = await fileIdentity(file).catch(() => undefined);
    if (found === this.#tables.file) return undefined;
    const what = found === undefined ? 'was removed' : 'was replaced';
    return `the data file ${file} ${what} while it was in use, so nothing more can be kept: save what is in memory (signalbox backup FILE), stop, and restore it into a new folder (signalbox restore FILE --data DIR)`;
  }

  async close(): Promise<void> {
    const { lock, reservations } = this.#opened;
    const trouble = await this.trouble();
    await this.#tables?.root.close();
    // Without room for it the marker stays as it was, which is less exact and still true.
    if (this.#tables !== undefined && this.#durable !== undefined && trouble === undefined)
      await reservations.end(this.#durable).catch(() => undefined);
    await lock.release();
  }
}

/**
 * How much of the address space is set aside for the file. Without a word lmdb begins with 128 KiB and, when the file outgrows
 * its map, makes one twice as large beside it, and keeps the old: pages of the file then count twice and more as memory of the
 * process. A file that outgrows this one, too, goes the same way.
 */
const mapBytes = 16 * 2 ** 30;
const setsAside = ['linux', 'darwin'].includes(process.platform) && ['x64', 'arm64'].includes(process.arch);

async function openTables(path: string): Promise<Tables> {
  // Without overlappingSync a transaction counts as committed only after its sync.
  const root = open<unknown, string>({
    path,
    noSubdir: true,
    overlappingSync: false,
    maxDbs: 2,
    ...(setsAside && { mapSize: mapBytes }),
  });
  try {
    await Promise.all([path, `${path}-lock`].map((file) => chmod(file, 0o600)));
    const objects = root.openDB<Buffer, string>('objects', { encoding: 'binary' });
    const meta = root.openDB<number, string>('meta', { encoding: 'json' });
    const found = meta.get('format');
    if (found === undefined) await quietly(() => meta.put('format', format));
    else if (found !== format) throw new Error(`its format is ${found}, and this version reads ${format} only`);
    return { root, objects, meta, file: await fileIdentity(path) };
  } catch (error) {
    await root.close();
    throw error;
  }
}

async function fileIdentity(path: string): Promise<string> {
  const { dev, ino } = await stat(path);
  return `${dev}:${ino}`;
}

function* recordsOf(folder: string, objects: Database<Buffer, string>): Iterable<BackendRecord> {
  for (const { key, value } of objects.getRange()) {
    const record = decodeRecord(key, value);
    if (record === undefined) throw named(folder, new Error(`the record of ${key} is damaged; ${mend(folder)}`));
    yield record;
  }
}

/** What is sent to lmdb within one turn of the event loop is one transaction. */
async function writeBatch(
  { root, objects, meta }: Tables,
  { revision, puts, deletes }: BackendBatch,
  arena: Arena,
): Promise<void> {
  const sent: Promise<boolean>[] = [];
  for (const record of puts) sent.push(objects.put(record.key, encodeRecord(record, arena)));
  for (const key of deletes) sent.push(objects.remove(key));
  sent.push(meta.put('revision', revision));
  // In the next turn lmdb opens the transaction and makes a promise for that, too. Left alone it would end the process
  // when the transaction fails.
  sent.push(systemClock.turn().then(() => root.committed));
  await Promise.all(sent);
}

async function assertRoom(space: DiskSpace): Promise<void> {
  const shortage = await space.measure();
  if (shortage !== undefined) throw new Error(shortage);
}

async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw named(folder, cause);
  }
}

function named(folder: string, cause: unknown): Error {
  return new Error(`cannot open the data folder ${folder}: ${reasonOf(cause)}`, { cause });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
