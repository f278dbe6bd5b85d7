/** A line longer than this is no watch event of any server. */
const lineBytesMax = 64 * 1024 * 1024;

/**
 * Cuts a byte stream into lines without copying what needs no copy. Empty lines are left out. Throws when the stream ends
 * in the middle of a line or a line grows beyond all bounds.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      const tail = bytes.subarray(start, end);
      const line = parts.length === 0 ? tail : Buffer.concat([...parts, tail]);
      parts = [];
      size = 0;
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start === bytes.length) continue;
    parts.push(bytes.subarray(start));
    size += bytes.length - start;
    if (size > lineBytesMax) throw new Error(`a line is longer than ${lineBytesMax} bytes`);
  }
  if (size > 0) throw new Error('the stream ended in the middle of a line');
}
