import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import {
  DamagedFileError,
  inOverflow,
  isReached,
  type LmdbEntry,
  type LmdbTree,
  type PageFile,
  walkTree,
} from './lmdb-pages.ts';

/**
 * The newest state in an lmdb file, without lmdb. The file begins with two meta pages, written in turns, of which the one with
 * the higher transaction counts. Offsets within such a page:
 *
 *   24  uint32  magic               48  tree of the free pages      144  uint64  number of the last page in use
 *   28  uint32  version             96  tree of the tables          152  uint64  transaction
 *   40  uint64  size of the map
 *
 * A tree: uint32 (of the first: size of a page), uint16 flags, uint16 depth, uint64 branch, leaf and overflow pages, entries, root.
 */
export interface LmdbFile {
  readonly fileBytes: number;
  /** What the file must have for the pages that may be in use. It may be shorter if those at its end are free. */
  readonly neededBytes: number;
  /** Entries of a table in the order of their keys; empty when there is no such table. Each may be walked once. */
  entries(table: string): Iterable<LmdbEntry>;
  /** After all tables were walked: no page that is in use may be listed as free. Returns how many are free. */
  checkFreePages(): number;
  close(): void;
}

const magic = 0xbeefc0de;
const version = 2;
const metaBytes = 168;
const freeTreeAt = 48;
const mainTreeAt = 96;
const isTree = 2;
const valueFlags = [0, inOverflow];
/** The tree of free pages has numbers as keys; no table of ours has flags. */
const numberKeys = 8;
const mapBytesMax = 2n ** 47n;

