/** The entries of a tar, one after the other, packed by gzip or zstd, or not. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Duplex, PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { createUnzstd } from './unzstd.ts';

export interface TarReading {
  /** Reads all of the entry's content, or lets go of it by `resume`. The next one comes when it is done. */
  entry(entry: ReadEntry): Promise<void>;
  /** Of the tar as it is when it is unpacked. */
  chunk?(bytes: Buffer): void;
}

/** Throws when it is damaged, or compressed as we cannot read it. */
export async function readTar(file: string, { entry: handle, chunk: seen }: TarReading): Promise<void> {
  const source = await uncompressed(file);
  let done: Promise<void> = Promise.resolve();
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // It is looked at only while something is waited for.
  failed.catch(() => undefined);
  const parser = new Parser({
    strict: true,
    onReadEntry(entry) {
      done = done.then(() => handle(entry));
      done.catch(fail);
    },
  });
  const parsed = new Promise<void>((resolve) => parser.on('end', () => resolve()));
  parser.on('error', fail);
  try {
    for await (const bytes of source) {
      seen?.(bytes as Buffer);
      // An entry that nobody has read yet holds back what comes after it.
      if (!parser.write(bytes as Buffer))
        await Promise.race([failed, new Promise<void>((resolve) => parser.once('drain', () => resolve()))]);
    }
    parser.end();
    await Promise.race([failed, parsed]);
    await Promise.race([failed, done]);
  } finally {
    source.destroy();
  }
}

const gzipMagic = '1f8b';
const zstdMagic = '28b52ffd';

async function uncompressed(file: string): Promise<Readable> {
  const magic = await firstBytes(file);
  const target = unpackerOf(magic);
  // What goes wrong is thrown by whoever reads from it.
  pipeline(createReadStream(file), target).catch(() => undefined);
  return target;
}

function unpackerOf(magic: string): Duplex {
  if (magic.startsWith(gzipMagic)) return createGunzip();
  return magic.startsWith(zstdMagic) ? createUnzstd() : new PassThrough();
}

async function firstBytes(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead).toString('hex');
  } finally {
    await handle.close();
  }
}
