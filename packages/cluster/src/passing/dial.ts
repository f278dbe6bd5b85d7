import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { onAbort } from '../base/signal.ts';

export interface Dialling {
  readonly host: string;
  readonly port: number;
  /** As messages name it. */
  readonly address: string;
  readonly tls: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;
  readonly signal: AbortSignal;
  /** What is wrong with who was met, once the connection stands. */
  judge?(socket: TLSSocket): Error | undefined;
}

const connectMs = 10_000;

/** Rejects with the system's error, with the judge's, or with one that says that nobody answered. */
export function dialTls({ host, port, address, tls, signal, judge }: Dialling): Promise<TLSSocket> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...{ host, port, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'], timeout: connectMs },
      ...tls,
    });
    const settle = (error?: unknown): void => {
      stop();
      socket.off('error', settle).off('timeout', late).setTimeout(0);
      // What breaks later is told by `close`.
      socket.on('error', () => undefined);
      if (error === undefined) resolve(socket);
      else {
        socket.destroy();
        reject(error);
      }
    };
    const late = (): void => settle(new Error(`dial tcp ${address}: i/o timeout`));
    const stop = onAbort(signal, () => settle(signal.reason));
    socket.once('error', settle).once('timeout', late);
    socket.once('secureConnect', () => settle(judge?.(socket)));
  });
}

/** What a request met that did not get there, as upstream's server tells it. */
export function dialFailure(error: unknown, address: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`;
    case 'EHOSTUNREACH':
      return `dial tcp ${address}: connect: no route to host`;
    case 'ETIMEDOUT':
      return `dial tcp ${address}: i/o timeout`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${address}: no such host`;
    case 'ECONNRESET':
      return 'EOF';
    default:
      return message;
  }
}
