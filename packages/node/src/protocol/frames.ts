/**
 * Several streams over one connection: a byte for the channel, four for the length, the bytes. Who reads slowly slows the
 * whole connection down, as with a terminal; nothing is kept in memory for them.
 */
import type { Duplex } from 'node:stream';

export const channels = {
  /** What is to be done, as JSON; the first frame from the client. */
  command: 0,
  stdin: 1,
  stdinEnd: 2,
  /** Columns and rows, as JSON. */
  resize: 3,
  /** The other side has begun: nothing in it, or what streams there are, as JSON. */
  begun: 4,
  stdout: 5,
  stderr: 6,
  /** The exit code, as JSON; the last frame of the server. */
  ended: 7,
  /** A failure, as JSON; the last frame of the server. */
  failed: 8,
} as const;

export type Channel = (typeof channels)[keyof typeof channels];

export interface Frame {
  readonly channel: number;
  readonly payload: Buffer;
}

const headBytes = 5;
/** Larger ones are cut in two by who sends them. */
const payloadBytesMax = 1 << 20;

export function encodeFrame(channel: Channel, payload: Uint8Array = new Uint8Array()): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + payload.length);
  frame.writeUInt8(channel, 0);
  frame.writeUInt32BE(payload.length, 1);
  frame.set(payload, headBytes);
  return frame;
}

/** False when the connection wants to be waited for. */
export function sendFrame(to: Duplex, channel: Channel, payload: Uint8Array = new Uint8Array()): boolean {
  if (to.destroyed || to.writableEnded) return true;
  let isTaken = to.write(encodeFrame(channel, payload.subarray(0, payloadBytesMax)));
  for (let from = payloadBytesMax; from < payload.length; from += payloadBytesMax)
    isTaken = to.write(encodeFrame(channel, payload.subarray(from, from + payloadBytesMax)));
  return isTaken;
}

export function sendJson(to: Duplex, channel: Channel, value: unknown): void {
  sendFrame(to, channel, Buffer.from(JSON.stringify(value)));
}

export function jsonOf(frame: Frame): unknown {
  return JSON.parse(frame.payload.toString('utf8'));
}

/** Takes bytes as they come, gives whole frames. */
export function createFrameReader(): (bytes: Buffer) => readonly Frame[] {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const frames: Frame[] = [];
    while (rest.length >= headBytes) {
      const length = rest.readUInt32BE(1);
      if (length > payloadBytesMax) throw new Error(`a frame of ${length} bytes; at most ${payloadBytesMax}`);
      if (rest.length < headBytes + length) break;
      frames.push({ channel: rest.readUInt8(0), payload: rest.subarray(headBytes, headBytes + length) });
      rest = rest.subarray(headBytes + length);
    }
    return frames;
  };
}
