import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Forwarding } from './port-forward.ts';
import { bytesOf, outgoingChannel } from './web-channels.ts';

/** What clients in browsers' languages speak, that know nothing of SPDY. */
export const portsProtocol = 'v4.channel.k8s.io';

/** `port=80&port=443`, `port=80,443`. Undefined: one of them is none. */
export function portsOf(query: URLSearchParams): readonly number[] | undefined {
  const ports = query.getAll('port').flatMap((text) => text.split(',').map(Number));
  const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;
  return ports.length > 0 && ports.every(isPort) ? ports : undefined;
}

/**
 * One connection to each port. Each has two channels, for its bytes and for what goes wrong, and both begin with its number.
 * Resolves when the client has gone, or all connections have ended.
 */
export async function forwardChannels(
  socket: WebSocket,
  { pod, dial, closing, ports }: Forwarding & { readonly ports: readonly number[] },
): Promise<void> {
  const ending = new AbortController();
  const gone = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  const leave = (): void => socket.terminate();
  closing.addEventListener('abort', leave, { once: true });
  socket.on('error', leave);
  const connections = ports.map((port) => dial(port, ending.signal));
  socket.on('message', (data: RawData) => {
    const bytes = bytesOf(data);
    void take(bytes, { socket, connection: connections[Math.floor((bytes[0] ?? 0) / 2)] });
  });
  const ended = connections.map(async (connecting, index) => {
    const [out, error] = [outgoingChannel(socket, 2 * index), outgoingChannel(socket, 2 * index + 1)];
    const port = ports[index] ?? 0;
    const begin = Buffer.from([port & 0xff, port >> 8]);
    out.write(begin);
    error.write(begin);
    try {
      await drained(await connecting, out);
    } catch (cause) {
      if (ending.signal.aborted) return;
      const { message } = cause as Error;
      error.write(Buffer.from(`error forwarding port ${port} to pod ${pod.name}, uid ${pod.uid}: ${message}`));
    }
  });
  await Promise.race([gone, Promise.all(ended)]);
  socket.close(1000);
  await gone;
  closing.removeEventListener('abort', leave);
  ending.abort(new Error('the client has gone'));
  for (const connecting of connections)
    connecting.then(
      (connection) => connection.destroy(),
      () => undefined,
    );
}

interface Taking {
  readonly socket: WebSocket;
  readonly connection: Promise<Duplex> | undefined;
}

/** What comes faster than the pod takes it waits where it comes from. */
async function take(bytes: Buffer, { socket, connection }: Taking): Promise<void> {
  // Nothing is said on what is there to tell what goes wrong.
  if (connection === undefined || (bytes[0] ?? 1) % 2 === 1) return;
  const far = await connection.catch(() => undefined);
  if (far === undefined || far.destroyed || far.write(bytes.subarray(1))) return;
  socket.pause();
  const go = (): void => socket.resume();
  far.once('drain', go);
  far.once('close', go);
}

function drained(far: Duplex, out: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    far.pipe(out, { end: false });
    far.once('end', resolve);
    far.once('close', resolve);
    far.once('error', reject);
  });
}
