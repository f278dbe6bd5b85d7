/*
 * Bytes that many short-lived buffers share. Node.js gives buffers of more than four kilobytes memory of their own, which costs a
 * microsecond each and is freed late; what is written is often a little longer.
 */

const slabBytes = 256 * 1024;
/** A slab lives as long as the last of its parts: what is larger gets memory of its own. */
const partBytesMax = slabBytes / 8;
/** A character takes at most so many bytes; what is beyond the first plane are two characters that take four. */
const characterBytesMax = 3;

let slab = Buffer.alloc(0);
let used = 0;

/** Bytes of any content, for what is let go of soon. */
export function takeBytes(length: number): Buffer {
  if (length > partBytesMax) return Buffer.allocUnsafeSlow(length);
  makeRoom(length);
  const at = used;
  used += length;
  return slab.subarray(at, used);
}

/** The bytes of texts and of other bytes, one after the other, for what is let go of soon. */
export function encodeParts(parts: readonly (string | Buffer)[]): Buffer {
  let most = 0;
  for (const part of parts) most += typeof part === 'string' ? part.length * characterBytesMax : part.length;
  if (most > partBytesMax)
    return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  makeRoom(most);
  const at = used;
  for (const part of parts) {
    if (typeof part === 'string') used += slab.write(part, used);
    else {
      slab.set(part, used);
      used += part.length;
    }
  }
  return slab.subarray(at, used);
}

function makeRoom(length: number): void {
  if (used + length <= slab.length) return;
  slab = Buffer.allocUnsafeSlow(slabBytes);
  used = 0;
}
