import { PassThrough, Writable } from 'node:stream';
import type { Clock } from '@signalbox/cluster';
import type { RawData, WebSocket } from 'ws';
import { type Channels, createSizes, type Wanted } from './channels.ts';

/** Newest first. With the fifth a client can say that its input has ended. */
export const webProtocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** A client that answers no ping is talked to after this. */
const answerMsMax = 1_000;

/**
 * Each message begins with the number of its channel. Resolves when the client reads and has said something, if only that it is
 * there: kubectl 1.30 to 1.33 begins to read before it knows its channels, and drops what comes for those
 * (kubernetes/kubernetes#131189).
 */
export async function webChannels(socket: WebSocket, wanted: Wanted, clock: Clock): Promise<Channels> {
  const gone = new AbortController();
  const sizes = createSizes();
  const stdin = wanted.stdin ? new PassThrough() : undefined;
  const leave = (): void => {
    gone.abort(new Error('the client has gone'));
    stdin?.end();
  };
  socket.once('close', leave);
  socket.on('error', leave);
  socket.on('message', (data: RawData) => {
    const bytes = bytesOf(data);
    const content = bytes.subarray(1);
    switch (bytes[0]) {
      case channel.stdin:
        if (stdin === undefined || stdin.writableEnded || stdin.write(content)) return;
        socket.pause();
        stdin.once('drain', () => socket.resume());
        return;
      case channel.resize:
        return sizes.take(content.toString());
      case channel.close:
        if (content[0] === channel.stdin) stdin?.end();
        return;
      default:
    }
  });
  const outgoing = (number: number): Writable => outgoingChannel(socket, number);
  const [stdout, stderr] = [
    wanted.stdout ? outgoing(channel.stdout) : undefined,
    wanted.stderr ? outgoing(channel.stderr) : undefined,
  ];
  await heard(socket, clock);
  // Nothing at all, so that the client sees that it may begin.
  socket.send(Buffer.from([wanted.stdout ? channel.stdout : wanted.stderr ? channel.stderr : channel.error]));
  return {
    ...{ stdin, stdout, stderr },
    onResize: sizes.listen,
    signal: gone.signal,
    finish(status) {
      socket.send(Buffer.concat([Buffer.from([channel.error]), Buffer.from(JSON.stringify(status))]));
      socket.close(1000);
    },
  };
}

function heard(socket: WebSocket, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(answerMsMax, resolve);
    for (const sign of ['pong', 'message', 'close'])
      socket.once(sign, () => {
        cancel();
        resolve();
      });
    socket.ping();
  });
}

export function bytesOf(data: RawData): Buffer {
  return Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
}

export function outgoingChannel(socket: WebSocket, number: number): Writable {
  const head = Buffer.from([number]);
  return new Writable({
    // A client that has gone is told of elsewhere; whoever writes must come to its end.
    write: (bytes: Buffer, _, done) => socket.send(Buffer.concat([head, bytes]), () => done()),
  });
}
