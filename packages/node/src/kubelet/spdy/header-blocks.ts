import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { dictionary } from './dictionary.ts';

/** One for each connection: what was said before shortens what comes, so blocks are read and written in their order. */
export interface HeaderBlocks {
  read(block: Buffer): Promise<ReadonlyMap<string, string>>;
  write(headers: ReadonlyMap<string, string>): Promise<Buffer>;
  close(): void;
}

/** Of one block, unpacked: what is larger does not come out at once. */
const bytesMax = 64 * 1024;

export function createHeaderBlocks(): HeaderBlocks {
  const inflate = createInflate({ dictionary, chunkSize: bytesMax });
  const deflate = createDeflate({ dictionary });
  return {
    read: async (block) => parsed(await through(inflate, block)),
    write: (headers) => through(deflate, formatted(headers)),
    close() {
      inflate.close();
      deflate.close();
    },
  };
}

function through(zip: Deflate | Inflate, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(error);
    zip.once('error', failed);
    zip.write(bytes);
    zip.flush(constants.Z_SYNC_FLUSH, () => {
      zip.off('error', failed);
      resolve((zip.read() as Buffer | null) ?? Buffer.alloc(0));
    });
  });
}

function parsed(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 4;
  const text = (): string => {
    const size = bytes.readUInt32BE(at);
    const start = at + 4;
    at = start + size;
    if (at > bytes.length) throw new Error('a block of SPDY headers ends too early');
    return bytes.toString('utf8', start, at);
  };
  const count = bytes.readUInt32BE(0);
  for (let index = 0; index < count; index++) {
    const name = text();
    headers.set(name.toLowerCase(), text());
  }
  return headers;
}

function formatted(headers: ReadonlyMap<string, string>): Buffer {
  const sized = (text: string): Buffer => {
    const bytes = Buffer.from(text);
    return Buffer.concat([number(bytes.length), bytes]);
  };
  return Buffer.concat([number(headers.size), ...[...headers].flatMap(([name, value]) => [sized(name), sized(value)])]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
