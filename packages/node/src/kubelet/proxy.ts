import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { connect } from 'node:tls';

export interface Proxied {
  readonly scheme: string;
  /** As the request names it. */
  readonly host: string;
  readonly path: string;
  readonly socket: Duplex;
}

/** Hands a request to what listens in a pod, and its answer back. Rejects when that one speaks no HTTP. */
export async function proxyTo(
  { scheme, host, path, socket }: Proxied,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  // Nobody in a pod has a certificate that could be checked.
  const connection = scheme === 'https' ? connect({ socket, rejectUnauthorized: false }) : socket;
  connection.on('error', () => undefined);
  const { connection: _ours, authorization: _secret, ...headers } = request.headers;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = httpRequest({
      createConnection: () => connection,
      ...{ method: request.method ?? 'GET', path, headers: { ...headers, host, connection: 'close' } },
    });
    asked.once('response', resolve).once('error', reject);
    response.once('close', () => asked.destroy());
    request.pipe(asked);
  });
  const { connection: _theirs, 'transfer-encoding': _encoding, 'keep-alive': _keep, ...shown } = answer.headers;
  response.writeHead(answer.statusCode ?? 502, shown);
  await pipeline(answer, response);
}
