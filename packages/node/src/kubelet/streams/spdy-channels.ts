import type { Duplex } from 'node:stream';
import type { Clock } from '@signalbox/cluster';
import { type SpdyConnection, serveSpdy } from '../spdy/connection.ts';
import { type Channels, createSizes, type Wanted } from './channels.ts';

/** What older clients speak; each channel is a stream. */
export const spdyProtocols: readonly string[] = ['v4.channel.k8s.io'];

const streamsMs = 30_000;

/** Resolves once the client has opened all that it asked for. Rejects when it takes too long. */
export async function spdyChannels(transport: Duplex, wanted: Wanted, clock: Clock): Promise<Channels> {
  const names = ['error', ...(['stdin', 'stdout', 'stderr'] as const).filter((name) => wanted[name])];
  const missing = new Set(wanted.tty ? [...names, 'resize'] : names);
  const streams = new Map<string, Duplex>();
  const gone = new AbortController();
  let ready: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (ready = resolve));
  const connection = serveSpdy(transport, ({ headers, bytes }) => {
    const type = headers.get('streamtype') ?? '';
    bytes.on('error', () => undefined);
    if (!missing.delete(type)) return void bytes.destroy();
    streams.set(type, bytes);
    if (missing.size === 0) ready();
  });
  void connection.closed.then(() => {
    gone.abort(new Error('the client has gone'));
    ready();
  });
  const cancel = clock.after(streamsMs, ready);
  await complete;
  cancel();
  if (missing.size > 0) {
    transport.destroy();
    throw new Error(`the client opened no stream for ${[...missing].join(', ')}`);
  }
  return channelsOf(streams, { connection, signal: gone.signal });
}

function channelsOf(
  streams: ReadonlyMap<string, Duplex>,
  { connection, signal }: { readonly connection: SpdyConnection; readonly signal: AbortSignal },
): Channels {
  const sizes = createSizes();
  // Each size is an object behind the other; the client sends one at a time.
  streams.get('resize')?.on('data', (bytes: Buffer) => {
    for (const text of bytes.toString().split(/(?<=\})/)) sizes.take(text);
  });
  return {
    stdin: streams.get('stdin'),
    stdout: streams.get('stdout'),
    stderr: streams.get('stderr'),
    onResize: sizes.listen,
    signal,
    finish(status) {
      const error = streams.get('error');
      for (const name of ['stdout', 'stderr']) streams.get(name)?.end();
      error?.end(JSON.stringify(status), () => connection.close());
    },
  };
}
