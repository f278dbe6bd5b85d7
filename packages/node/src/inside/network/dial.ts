/** Connections for the outside: to addresses of the cluster network, and to a pod's own loopback interface. */
import { createConnection, type NetConnectOpts, type Socket } from 'node:net';
import { invalid } from '../../protocol/failure.ts';
import type { DialTarget, Waiting } from '../../protocol/inside.ts';
import type { Pods } from '../pods.ts';
import type { Relays } from './relays.ts';

export interface DialTools {
  readonly pods: Pods;
  readonly relays: Relays;
}

export async function dialTo(to: DialTarget, { pods, relays }: DialTools, { signal }: Waiting): Promise<Socket> {
  if (!Number.isInteger(to.port) || to.port < 1 || to.port > 65_535) throw invalid(`${to.port} is no port`);
  if (!('pod' in to)) return connected({ host: to.host, port: to.port }, signal);
  const { network } = pods.get(to.pod).namespaces;
  if (network === undefined) return connected({ host: '127.0.0.1', port: to.port }, signal);
  return relays.dial({ network, port: to.port }, { signal });
}

export function connected(to: NetConnectOpts, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ ...to, allowHalfOpen: true });
    const stop = (): void => void socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
    signal.addEventListener('abort', stop, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', stop));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
  });
}
