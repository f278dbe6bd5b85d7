import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer as createPlain, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecure, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CommandError } from '../io/errors.ts';
import { formatListenAddress, type ListenAddress } from '../io/listen-address.ts';
import { fileProblem } from '../io/manifests.ts';

export interface EndpointOptions extends ListenAddress {
  /** Undefined: without TLS. Both files are read again when they have changed. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** What /metrics asks for; probes ask for nothing. Undefined: nothing. */
  readonly tokenFile: string | undefined;
  /** Told of what was survived. */
  readonly warn: (message: string, error: unknown) => void;
  readonly pages: Pages;
}

export interface Pages {
  metrics(): Promise<{ readonly type: string; readonly text: string }>;
  probe(
    name: 'healthz' | 'readyz',
    options: { readonly isVerbose: boolean },
  ): { readonly isWell: boolean; readonly text: string };
}

export interface Endpoint {
  /** Where it really listens. */
  readonly address: ListenAddress;
  readonly isSecure: boolean;
  close(): void;
}

/** Scrapers and kubelets: whoever comes beyond that waits for nothing. */
const connectionsMax = 64;
const requestMsMax = 10_000;

/** Serves /metrics, /healthz and /readyz. What is wrong with address and files is a `CommandError` with the mend. */
export async function serveEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { host, port, tls, tokenFile } = options;
  if (tokenFile !== undefined) await tokenIn(tokenFile);
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    void respond(options, request, response).catch((error: unknown) => {
      options.warn('cannot answer on the port for metrics', error);
      response.destroy();
    });
  const server: Server = tls === undefined ? createPlain(answer) : secureServer(tls, { answer, warn: options.warn });
  server.maxConnections = connectionsMax;
  server.requestTimeout = requestMsMax;
  server.headersTimeout = requestMsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new CommandError(listenProblem(error, options), { cause: error })));
    server.listen({ port, ...(host !== '' && { host }) }, resolve);
  });
  server.on('error', (error) => options.warn('the port for metrics', error));
  return {
    address: { host, port: (server.address() as AddressInfo).port },
    isSecure: tls !== undefined,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listenProblem(error: NodeJS.ErrnoException, address: ListenAddress): string {
  const at = `--listen ${formatListenAddress(address)}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `${at}: another process has this port; choose another one, or end that process`;
    case 'EACCES':
      return `${at}: permission denied; choose a port above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${at}: this machine has no such address; use :${address.port} for all that it has`;
    default:
      return `${at}: ${error.message}`;
  }
}

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

function secureServer(
  files: NonNullable<EndpointOptions['tls']>,
  { answer, warn }: { readonly answer: Answering; readonly warn: EndpointOptions['warn'] },
): SecureServer {
  let current = pairIn(files);
  const server = secureWith(current, answer);
  // Before each handshake: whoever renews certificates tells nobody.
  server.prependListener('connection', () => {
    try {
      const now = pairIn(files);
      if (now.cert === current.cert && now.key === current.key) return;
      server.setSecureContext({ ...now, minVersion: 'TLSv1.2' });
      current = now;
    } catch (error) {
      warn('cannot read the certificate anew, the old one stays', error);
    }
  });
  return server;
}

function secureWith(pair: Pair, answer: Answering): SecureServer {
  try {
    return createSecure({ ...pair, minVersion: 'TLSv1.2' }, answer);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`--tls-cert-file and --tls-private-key-file must be PEM, and belong together: ${why}`, {
      cause,
    });
  }
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

function pairIn({ certFile, keyFile }: NonNullable<EndpointOptions['tls']>): Pair {
  const read = (flag: string, path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw new CommandError(`${flag} ${path}: ${fileProblem(error)}`, { cause: error });
    }
  };
  return { cert: read('--tls-cert-file', certFile), key: read('--tls-private-key-file', keyFile) };
}

async function tokenIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CommandError(`--metrics-token-file ${path}: ${fileProblem(error)}`, { cause: error });
  });
  const token = text.trim();
  if (token === '') throw new CommandError(`--metrics-token-file ${path}: it is empty; write the token into it`);
  return token;
}

async function respond(
  { pages, tokenFile }: EndpointOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://operator');
  const say = (code: number, text: string, type = 'text/plain; charset=utf-8'): void => {
    response.writeHead(code, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  };
  request.resume();
  if (request.method !== 'GET' && request.method !== 'HEAD') return say(405, 'only GET and HEAD\n');
  switch (pathname) {
    case '/healthz':
    case '/readyz': {
      const name = pathname.slice(1) as 'healthz' | 'readyz';
      const { isWell, text } = pages.probe(name, { isVerbose: searchParams.has('verbose') });
      return say(isWell ? 200 : 503, text);
    }
    case '/metrics': {
      if (tokenFile !== undefined && !isBearer(request, await tokenIn(tokenFile))) {
        response.setHeader('www-authenticate', 'Bearer');
        return say(401, 'the token of --metrics-token-file is missing or wrong\n');
      }
      const { type, text } = await pages.metrics();
      return say(200, text, type);
    }
    default:
      return say(404, 'here are /metrics, /healthz and /readyz\n');
  }
}

/** In a time that tells nothing of the token. */
function isBearer({ headers }: IncomingMessage, token: string): boolean {
  const [, shown = ''] = /^Bearer +(.+)$/i.exec(headers.authorization ?? '') ?? [];
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(shown.trim()), digest(token));
}
