import { setMaxListeners } from 'node:events';
import { type Duplex, pipeline } from 'node:stream';
import { type SpdyStream, serveSpdy } from '../spdy/connection.ts';

export interface Forwarding {
  /** What messages call the pod. */
  readonly pod: { readonly name: string; readonly uid: string };
  /** Aborts when the door closes: clients then say that the pod is lost. */
  readonly closing: AbortSignal;
  dial(port: number, signal: AbortSignal): Promise<Duplex>;
}

/** As they are offered by a WebSocket, which carries SPDY, and by SPDY itself. */
export const tunnelProtocol = 'SPDY/3.1+portforward.k8s.io';
export const forwardProtocol = 'portforward.k8s.io';

/**
 * Each connection of the client's is two streams that share a request: one for what goes wrong, one for its bytes. Resolves when
 * the client has gone.
 */
export async function forwardPorts(transport: Duplex, forwarding: Forwarding): Promise<void> {
  const ending = new AbortController();
  // Each connection listens to it.
  setMaxListeners(0, ending.signal);
  const errors = new Map<string, Duplex>();
  const connection = serveSpdy(transport, ({ headers, bytes }) => {
    bytes.on('error', () => undefined);
    const request = headers.get('requestid') ?? '';
    switch (headers.get('streamtype')) {
      case 'error':
        // Nothing comes on it, and its end must be seen.
        errors.set(request, bytes.resume());
        return;
      case 'data':
        void forward({ headers, bytes }, { ...forwarding, error: errors.get(request), signal: ending.signal });
        errors.delete(request);
        return;
      default:
        bytes.destroy();
    }
  });
  const leave = (): void => void transport.destroy();
  forwarding.closing.addEventListener('abort', leave, { once: true });
  await connection.closed;
  forwarding.closing.removeEventListener('abort', leave);
  ending.abort(new Error('the client has gone'));
}

interface Forwarded extends Forwarding {
  readonly error: Duplex | undefined;
  readonly signal: AbortSignal;
}

async function forward({ headers, bytes }: SpdyStream, to: Forwarded): Promise<void> {
  const { error, pod, signal } = to;
  const text = headers.get('port') ?? '';
  const port = Number(text);
  try {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`"${text}" is no port`);
    await join(bytes, await to.dial(port, signal));
    error?.end();
  } catch (cause) {
    const { message } = cause as Error;
    error?.end(`error forwarding port ${text} to pod ${pod.name}, uid ${pod.uid}: ${message}`);
    bytes.end();
    bytes.resume();
  }
}

/** Until the pod has closed; a client that says no more may go on to listen. */
function join(near: Duplex, far: Duplex): Promise<void> {
  return new Promise((resolve) => {
    pipeline(near, far, () => undefined);
    pipeline(far, near, () => {
      far.destroy();
      resolve();
    });
  });
}
