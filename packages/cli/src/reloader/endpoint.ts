import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TLSSocket, Server as TlsServer } from 'node:tls';
import type { Log } from './log.ts';
import { reasonOf } from './log.ts';
import type { ClientAuth, WebConfig, WebTls } from './web-config.ts';

export interface EndpointOptions {
  readonly host: string | undefined;
  readonly port: number;
  readonly web: WebConfig;
  readonly log: Log;
  /** What /metrics answers. */
  metrics(): Promise<string>;
}

export interface Endpoint {
  /** The one that was free, when any was asked for. */
  readonly port: number;
  close(): void;
}

/** A scraper and a kubelet: whoever comes beyond that waits for nothing. */
const connectionsMax = 64;
const requestMsMax = 10_000;

/** Serves /metrics and /healthz. Rejects with why it cannot listen. */
export async function serveEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { host, port, web, log } = options;
  const answer = (request: IncomingMessage, response: ServerResponse): void => void respond(options, request, response);
  const server: Server = web.tls === undefined ? await plainServer(answer) : await tlsServer(web.tls, { answer, log });
  server.maxConnections = connectionsMax;
  server.requestTimeout = requestMsMax;
  server.headersTimeout = requestMsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host !== undefined && { host }) }, resolve);
  });
  server.on('error', (error) => log('error', 'web server', { err: reasonOf(error) }));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

async function plainServer(answer: Answering): Promise<Server> {
  const { createServer } = await import('node:http');
  return createServer(answer);
}

async function tlsServer(
  tls: WebTls,
  { answer, log }: { readonly answer: Answering; readonly log: Log },
): Promise<Server> {
  const { createServer } = await import('node:https');
  let current = tls.context();
  const server = createServer(
    {
      ...current,
      requestCert: tls.clients !== 'NoClientCert',
      rejectUnauthorized: tls.clients === 'RequireAndVerifyClientCert',
    },
    answer,
  );
  // Before the handshake of each connection, as upstream does: whoever renews certificates tells nobody.
  server.prependListener('connection', () => {
    try {
      const now = tls.context();
      if (now.cert === current.cert && now.key === current.key && now.ca === current.ca) return;
      (server as TlsServer).setSecureContext(now);
      current = now;
    } catch (error) {
      log('error', 'cannot read the certificate anew, the old one stays', { err: reasonOf(error) });
    }
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    if (!isWelcome(socket, tls.clients)) socket.destroy();
  });
  server.on('tlsClientError', (error) => log('debug', 'TLS handshake', { err: reasonOf(error) }));
  return server;
}

function isWelcome(socket: TLSSocket, clients: ClientAuth): boolean {
  const hasCertificate = Object.keys(socket.getPeerCertificate()).length > 0;
  switch (clients) {
    case 'NoClientCert':
    case 'RequestClientCert':
    case 'RequireAndVerifyClientCert':
      return true;
    case 'RequireAnyClientCert':
      return hasCertificate;
    case 'VerifyClientCertIfGiven':
      return !hasCertificate || socket.authorized;
    default:
      return clients satisfies never;
  }
}

async function respond(
  { web, metrics, log }: EndpointOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path] = (request.url ?? '').split('?');
  for (const [name, value] of Object.entries(web.headers)) response.setHeader(name, value);
  try {
    if (path === '/metrics') send(response, await metrics(), 'text/plain; version=0.0.4; charset=utf-8');
    else if (path === '/healthz') send(response, '{"status":"up"}');
    else {
      response.statusCode = 404;
      send(response, '404 page not found\n');
    }
  } catch (error) {
    log('error', 'web server', { err: reasonOf(error) });
    response.destroy();
  }
}

function send(response: ServerResponse, body: string, type = 'text/plain; charset=utf-8'): void {
  response.setHeader('content-type', type);
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}
