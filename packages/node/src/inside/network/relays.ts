/**
 * A process can be in one network namespace only, so a pod's loopback interface is reached by a small process in that pod's. It is
 * started when it is first needed and ends when it has not been for a while; both speak by a unix socket, which no namespace parts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { basename, join } from 'node:path';
import { InsideFailure } from '../../protocol/failure.ts';
import type { Waiting } from '../../protocol/inside.ts';
import { hostEnv } from '../run.ts';
import { connected } from './dial.ts';

export interface Relays {
  dial(to: { readonly network: string; readonly port: number }, waiting: Waiting): Promise<Socket>;
  /** The namespace goes away. */
  remove(network: string): void;
}

/**
 * The first line says the port, the answer is a line with `ok` or the code of the error; then it is the connection. It ends
 * when it has had nothing to do, and with its standard input: with us.
 */
const program = `
const net = require('node:net');
const [path, idleMs] = process.argv.slice(1);
let open = 0, timer;
const rest = () => { clearTimeout(timer); timer = open === 0 ? setTimeout(() => process.exit(0), Number(idleMs)) : undefined; };
const server = net.createServer({ allowHalfOpen: true }, (client) => {
  open += 1; rest();
  client.on('error', () => client.destroy());
  client.on('close', () => { open -= 1; rest(); });
  let head = '';
  const read = (chunk) => {
    head += chunk.toString('latin1');
    const at = head.indexOf('\\n');
    if (at === -1) return;
    client.off('data', read); client.pause();
    const to = net.connect({ host: '127.0.0.1', port: Number(head.slice(0, at)), allowHalfOpen: true });
    const begin = Buffer.from(head.slice(at + 1), 'latin1');
    to.once('connect', () => { client.write('ok\\n'); if (begin.length) to.write(begin); client.pipe(to); to.pipe(client); client.on('close', () => to.destroy()); });
    to.on('error', (error) => { if (to.connecting || to.bytesRead === 0) client.end(error.code + '\\n'); else client.destroy(); });
    to.on('close', (broken) => { if (broken) client.destroySoon(); });
  };
  client.on('data', read);
});
server.listen(path, () => process.stdout.write('.'));
process.stdin.on('close', () => process.exit(0)); process.stdin.on('error', () => process.exit(0)); process.stdin.resume();
rest();
`;

interface Relay {
  readonly child: ChildProcess;
  readonly path: string;
  readonly ready: Promise<void>;
}

export interface RelaysOptions {
  /** For its sockets. */
  readonly folder: string;
  readonly idleMs: number;
}

export function createRelays({ folder, idleMs }: RelaysOptions): Relays {
  const relays = new Map<string, Relay>();
  const begin = (network: string): Relay => {
    const path = join(folder, `${basename(network)}.relay`);
    rmSync(path, { force: true });
    const argv = [`--net=${network}`, '--', process.execPath, '-e', program, path, String(idleMs)];
    const child = spawn('nsenter', argv, { stdio: ['pipe', 'pipe', 'ignore'], env: hostEnv });
    child.stdin?.on('error', () => undefined);
    const ready = new Promise<void>((resolve, reject) => {
      child.stdout?.once('data', () => resolve());
      child.once('error', reject);
      child.once('exit', () => {
        if (relays.get(network) === relay) relays.delete(network);
        reject(new InsideFailure('the relay into the pod has ended', { code: 'ECONNRESET' }));
      });
    });
    ready.catch(() => undefined);
    const relay: Relay = { child, path, ready };
    relays.set(network, relay);
    return relay;
  };
  return {
    async dial({ network, port }, { signal }) {
      const relay = relays.get(network) ?? begin(network);
      await relay.ready;
      const socket = await connected({ path: relay.path }, signal);
      socket.write(`${port}\n`);
      const answer = await firstLine(socket);
      if (answer === 'ok') return socket;
      socket.destroy();
      throw new InsideFailure(`connect ${answer} 127.0.0.1:${port}`, { code: answer });
    },
    remove(network) {
      relays.get(network)?.child.kill('SIGKILL');
      relays.delete(network);
    },
  };
}

/** What comes after it stays in the socket. */
function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0);
    const done = (line: string): void => {
      socket.off('readable', take).off('close', closed);
      resolve(line);
    };
    const closed = (): void => done('ECONNRESET');
    const take = (): void => {
      for (let bytes = socket.read() as Buffer | null; bytes !== null; bytes = socket.read() as Buffer | null) {
        read = Buffer.concat([read, bytes]);
        const at = read.indexOf(10);
        if (at === -1) continue;
        if (at + 1 < read.length) socket.unshift(read.subarray(at + 1));
        done(read.subarray(0, at).toString('utf8'));
        return;
      }
    };
    socket.on('readable', take).on('close', closed);
  });
}
