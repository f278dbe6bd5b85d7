import { readSync } from 'node:fs';

/**
 * Reads an lmdb file as it is, page by page, and believes nothing that is written in it: lmdb maps its file into memory and
 * follows whatever numbers it finds there, so a file that was cut short or whose bits have flipped ends the process by a
 * signal. The layout is that of lmdb's data version 2 on 64-bit little-endian machines.
 *
 * A page begins with 24 bytes:
 *
 *   0  uint64  its own number
 *   8  uint64  transaction that wrote it
 *  18  uint16  kind: 1 branch, 2 leaf, 4 overflow, 8 meta
 *  20  uint16  end of the offsets of its nodes, counted from byte 24 (of an overflow page, as uint32: how many pages it has)
 *  22  uint16  begin of its nodes, counted likewise
 *
 * A node: uint32 length of the value (branch: low half of the child's number), uint16 flags (branch: its high half), uint16
 * length of the key, the key, the value.
 */
export interface LmdbTree {
  readonly name: string;
  readonly root: bigint;
  readonly depth: number;
  readonly entries: bigint;
}

export interface LmdbEntry {
  readonly key: Buffer;
  /** To be used before the next entry is asked for. */
  readonly value: Buffer;
}

/** What is wrong with the file, in words that follow "it is damaged: ". */
export class DamagedFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DamagedFileError';
  }
}

export interface PageFile {
  readonly fd: number;
  readonly fileBytes: number;
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  /** One bit per page: reached from a tree. A page that is reached twice is damage. */
  readonly reached: Uint8Array;
}

const headerBytes = 24;
const kinds = { branch: 1, leaf: 2, overflow: 4 } as const;
const nodeBytes = 8;
export const inOverflow = 1;
const noPage: bigint = 2n ** 64n - 1n;
/** A tree of this depth would hold more than any disk. */
const depthMax = 32;

interface Visit {
  readonly page: number;
  readonly level: number;
  /** Keys under the page are not below this one, and below the other. */
  readonly from: Buffer | undefined;
  readonly below: Buffer | undefined;
}

export interface WalkOptions {
  readonly compare: (a: Buffer, b: Buffer) => number;
  /** The flags that a node may have. */
  readonly flags: readonly number[];
}

/** Every entry in the order of the keys. Throws a DamagedFileError at the first thing that is not as it must be. */
export function* walkTree(file: PageFile, tree: LmdbTree, { compare, flags }: WalkOptions): Generator<LmdbEntry> {
  if (tree.root === noPage) {
    if (tree.entries !== 0n) throw new DamagedFileError(`table ${tree.name} has lost its root`);
    return;
  }
  if (tree.depth < 1 || tree.depth > depthMax) throw new DamagedFileError(`table ${tree.name} has no possible depth`);
  const buffers = Array.from({ length: tree.depth }, () => Buffer.allocUnsafe(file.pageBytes));
  const stack: Visit[] = [{ page: pageNumber(file, tree.root), level: 1, from: undefined, below: undefined }];
  let previous: Buffer | undefined;
  let entries = 0n;
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const isLeaf = visit.level === tree.depth;
    const buffer = buffers[visit.level - 1] ?? Buffer.allocUnsafe(file.pageBytes);
    const page = readPage(file, { number: visit.page, kind: isLeaf ? 'leaf' : 'branch', into: buffer });
    if (!isLeaf) {
      stack.push(...children(file, page, visit).reverse());
      continue;
    }
    for (const node of page.nodes) {
      const key = buffer.subarray(node + nodeBytes, node + nodeBytes + buffer.readUInt16LE(node + 6));
      const isOrdered =
        (previous === undefined || compare(previous, key) < 0) &&
        (visit.from === undefined || compare(visit.from, key) <= 0) &&
        (visit.below === undefined || compare(key, visit.below) < 0);
      if (!flags.includes(buffer.readUInt16LE(node + 4)))
        throw new DamagedFileError(`a node of page ${visit.page} has flags that are never set`);
      if (!isOrdered) throw new DamagedFileError(`keys of page ${visit.page} are not in order`);
      yield { key, value: readValue(file, page, node) };
      previous = key;
      entries += 1n;
    }
    // The next leaf is read into the same buffer.
    previous = previous === undefined ? undefined : Buffer.from(previous);
  }
  if (entries !== tree.entries)
    throw new DamagedFileError(`table ${tree.name} has ${entries} entries instead of ${tree.entries}`);
}

interface Page {
  readonly number: number;
  readonly bytes: Buffer;
  /** Where its nodes begin. */
  readonly nodes: readonly number[];
}

function children(file: PageFile, { number, bytes, nodes }: Page, { level, from, below }: Visit): Visit[] {
  const keys = nodes.map((node) =>
    Buffer.from(bytes.subarray(node + nodeBytes, node + nodeBytes + bytes.readUInt16LE(node + 6))),
  );
  return nodes.map((node, index) => {
    const child = BigInt(bytes.readUInt32LE(node)) | (BigInt(bytes.readUInt16LE(node + 4)) << 32n);
    if (child === BigInt(number)) throw new DamagedFileError(`page ${number} refers to itself`);
    return {
      page: pageNumber(file, child),
      level: level + 1,
      // The first key of a branch is never looked at and may be anything.
      from: index === 0 ? from : keys[index],
      below: keys[index + 1] ?? below,
    };
  });
}

