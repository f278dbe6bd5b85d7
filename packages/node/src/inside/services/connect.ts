/** Connections to backends: into the cluster network, or out through one of the agent's doors. */
import { createConnection, type NetConnectOpts, type Socket } from 'node:net';
import type { Clock } from '@signalbox/cluster';
import { askDoor } from '../../protocol/egress.ts';
import type { Backend } from '../../protocol/network.ts';
import { spliceBufferBytes } from '../../protocol/splice.ts';

export interface Doors {
  /** Paths of the sockets behind which the agent dials. */
  readonly api: string;
  readonly egress: string;
}

export interface ConnectOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly doors: Doors;
}

/** After which another backend is tried: one that is not there does not even refuse. */
const connectMsMax = 2_000;
/** Outside, names have to be found and distances crossed. */
const egressMsMax = 15_000;

/** The second is Node's, but not of its types. */
const socketOptions: { readonly allowHalfOpen: true; readonly highWaterMark: number } = {
  allowHalfOpen: true,
  highWaterMark: spliceBufferBytes,
};

export function createConnect({ clock, doors }: ConnectOptions): (backend: Backend) => Promise<Socket> {
  const open = (to: NetConnectOpts, limitMs: number): Promise<Socket> =>
    limited(createConnection({ ...to, ...socketOptions }), { clock, limitMs }, async () => undefined);
  return (backend) => {
    if ('address' in backend) return open({ host: backend.address, port: backend.port, noDelay: true }, connectMsMax);
    if ('api' in backend) return open({ path: doors.api }, connectMsMax);
    const socket = createConnection({ path: doors.egress, ...socketOptions });
    return limited(socket, { clock, limitMs: egressMsMax }, () => askDoor(socket, backend.egress));
  };
}

interface Limit {
  readonly clock: Pick<Clock, 'after'>;
  readonly limitMs: number;
}

/** The socket, once it is connected and greeted. */
function limited(socket: Socket, { clock, limitMs }: Limit, greet: () => Promise<void>): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      cancel();
      socket.destroy();
      reject(error);
    };
    const cancel = clock.after(limitMs, () => fail(new Error(`no connection within ${limitMs / 1_000} s`)));
    socket.on('error', fail);
    socket.once('connect', () => {
      greet().then(() => {
        cancel();
        socket.off('error', fail).on('error', () => undefined);
        resolve(socket);
      }, fail);
    });
  });
}
