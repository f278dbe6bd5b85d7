import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { onAbort } from '../../base/signal.ts';
import { addressOf, type Door, isLoopback } from './door.ts';

/** What the API server shows to kubelets, and by what it knows theirs. All PEM, read at each call: they are renewed. */
export interface KubeletCredentials {
  pem(): string;
  kubeletClient?(): { readonly cert: string; readonly key: string };
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

export type Called =
  | { readonly is: 'answered'; readonly response: IncomingMessage }
  /** Its head speaks of the other protocol. */
  | { readonly is: 'upgraded'; readonly response: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

const connectMs = 10_000;
const unknownAuthority = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

/** One request over a connection of its own. Rejects with the system's error, or with one that says who was met there. */
export async function callKubelet(
  door: Door,
  call: Call,
  credentials: KubeletCredentials | undefined,
): Promise<Called> {
  const socket = await dial(door, call.signal, credentials);
  const { method, path, headers, body, signal } = call;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      // With an agent, also with `false`, it would not be asked.
      createConnection: () => socket,
      ...{ method, path },
      headers: { ...headers, host: addressOf(door), ...(hasBody(method, body) && { 'content-length': body.length }) },
    });
    const stop = onAbort(signal, () => socket.destroy());
    socket.once('close', stop);
    request.once('response', (response) => resolve({ is: 'answered', response }));
    request.once('upgrade', (response, upgraded, head) =>
      resolve({ is: 'upgraded', response, socket: upgraded, head }),
    );
    request.on('error', reject);
    request.end(hasBody(method, body) ? body : undefined);
  });
}

function hasBody(method: string, body: Buffer | undefined): body is Buffer {
  return body !== undefined && (body.length > 0 || !['GET', 'HEAD'].includes(method));
}

/**
 * Whoever shows a certificate of the cluster's authority is a kubelet of the cluster. Anybody else counts as one only on this
 * machine: upstream does not check at all unless it is told to.
 */
function dial(door: Door, signal: AbortSignal, credentials: KubeletCredentials | undefined): Promise<TLSSocket> {
  signal.throwIfAborted();
  const ca = credentials?.pem();
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...{ host: door.host, port: door.port, minVersion: 'TLSv1.2', rejectUnauthorized: false },
      ALPNProtocols: ['http/1.1'],
      ...(ca !== undefined && { ca }),
      ...credentials?.kubeletClient?.(),
      timeout: connectMs,
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
    const late = (): void => settle(new Error(`dial tcp ${addressOf(door)}: i/o timeout`));
    const stop = onAbort(signal, () => settle(signal.reason));
    socket.once('error', settle).once('timeout', late);
    socket.once('secureConnect', () => {
      const isTrusted = socket.authorized || isLoopback(socket.remoteAddress ?? '');
      settle(isTrusted ? undefined : new Error(unknownAuthority));
    });
  });
}

/** As upstream's server tells what its own request to the kubelet met. */
export function failureText(error: unknown, door: Door): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${addressOf(door)}: connect: connection refused`;
    case 'EHOSTUNREACH':
      return `dial tcp ${addressOf(door)}: connect: no route to host`;
    case 'ETIMEDOUT':
      return `dial tcp ${addressOf(door)}: i/o timeout`;
    case 'ECONNRESET':
      return 'EOF';
    default:
      return message;
  }
}
