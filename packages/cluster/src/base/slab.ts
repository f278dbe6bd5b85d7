/*
 * Bytes that many short-lived buffers share. Node.js gives buffers of more than four kilobytes memory of their own, which costs a
 * microsecond each and is freed late; what is written is often a little longer.
 *
 * What is given back is used again: V8 looks through the whole heap whenever 64 MB of such memory are new, however little else
 * there is to collect (its soft limit for external memory, which no flag of it changes).
 */

const slabBytes = 256 * 1024;
/** A slab lives as long as the last of its parts: what is larger gets memory of its own. */
const partBytesMax = slabBytes / 8;
/** A character takes at most so many bytes; what is beyond the first plane are two characters that take four. */
const characterBytesMax = 3;
/** So many slabs wait to be used again; 16 MB. */
const idleSlabsMax = 64;

interface Slab {
  readonly bytes: Buffer;
  /** Parts that nobody has given back. */
  parts: number;
}

interface Filling {
  slab: Slab;
  used: number;
  readonly next: () => Slab;
}

const newSlab = (): Slab => ({ bytes: Buffer.allocUnsafeSlow(slabBytes), parts: 0 });
const full = (next: () => Slab): Filling => ({ slab: { bytes: Buffer.alloc(0), parts: 0 }, used: 0, next });

const idle: Slab[] = [];
/** The slabs of what may be given back, by their memory. */
const lent = new WeakMap<ArrayBufferLike, Slab>();

const lasting = full(newSlab);
const passing = full(() => {
  const slab = idle.pop() ?? newSlab();
  lent.set(slab.bytes.buffer, slab);
  return slab;
});

/** The bytes of texts and of other bytes, one after the other, for what is let go of soon. */
export function encodeParts(parts: readonly (string | Buffer)[]): Buffer {
  return encodeInto(lasting, parts);
}

/** The same for who says when nobody reads them any more: {@link giveBack}. */
export function lendParts(parts: readonly (string | Buffer)[]): Buffer {
  return encodeInto(passing, parts);
}

/** Of what was lent, once each: it is somebody else's from now on. What is never given back is collected as any other memory. */
export function giveBack(bytes: Buffer): void {
  const slab = lent.get(bytes.buffer);
  if (slab === undefined) return;
  slab.parts -= 1;
  if (slab.parts === 0 && slab !== passing.slab && idle.length < idleSlabsMax) idle.push(slab);
}

function encodeInto(filling: Filling, parts: readonly (string | Buffer)[]): Buffer {
  let most = 0;
  for (const part of parts) most += typeof part === 'string' ? part.length * characterBytesMax : part.length;
  if (most > partBytesMax)
    return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const at = room(filling, most);
  const { bytes } = filling.slab;
  for (const part of parts) {
    if (typeof part === 'string') filling.used += bytes.write(part, filling.used);
    else {
      bytes.set(part, filling.used);
      filling.used += part.length;
    }
  }
  return bytes.subarray(at, filling.used);
}

/** Where there is room for so many bytes. */
function room(filling: Filling, length: number): number {
  if (filling.used + length > filling.slab.bytes.length) {
    if (filling.slab.parts > 0 || filling.slab.bytes.length === 0) filling.slab = filling.next();
    filling.used = 0;
  }
  filling.slab.parts += 1;
  return filling.used;
}

/** Memory that is used over and over, for who is done with all of it at once. */
export interface Arena {
  /** Bytes of any content. */
  take(length: number): Buffer;
  /** Nobody reads or writes any more what was taken so far. */
  clear(): void;
}

/** So much is kept for the next time. */
const arenaBytesMax = 16 * 1024 * 1024;

export function createArena(): Arena {
  const slabs: Buffer[] = [];
  let at = 0;
  let used = 0;
  return {
    take(length) {
      if (length > partBytesMax) return Buffer.allocUnsafeSlow(length);
      if (used + length > slabBytes) {
        at += 1;
        used = 0;
      }
      slabs[at] ??= Buffer.allocUnsafeSlow(slabBytes);
      used += length;
      return (slabs[at] as Buffer).subarray(used - length, used);
    },
    clear() {
      slabs.splice(arenaBytesMax / slabBytes);
      at = 0;
      used = 0;
    },
  };
}