interface PageRequest {
  readonly number: number;
  readonly kind: 'branch' | 'leaf';
  readonly into: Buffer;
}

function readPage(file: PageFile, { number, kind, into }: PageRequest): Page {
  take(file, { number, count: 1 });
  readAt(file, { position: number * file.pageBytes, into });
  const bytes = into;
  assertHeader(file, bytes, { number, kind });
  const lower = bytes.readUInt16LE(20);
  const upper = bytes.readUInt16LE(22);
  const room = file.pageBytes - headerBytes;
  if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > room)
    throw new DamagedFileError(`the nodes of page ${number} are not where they can be`);
  const nodes: number[] = [];
  let used = 0;
  for (let at = headerBytes; at < headerBytes + lower; at += 2) {
    const node = bytes.readUInt16LE(at) + headerBytes;
    const length = node + nodeBytes <= file.pageBytes ? nodeLength(bytes, { node, kind }) : Infinity;
    if (node < upper + headerBytes || node % 2 !== 0 || node + length > file.pageBytes)
      throw new DamagedFileError(`a node of page ${number} is not where it can be`);
    used += length + (length % 2);
    nodes.push(node);
  }
  // Nodes fill what is behind the free room, so two that overlap are found by their sum.
  if (used > room - upper) throw new DamagedFileError(`the nodes of page ${number} overlap`);
  return { number, bytes, nodes };
}

function nodeLength(bytes: Buffer, { node, kind }: { readonly node: number; readonly kind: string }): number {
  const keyLength = bytes.readUInt16LE(node + 6);
  if (kind === 'branch') return nodeBytes + keyLength;
  const isAway = (bytes.readUInt16LE(node + 4) & inOverflow) !== 0;
  return nodeBytes + keyLength + (isAway ? headerBytes : bytes.readUInt32LE(node));
}

function assertHeader(
  file: PageFile,
  bytes: Buffer,
  { number, kind }: { readonly number: number; readonly kind: keyof typeof kinds },
): void {
  if (bytes.readBigUInt64LE(0) !== BigInt(number) || (bytes.readUInt16LE(18) & 0xff) !== kinds[kind])
    throw new DamagedFileError(`page ${number} is no ${kind} page of that number`);
  if (bytes.readBigUInt64LE(8) > file.transaction)
    throw new DamagedFileError(`page ${number} is from a transaction that never was`);
}

/** The value itself, or what an overflow node points to: the number of a page, its transaction, how many there are. */
function readValue(file: PageFile, { number, bytes }: Page, node: number): Buffer {
  const length = bytes.readUInt32LE(node);
  const at = node + nodeBytes + bytes.readUInt16LE(node + 6);
  if ((bytes.readUInt16LE(node + 4) & inOverflow) === 0) return bytes.subarray(at, at + length);
  const first = pageNumber(file, bytes.readBigUInt64LE(at));
  const count = Math.floor((headerBytes - 1 + length) / file.pageBytes) + 1;
  if (bytes.readBigUInt64LE(at + 16) !== BigInt(count))
    throw new DamagedFileError(`a large value of page ${number} has no possible length`);
  take(file, { number: first, count });
  const value = Buffer.allocUnsafe(headerBytes + length);
  readAt(file, { position: first * file.pageBytes, into: value });
  assertHeader(file, value, { number: first, kind: 'overflow' });
  if (value.readUInt32LE(20) !== count)
    throw new DamagedFileError(`page ${first} does not begin a value of ${count} pages`);
  return value.subarray(headerBytes);
}

export function pageNumber({ lastPage }: PageFile, number: bigint): number {
  if (number < 2n || number > BigInt(lastPage))
    throw new DamagedFileError(`it refers to page ${number}, which is not there`);
  return Number(number);
}

/** Marks pages as in use. */
function take(file: PageFile, { number, count }: { readonly number: number; readonly count: number }): void {
  if (number + count - 1 > file.lastPage)
    throw new DamagedFileError(`it refers to page ${number + count - 1}, which is not there`);
  for (let page = number; page < number + count; page++) {
    if (isReached(file, page)) throw new DamagedFileError(`page ${page} is in use twice`);
    file.reached[page >> 3] = (file.reached[page >> 3] ?? 0) | (1 << (page & 7));
  }
}

export function isReached({ reached }: PageFile, page: number): boolean {
  return ((reached[page >> 3] ?? 0) & (1 << (page & 7))) !== 0;
}

function readAt(
  { fd, fileBytes }: PageFile,
  { position, into }: { readonly position: number; readonly into: Buffer },
): void {
  for (let done = 0; done < into.length; ) {
    const bytes = readSync(fd, into, done, into.length - done, position + done);
    if (bytes === 0)
      throw new DamagedFileError(`it ends after ${fileBytes} bytes, and what is at ${position + done} is missing`);
    done += bytes;
  }
}
