/** SPDY/3.1 on the wire, as far as streams into pods need it. */
export type Frame =
  | { readonly is: 'data'; readonly stream: number; readonly isLast: boolean; readonly bytes: Buffer }
  | { readonly is: 'control'; readonly type: number; readonly flags: number; readonly body: Buffer };

export const controls = { synStream: 1, synReply: 2, reset: 3, ping: 6, goAway: 7, headers: 8 } as const;
/** Flag of a frame: nothing more comes on its stream from who sent it. */
export const fin = 1;

const version = 3;
const headBytes = 8;
/** Clients send 32 KiB; who sends more than this sends no SPDY. */
const frameBytesMax = 4 << 20;

/** Gets bytes as they come, gives frames as they are complete. Throws when they are none. */
export function createFrameReader(): (bytes: Buffer) => readonly Frame[] {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const frames: Frame[] = [];
    while (rest.length >= headBytes) {
      const size = rest.readUIntBE(5, 3);
      if (size > frameBytesMax) throw new Error(`a SPDY frame of ${size} bytes; at most ${frameBytesMax}`);
      if (rest.length < headBytes + size) break;
      frames.push(frameOf(rest.readUInt32BE(0), rest[4] ?? 0, rest.subarray(headBytes, headBytes + size)));
      rest = rest.subarray(headBytes + size);
    }
    return frames;
  };
}

function frameOf(head: number, flags: number, body: Buffer): Frame {
  if (head < 0x8000_0000) return { is: 'data', stream: head, isLast: (flags & fin) !== 0, bytes: body };
  const spoken = (head >>> 16) & 0x7fff;
  if (spoken !== version) throw new Error(`SPDY version ${spoken}; spoken here is ${version}`);
  return { is: 'control', type: head & 0xffff, flags, body };
}

export function dataFrame(stream: number, bytes: Buffer, isLast: boolean): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(stream);
  head.writeUIntBE(bytes.length, 5, 3);
  head[4] = isLast ? fin : 0;
  return Buffer.concat([head, bytes]);
}

export function controlFrame(type: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE((0x8000_0000 | (version << 16) | type) >>> 0);
  head.writeUIntBE(body.length, 5, 3);
  head[4] = flags;
  return Buffer.concat([head, body]);
}

/** Numbers as they stand one after the other. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

/** Streams are numbered with 31 bits. */
export function streamOf(body: Buffer): number {
  return body.readUInt32BE(0) & 0x7fff_ffff;
}
