import { open } from 'node:fs/promises';
import { endianness } from 'node:os';

/**
 * lmdb crashes the process when its file is not what it expects, so look first. The file begins with two meta pages, of
 * which the one with the higher transaction counts. Offsets within such a page, on 64-bit little-endian machines:
 *
 *    24  uint32  magic
 *    28  uint32  version of the format (low half)
 *    48  uint32  size of a page
 *   144  uint64  number of the last page in use
 *   152  uint64  transaction
 */
interface Meta {
  readonly pageBytes: number;
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

const magic = 0xbeefc0de;
const version = 2;
const metaBytes = 160;

/** Pages at the end that a transaction took and gave back may never have been written. */
const missingBytesMax = 1024 * 1024;

/** Why lmdb must not open this file; undefined when it may. A missing or empty file may be opened: lmdb makes it anew. */
export async function lmdbFileDamage(path: string): Promise<string | undefined> {
  if (endianness() !== 'LE' || ['arm', 'ia32'].includes(process.arch)) return undefined;
  const file = await openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    if (size === 0) return undefined;
    const read = async (position: number): Promise<Meta | undefined> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(metaBytes), 0, metaBytes, position);
      return bytesRead === metaBytes ? decodeMeta(buffer) : undefined;
    };
    const first = await read(0);
    const second = first && (await read(first.pageBytes));
    if (first === undefined || second === undefined)
      return 'it does not begin like an lmdb file of a format that is known';
    const { lastPage } = first.transaction > second.transaction ? first : second;
    const missingBytes = (Number(lastPage) + 1) * first.pageBytes - size;
    return missingBytes > missingBytesMax ? `${missingBytes} bytes are missing at its end` : undefined;
  } finally {
    await file.close();
  }
}

function decodeMeta(page: Buffer): Meta | undefined {
  if (page.readUInt32LE(24) !== magic || page.readUInt16LE(28) !== version) return undefined;
  return {
    pageBytes: page.readUInt32LE(48),
    lastPage: page.readBigUInt64LE(144),
    transaction: page.readBigUInt64LE(152),
  };
}

async function openIfThere(path: string): Promise<Awaited<ReturnType<typeof open>> | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