/** Undefined on machines whose files are laid out differently; lmdb must then be trusted. */
export function openLmdbFile(path: string): LmdbFile | undefined {
  if (endianness() !== 'LE' || ['arm', 'ia32'].includes(process.arch)) return undefined;
  const fd = openSync(path, 'r');
  try {
    const { file, meta } = readMeta(fd);
    return createFile(file, meta);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function createFile(file: PageFile, meta: Buffer): LmdbFile {
  const main = treeAt(meta, { at: mainTreeAt, name: 'of tables' });
  const free = treeAt(meta, { at: freeTreeAt, name: 'of free pages' });
  let tables: ReadonlyMap<string, LmdbTree> | undefined;
  return {
    fileBytes: file.fileBytes,
    neededBytes: (file.lastPage + 1) * file.pageBytes,
    *entries(table) {
      tables ??= readTables(file, main);
      const tree = tables.get(table);
      if (tree !== undefined) yield* walkTree(file, tree, { compare: Buffer.compare, flags: valueFlags });
    },
    checkFreePages: () => checkFreePages(file, free),
    close: () => closeSync(file.fd),
  };
}

function readMeta(fd: number): { readonly file: PageFile; readonly meta: Buffer } {
  const { size: fileBytes } = fstatSync(fd);
  const unknown = 'it does not begin like an lmdb file of a format that is known';
  const first = metaAt(fd, 0);
  if (first === undefined) throw new DamagedFileError(unknown);
  const pageBytes = first.readUInt32LE(freeTreeAt);
  const isPossible = pageBytes >= 512 && pageBytes <= 65_536 && (pageBytes & (pageBytes - 1)) === 0;
  const second = isPossible ? metaAt(fd, pageBytes) : undefined;
  if (second === undefined || second.readUInt32LE(freeTreeAt) !== pageBytes) throw new DamagedFileError(unknown);
  const [older, newer] = transactionOf(first) >= transactionOf(second) ? [second, first] : [first, second];
  const transaction = transactionOf(newer);
  // Transactions write the two in turns, so another distance means that a number is not what was written.
  const isTurn = newer === (transaction % 2n === 0n ? first : second);
  if (transaction !== 0n && (!isTurn || transactionOf(older) !== transaction - 1n))
    throw new DamagedFileError(`its two beginnings are of transactions ${transactionOf(older)} and ${transaction}`);
  const lastPage = newer.readBigUInt64LE(144);
  const neededBytes = (lastPage + 1n) * BigInt(pageBytes);
  const mapBytes = newer.readBigUInt64LE(40);
  if (lastPage < 1n || neededBytes > mapBytes || mapBytes > mapBytesMax)
    throw new DamagedFileError(`it has no ${lastPage} pages`);
  const reached = new Uint8Array(Number(lastPage / 8n) + 1);
  return { file: { fd, fileBytes, pageBytes, lastPage: Number(lastPage), transaction, reached }, meta: newer };
}

function transactionOf(meta: Buffer): bigint {
  return meta.readBigUInt64LE(152);
}

function metaAt(fd: number, position: number): Buffer | undefined {
  const meta = Buffer.alloc(metaBytes);
  if (readSync(fd, meta, 0, metaBytes, position) !== metaBytes) return undefined;
  const isMeta = meta.readUInt16LE(18) === 8 && meta.readUInt32LE(24) === magic && meta.readUInt16LE(28) === version;
  return isMeta ? meta : undefined;
}

function treeAt(bytes: Buffer, { at, name }: { readonly at: number; readonly name: string }): LmdbTree {
  const flags = bytes.readUInt16LE(at + 4) & 0xff;
  if (flags !== (at === freeTreeAt && name === 'of free pages' ? numberKeys : 0))
    throw new DamagedFileError(`table ${name} has flags that are never set`);
  return {
    name,
    depth: bytes.readUInt16LE(at + 6),
    entries: bytes.readBigUInt64LE(at + 32),
    root: bytes.readBigUInt64LE(at + 40),
  };
}

function readTables(file: PageFile, main: LmdbTree): ReadonlyMap<string, LmdbTree> {
  const tables = new Map<string, LmdbTree>();
  for (const { key, value } of walkTree(file, main, { compare: Buffer.compare, flags: [isTree] })) {
    if (value.length !== 48) throw new DamagedFileError(`its list of tables holds something else`);
    const name = keyText(key);
    tables.set(name, treeAt(value, { at: 0, name }));
  }
  return tables;
}

/** Keys are texts in UTF-8; lmdb's binding ends some of them with a zero. */
export function keyText(key: Buffer): string {
  const end = key.at(-1) === 0 ? key.length - 1 : key.length;
  return key.toString('utf8', 0, end);
}

/** A list of free pages: how many numbers follow; of these 0 is nothing, and -n says that n pages begin at the next. */
function checkFreePages(file: PageFile, free: LmdbTree): number {
  let count = 0;
  const claim = (first: bigint, pages: bigint): void => {
    if (first < 2n || pages < 1n || first + pages - 1n > BigInt(file.lastPage))
      throw new DamagedFileError(`page ${first} is listed as free and is not there`);
    for (let page = Number(first); page < Number(first + pages); page++) {
      if (isReached(file, page)) throw new DamagedFileError(`page ${page} is listed as free and is in use`);
    }
    count += Number(pages);
  };
  const lists: Buffer[] = [];
  for (const { key, value } of walkTree(file, free, { compare: compareNumbers, flags: valueFlags })) {
    if (key.length !== 8 || value.length < 8 || value.length % 8 !== 0)
      throw new DamagedFileError('its list of free pages is not one');
    lists.push(Buffer.from(value));
  }
  // Pages of the list itself are in use, too, so all of it is read before any of it is judged.
  for (const list of lists) {
    const length = list.readBigUInt64LE(0);
    if ((length + 1n) * 8n > BigInt(list.length)) throw new DamagedFileError('its list of free pages is cut short');
    for (let at = 8; at <= Number(length) * 8; at += 8) {
      const entry = list.readBigInt64LE(at);
      if (entry > 0n) claim(entry, 1n);
      else if (entry < 0n) {
        at += 8;
        if (at > Number(length) * 8) throw new DamagedFileError('its list of free pages is cut short');
        claim(list.readBigInt64LE(at), -entry);
      }
    }
  }
  return count;
}

function compareNumbers(a: Buffer, b: Buffer): number {
  if (a.length !== 8 || b.length !== 8) return Number.NaN;
  const [left, right] = [a.readBigUInt64LE(0), b.readBigUInt64LE(0)];
  return left < right ? -1 : left === right ? 0 : 1;
}
