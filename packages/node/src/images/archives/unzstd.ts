/** zstd as a stream, which Node.js has from version 22 on. Frames follow each other, as parallel compressors write them. */
import { Transform } from 'node:stream';
import { Decompress } from 'fzstd';

export function createUnzstd(): Transform {
  const unpacked = new Decompress((bytes) => void stream.push(bytes));
  const read = (bytes: Uint8Array, isLast: boolean): Error | null => {
    try {
      unpacked.push(bytes, isLast);
      return null;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      return new Error(`a layer that is compressed by zstd cannot be read: ${why}`, { cause });
    }
  };
  const stream = new Transform({
    // It keeps what it cannot use yet, so it gets bytes of its own and no piece of somebody's buffer.
    transform: (chunk: Buffer, _, done) => done(read(new Uint8Array(chunk), false)),
    flush: (done) => done(read(new Uint8Array(0), true)),
  });
  return stream;
}
