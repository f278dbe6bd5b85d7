import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { onAbort } from '../base/signal.ts';

export interface Call {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

export type Called =
  | { readonly is: 'answered'; readonly response: IncomingMessage }
  /** Its head speaks of the other protocol. */
  | { readonly is: 'upgraded'; readonly response: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

/** One request over a connection of its own, which ends with the signal. `host` is what the other side is called. */
export function requestOver(
  socket: Duplex,
  { call, host }: { readonly call: Call; readonly host: string },
): Promise<Called> {
  const { method, path, headers, body, signal } = call;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      // With an agent, also with `false`, it would not be asked.
      createConnection: () => socket,
      ...{ method, path },
      headers: { ...headers, host, ...(hasBody(method, body) && { 'content-length': body.length }) },
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
