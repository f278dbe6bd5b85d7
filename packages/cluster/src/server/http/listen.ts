import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { fresh } from '../../base/fresh.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import { isWildcard } from '../auth/pki.ts';
import type { ServedApi } from '../context/served-api.ts';
import { createAnswersUnderWay } from './answers-under-way.ts';
import { trackConnections } from './connections.ts';
import { discardRest, endUpload } from './end-upload.ts';
import { createHandler, type HandlerLimits, type HandlerOptions } from './handler.ts';
import { healthRoutes } from './health.ts';
import {
  acceptsGzip,
  connectionOf,
  credentialsOf,
  faultOf,
  headOf,
  type NodeRequest,
  readBody,
  type Trust,
} from './incoming.ts';
import { type NodeResponse, writeAnswer } from './outgoing.ts';
import { createPieceTurns } from './piece-turns.ts';
import type { Route } from './route.ts';
import { contextOf, type ServerTls } from './tls.ts';
import { createUnderWay } from './under-way.ts';
import { handOver, onUpgrade, type Upgrade } from './upgrade.ts';

export interface ListenOptions {
  readonly api: ServedApi;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly tls: ServerTls;
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  /** Aborting closes the listener. */
  readonly signal: AbortSignal;
  readonly report?: HandlerOptions['report'];
  readonly figures?: HandlerOptions['figures'];
  readonly flowControl?: HandlerOptions['flowControl'];
  /** What is answered beside the API and health. */
  readonly routes?: readonly Route[];
  readonly limits?: Partial<ListenLimits>;
}

export interface ListenLimits extends HandlerLimits {
  readonly connectionsMax: number;
  /** How long a connection may stand on which nothing was ever asked. */
  readonly unusedTimeoutMs: number;
  /** How long one may stand on which nothing is asked any more. */
  readonly idleTimeoutMs: number;
  /** What large answers that are ready may hold until their clients have taken them. */
  readonly answersBytesMax: number;
  /** How long a client may take for the headers of a request. */
  readonly headersTimeoutMs: number;
  /** How long a client may send nothing of a body that it has begun. */
  readonly bodyStallTimeoutMs: number;
  /** How long a client may take nothing of an answer. */
  readonly stallTimeoutMs: number;
  /** How long requests under way may take to finish once the listener closes. */
  readonly closeTimeoutMs: number;
}

export const listenLimits: ListenLimits = Object.freeze({
  bodiesMax: 400,
  bodiesBytesMax: 128 * 1024 * 1024,
  readsMax: 800,
  writesMax: 400,
  watchesMax: 10_000,
  connectionsMax: 10_000,
  unusedTimeoutMs: 20_000,
  idleTimeoutMs: 90_000,
  answersBytesMax: 256 * 1024 * 1024,
  encodingsBytesMax: 64 * 1024 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  bodyStallTimeoutMs: 10_000,
  stallTimeoutMs: 60_000,
  closeTimeoutMs: 5_000,
});

export interface Listening {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  readonly port: number;
  /** The address that the system has bound. */
  readonly address: string;
  /** Certificates for connections from now on; those that stand go on. */
  setTls(tls: ServerTls): void;
  /** Takes no more connections, ends watches, lets everything else finish. */
  close(): Promise<void>;
}

const keepAliveTimeoutMs = 75_000;
/** The share of all connections from which idle ones make room. */
const crowdedAt = 0.9;
const headerBytesMax = 16 * 1024;
/** Requests at once on one HTTP/2 connection, as upstream. */
const streamsMax = 250;
/**
 * What one of them may have waiting to be sent. Go's clients send everything over one connection; were there room for less,
 * Node would refuse their next request as soon as some large answers are on their way.
 */
const streamMegabytesMax = 2;

/** Serves HTTP/2 and HTTP/1.1 on one TLS port. Rejects with an Error that names the mend when the port is not to be had. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const limits: ListenLimits = { ...listenLimits, ...options.limits };
  let { tls } = options;
  const server = createServer(tls, limits);
  const trust = (): Trust => ({ ca: tls.ca, proxy: tls.requestHeader, nowMs: options.clock.nowMs });
  const exchange = createExchange({ ...options, limits, trust });
  server.on('request', exchange.serve);
  onUpgrade(server, exchange.serveUpgrade);
  const { clock } = options;
  const connections = trackConnections(server, { ...limits, crowded: crowdedAt * limits.connectionsMax, clock });
  await bind(server, options);
  const { port, address } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      options.signal.removeEventListener('abort', abort);
      const ended = new Promise<void>((resolve) => server.close(() => resolve()));
      await exchange.finish();
      connections.end();
      await ended;
    })();
    return closed;
  };
  const abort = (): void => void close();
  options.signal.addEventListener('abort', abort, { once: true });
  if (options.signal.aborted) await close();
  return {
    url: `https://${hostInUrl(callable(options.host))}:${port}`,
    port,
    address,
    setTls(next) {
      tls = next;
      server.setSecureContext(contextOf(next));
    },
    close,
  };
}

/** Nobody can call "every address"; from this computer it is the loopback's. */
function callable(host: string): string {
  if (!isWildcard(host)) return host;
  return host.includes(':') ? '::1' : '127.0.0.1';
}

