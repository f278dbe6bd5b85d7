/**
 * The way out of the network, by a unix socket to the agent: a line with where to go, a line with `ok` or what was wrong, then it is
 * the connection. The agent decides; who asks may be anybody inside.
 */
import type { Socket } from 'node:net';

export interface EgressTarget {
  readonly host: string;
  readonly port: number;
}

/** Rejects with what the agent says against it. */
export async function askDoor(socket: Socket, { host, port }: EgressTarget): Promise<void> {
  socket.write(`${host}:${port}\n`);
  const answer = await readLine(socket);
  if (answer !== 'ok') throw new Error(answer ?? `the way out to ${host}:${port} ended without an answer`);
}

const lineBytesMax = 512;

/** Undefined when it ends before. What comes after the line stays in the socket. */
export function readLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0);
    const done = (line: string | undefined): void => {
      socket.off('readable', take).off('end', ended).off('close', ended);
      resolve(line);
    };
    const ended = (): void => done(undefined);
    const take = (): void => {
      for (let bytes = socket.read() as Buffer | null; bytes !== null; bytes = socket.read() as Buffer | null) {
        read = Buffer.concat([read, bytes]);
        const at = read.indexOf(10);
        if (at === -1 && read.length <= lineBytesMax) continue;
        if (at === -1) {
          ended();
          return;
        }
        done(read.subarray(0, at).toString('utf8'));
        if (at + 1 < read.length) socket.unshift(read.subarray(at + 1));
        return;
      }
    };
    socket.on('readable', take).on('end', ended).on('close', ended);
  });
}

/** `example.com:443`; undefined: it is nothing of the kind. */
export function parseTarget(line: string): EgressTarget | undefined {
  const at = line.lastIndexOf(':');
  const port = Number(line.slice(at + 1));
  return at > 0 && Number.isInteger(port) && port > 0 && port <= 65_535 ? { host: line.slice(0, at), port } : undefined;
}
