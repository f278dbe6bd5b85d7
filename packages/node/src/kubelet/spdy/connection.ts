import { Duplex } from 'node:stream';
import { controlFrame, controls, createFrameReader, dataFrame, type Frame, fin, streamOf, words } from './frames.ts';
import { createHeaderBlocks } from './header-blocks.ts';

export interface SpdyStream {
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Duplex;
}

export interface SpdyConnection {
  /** Resolves when it has ended, however that came. */
  readonly closed: Promise<void>;
  /** Lets what was written go out. */
  close(): void;
}

/** What a stream holds that nobody has taken. The protocol's windows are not kept by clients: then all of them wait. */
const waitingBytesMax = 1 << 20;
const noHeaders: ReadonlyMap<string, string> = new Map();
const cancel = 5;

/** The server's side of SPDY/3.1 over a connection: streams are opened by the client, and told to `accept`. */
export function serveSpdy(transport: Duplex, accept: (stream: SpdyStream) => void): SpdyConnection {
  const streams = new Map<number, OpenStream>();
  const blocks = createHeaderBlocks();
  const send = (bytes: Buffer, done?: () => void): void => {
    if (transport.writable) transport.write(bytes, () => done?.());
    else done?.();
  };
  const open = async (flags: number, body: Buffer): Promise<void> => {
    const id = streamOf(body);
    const headers = await blocks.read(body.subarray(10));
    const stream = createStream(id, { send, ended: () => streams.delete(id) });
    streams.set(id, stream);
    const reply = await blocks.write(noHeaders);
    send(controlFrame(controls.synReply, 0, Buffer.concat([words(id), reply])));
    if ((flags & fin) !== 0) stream.end();
    accept({ headers, bytes: stream.bytes });
  };
  const take = async (frame: Frame): Promise<void> => {
    if (frame.is === 'data') return streams.get(frame.stream)?.take(frame.bytes, frame.isLast);
    switch (frame.type) {
      case controls.synStream:
        return open(frame.flags, frame.body);
      case controls.reset:
        return streams.get(streamOf(frame.body))?.wasReset();
      case controls.headers:
        // Nothing is said with them, but the blocks that come after build on them.
        return void (await blocks.read(frame.body.subarray(4)));
      case controls.ping:
        return send(controlFrame(controls.ping, 0, frame.body));
      default:
        return undefined;
    }
  };
  const read = async (): Promise<void> => {
    const frames = createFrameReader();
    for await (const bytes of transport) for (const frame of frames(bytes as Buffer)) await take(frame);
  };
  const ended = (): void => {
    for (const stream of [...streams.values()]) stream.wasReset();
    blocks.close();
    transport.destroy();
  };
  return {
    closed: read().then(ended, ended),
    close() {
      send(controlFrame(controls.goAway, 0, words(0, 0)));
      transport.end();
    },
  };
}

interface OpenStream {
  readonly bytes: Duplex;
  /** Resolves when there is room for more. */
  take(bytes: Buffer, isLast: boolean): Promise<void>;
  end(): void;
  wasReset(): void;
}

interface StreamOptions {
  send(bytes: Buffer, done?: () => void): void;
  ended(): void;
}

function createStream(id: number, { send, ended }: StreamOptions): OpenStream {
  const done = { here: false, there: false };
  let wake: () => void = () => undefined;
  const bytes = new Duplex({
    readableHighWaterMark: waitingBytesMax,
    read: () => wake(),
    write: (chunk: Buffer, _, next) => send(dataFrame(id, chunk, false), next),
    final(next) {
      done.here = true;
      send(dataFrame(id, Buffer.alloc(0), true), next);
    },
    destroy(_, next) {
      if (!done.here || !done.there) send(controlFrame(controls.reset, 0, words(id, cancel)));
      ended();
      wake();
      next(null);
    },
  });
  const end = (): void => {
    if (done.there) return;
    done.there = true;
    bytes.push(null);
  };
  return {
    bytes,
    end,
    async take(piece, isLast) {
      const hasRoom = done.there || bytes.destroyed || piece.length === 0 || bytes.push(piece);
      if (isLast) end();
      else if (!hasRoom) await new Promise<void>((resolve) => (wake = resolve));
    },
    wasReset() {
      Object.assign(done, { here: true, there: true });
      bytes.destroy();
    },
  };
}