/** IPv6 addresses stand in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function createServer(tls: ServerTls, limits: ListenLimits): Http2SecureServer {
  const server = createSecureServer({
    ...contextOf(tls),
    allowHTTP1: true,
    requestCert: true,
    // Those who show no certificate may show a token; `authenticate` decides.
    rejectUnauthorized: false,
    maxSessionRejectedStreams: 100,
    handshakeTimeout: limits.headersTimeoutMs,
    settings: { maxConcurrentStreams: streamsMax, maxHeaderListSize: headerBytesMax },
    maxSessionMemory: streamsMax * streamMegabytesMax,
    // Else the end of an answer in pieces waits until its client has acknowledged the rest, for 40 ms.
    ...{ noDelay: true },
    // Read by the HTTP/1.1 side.
    ...{ maxHeaderSize: headerBytesMax, insecureHTTPParser: false, connectionsCheckingInterval: 1_000 },
  });
  server.maxConnections = limits.connectionsMax;
  return Object.assign(server, {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // One more than is allowed, so that a surplus can be seen.
    maxHeadersCount: 1_001,
    connectionsCheckingInterval: 1_000,
  });
}

function bind(
  server: Http2SecureServer,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: NodeJS.ErrnoException): void =>
      reject(new Error(bindFailure(cause, { host, port }), { cause }));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      // A connection that breaks while it is being made is that client's trouble alone.
      server.on('error', () => {});
      resolve();
    });
  });
}

function bindFailure(
  { code, message }: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is in use; choose another with --port, or 0 for any free one`;
    case 'EACCES':
      return `port ${port} on ${host} may not be used by this user; choose one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this computer; use 127.0.0.1`;
    default:
      return `cannot listen on ${host}:${port}: ${message}`;
  }
}

interface Exchange {
  serve(request: NodeRequest, response: NodeResponse): void;
  serveUpgrade(upgrade: Upgrade): void;
  /** Ends streams and waits for the rest, up to the limit. */
  finish(): Promise<void>;
}

interface ExchangeOptions extends ListenOptions {
  readonly limits: ListenLimits;
  readonly trust: () => Trust;
}

function createExchange(options: ExchangeOptions): Exchange {
  const { limits, clock, trust } = options;
  const { stallTimeoutMs } = limits;
  const answers = createAnswersUnderWay({ bytesMax: limits.answersBytesMax, hold: options.api.hold, clock });
  const turns = createPieceTurns(clock);
  const bodyTimes = { clock, timeoutMs: limits.requestTimeoutMs, stallTimeoutMs: limits.bodyStallTimeoutMs };
  let closing = false;
  const routes = [...healthRoutes({ api: options.api, isClosing: () => closing }), ...(options.routes ?? [])];
  const handle = createHandler({ ...options, routes, report: options.report ?? (() => {}) });
  const underWay = createUnderWay();

  const exchange = async (request: NodeRequest, response: NodeResponse, upgrade?: Upgrade): Promise<void> => {
    const controller = new AbortController();
    // What awaits its end here would be held for each of ten thousand watches.
    let goesOn = false;
    const ended = (): void => underWay.remove(controller);
    underWay.add(controller);
    response.on('close', () => abortUnanswered(controller, response));
    const fault = faultOf(request) ?? upgrade?.fault;
    const method = request.method ?? '';
    try {
      const answer = await handle({
        head: headOf(request, trust().proxy),
        fault: fault ?? answers.refusal(method),
        authenticate: () => options.authenticate(credentialsOf(request, trust())),
        body: (reading) => readBody(request, { ...fresh, ...reading, ...bodyTimes }),
        upgrades: upgrade !== undefined,
        ...{ connection: connectionOf(request), address: request.socket.remoteAddress },
        ...{ signal: controller.signal, controller },
      });
      const isStream = answer.body.is === 'stream';
      if (isStream || answer.take !== undefined) underWay.lasts(controller);
      if (upgrade !== undefined && answer.take !== undefined)
        return await handOver(upgrade, { take: answer.take, signal: controller.signal });
      if (fault === undefined && !closing) await discardRest(request, clock);
      const admitted = answers.admit(answer, response, method);
      const written = writeAnswer(response, admitted instanceof Promise ? await admitted : admitted, {
        ...{ clock, gzip: acceptsGzip(request), method, turns, user: answer.of ?? '', stallTimeoutMs },
        // What is left of a body that was refused would be taken for the next request; and whoever sends requests that
        // can be read in two ways has no second try.
        last: closing || !request.complete || fault !== undefined || upgrade !== undefined,
      });
      const done = written.then(() => endUpload(request, clock));
      goesOn = isStream;
      if (goesOn) void done.then(ended, ended);
      else await done;
    } finally {
      if (!goesOn) ended();
    }
  };

  return {
    serve: (request, response) => void exchange(request, response),
    serveUpgrade: (upgrade) => void exchange(upgrade.request, upgrade.response, upgrade),
    finish() {
      closing = true;
      return underWay.finish({ clock, timeoutMs: limits.closeTimeoutMs });
    },
  };
}

/** As a rule the end of a connection's turn is the end of an answer, for which nobody works any more. */
function abortUnanswered(controller: AbortController, { writableEnded }: NodeResponse): void {
  if (!writableEnded) controller.abort(new Error('the client has gone'));
}
