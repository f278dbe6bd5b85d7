import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { RequestHeaderTerms } from '../../api/front-proxy.ts';
import type { User } from '../../api/operation.ts';
import { badRequest, failure, type Status, StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import { onAbort } from '../../base/signal.ts';
import type { CertificateSubject, Credentials } from '../auth/authenticate.ts';
import { isSignedBy } from '../auth/client-trust.ts';
import { headerUser, isIdentityHeader, unescapedKey } from '../auth/request-header.ts';
import { bodyBytesMax, tooLarge } from './codec/body.ts';
import type { RequestHead } from './codec/decode.ts';
import type { Reading } from './handler.ts';
import { createPieces } from './pieces.ts';

/** A request of either protocol, as Node hands it over. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

const headersMax = 1_000;

export function headOf(request: NodeRequest, proxy?: RequestHeaderTerms): RequestHead {
  const headers: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(request.headers)) {
    // Who asks is settled at the door; nobody behind it is to believe these.
    if (proxy !== undefined && isIdentityHeader(name, proxy)) continue;
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { method: request.method ?? '', target: request.url ?? '', headers };
}

/**
 * What Node lets through and no careful server may: two answers to "which host?" or "who are you?" are read differently
 * by whatever stands in front of this server.
 */
export function faultOf({
  rawHeaders,
  httpVersion,
}: Pick<NodeRequest, 'rawHeaders' | 'httpVersion'>): Status | undefined {
  if (rawHeaders.length / 2 > headersMax)
    return failure(431, 'BadRequest', `too many request headers: limit is ${headersMax}`);
  const hosts = new Set<string>();
  const counts = { host: 0, authorization: 0, length: 0 };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase();
    if (name === 'host') counts.host++;
    if (name === 'host' || name === ':authority') hosts.add(rawHeaders[index + 1] ?? '');
    if (name === 'authorization') counts.authorization++;
    if (name === 'content-length') counts.length++;
  }
  if (hosts.size === 0 && httpVersion !== '1.0') return badRequest('the request names no host');
  if (counts.host > 1 || hosts.size > 1) return badRequest('the request names more than one host');
  if (counts.length > 1) return badRequest('the request states its length more than once');
  if (counts.authorization > 1) return failure(401, 'Unauthorized', 'Unauthorized');
  return undefined;
}

/** Certificates do not change during a connection, and reading them is slow. */
const peers = new WeakMap<object, Peer>();

/** What a client certificate says of who is at the other end. */
interface Peer {
  /** Of one that the clients' authority has signed. */
  readonly subject?: CertificateSubject | undefined;
  /** It is that of the proxy in front. */
  readonly isProxy?: boolean;
  readonly isStrange?: boolean;
}

/** Whose certificates count, and for what. */
export interface Trust {
  /** PEM; empty: nobody signs certificates of clients. */
  readonly ca: string;
  /** Absent: there is no proxy in front. */
  readonly proxy?: RequestHeaderTerms | undefined;
  readonly nowMs: () => number;
}

/** What all requests over one connection have in common. */
export function connectionOf(request: NodeRequest): object {
  // For HTTP/2 the request's own socket is a stand-in; the session is what was authenticated.
  return ('stream' in request ? request.stream.session : undefined) ?? request.socket;
}

export function credentialsOf(request: NodeRequest, trust: Trust): Credentials {
  const { subject, isProxy = false, isStrange = false } = peerOf(request, trust);
  return {
    authorization: request.headers.authorization,
    certificate: subject,
    ...(isProxy && trust.proxy !== undefined && { proxied: headerUser(request.rawHeaders, trust.proxy) }),
    isStrange,
    impersonate: impersonation(request),
  };
}

function peerOf(request: NodeRequest, trust: Trust): Peer {
  const holder = connectionOf(request);
  const session = 'stream' in request ? request.stream.session : undefined;
  const socket = (session === undefined ? request.socket : session.socket) as TLSSocket;
  const known = peers.get(holder);
  if (known !== undefined) return known;
  const peer = readPeer(socket, trust);
  peers.set(holder, peer);
  return peer;
}

function readPeer(socket: TLSSocket, { ca, proxy, nowMs }: Trust): Peer {
  if (ca === '' && proxy === undefined) return {};
  if (socket.authorized !== true) return { isStrange: isShown(socket) };
  const subject = readSubject(socket);
  if (proxy === undefined) return { subject };
  const certificate = socket.getPeerX509Certificate?.() as X509Certificate | undefined;
  if (certificate === undefined) return {};
  const isProxy = isSignedBy(certificate, { authorities: proxy.ca, nowMs: nowMs() }) && isAllowed(subject, proxy);
  const isClient = ca !== '' && isSignedBy(certificate, { authorities: ca, nowMs: nowMs() });
  // A proxy that names nobody, or is none of those that may, is known by its certificate or not at all.
  return { isProxy, ...(isClient ? { subject } : { isStrange: true }) };
}

function isShown(socket: TLSSocket): boolean {
  return Object.keys(socket.getPeerCertificate?.(false) ?? {}).length > 0;
}

function isAllowed(subject: CertificateSubject | undefined, { allowedNames }: RequestHeaderTerms): boolean {
  return allowedNames.length === 0 || allowedNames.includes(subject?.commonName ?? '');
}

function readSubject(socket: TLSSocket): CertificateSubject | undefined {
  const certificate = socket.getPeerCertificate(false);
  const subject = certificate?.subject as Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  const commonName = single(subject?.['CN']);
  if (commonName === undefined || commonName === '') return undefined;
  const organizations = subject?.['O'];
  return {
    commonName,
    organizations:
      organizations === undefined ? [] : typeof organizations === 'string' ? [organizations] : organizations,
    digest: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value[0];
}

function rawValues({ rawHeaders }: NodeRequest, name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

const extraPrefix = 'impersonate-extra-';

/** Whom a request wants to be taken for. What is said of nobody is refused later. */
function impersonation(request: NodeRequest): User | undefined {
  const { 'impersonate-user': name, 'impersonate-group': group, 'impersonate-uid': uid } = request.headers;
  const extras = Object.keys(request.headers).filter((header) => header.startsWith(extraPrefix));
  const id = single(uid) ?? '';
  if ((single(name) ?? '') === '' && group === undefined && id === '' && extras.length === 0) return undefined;
  return {
    name: single(name) ?? '',
    groups: rawValues(request, 'impersonate-group'),
    ...(id !== '' && { uid: id }),
    ...(extras.length > 0 && {
      extra: Object.fromEntries(
        extras.map((header) => [unescapedKey(header.slice(extraPrefix.length)), rawValues(request, header)]),
      ),
    }),
  };
}

export function acceptsGzip({ headers }: NodeRequest): boolean {
  return /(^|[,\s])gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))|,|$)/.test(String(headers['accept-encoding'] ?? ''));
}

interface ReadBodyOptions extends Reading {
  readonly clock: Clock;
  /** For the whole body. */
  readonly timeoutMs: number;
  /** Looked at this often whether anything has come meanwhile. */
  readonly stallTimeoutMs: number;
}

/** The whole body. Refuses with 408, 413 or 415 and then stops reading. */
export function readBody(request: NodeRequest, options: ReadBodyOptions): Promise<Buffer> {
  const { clock, timeoutMs, stallTimeoutMs, signal } = options;
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity')
    return Promise.reject(
      new StatusError(
        failure(415, 'UnsupportedMediaType', `the content encoding ${JSON.stringify(encoding)} is not supported`),
      ),
    );
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) return Promise.reject(tooLarge());
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const pieces = createPieces();
    let size = 0;
    let seenSize = 0;
    let leftMs = timeoutMs;
    let lookAfterMs = 0;
    let cancel: () => void = () => undefined;
    const settle = (): void => {
      cancel();
      stop();
      request.off('data', take).off('end', done).off('error', failed).off('close', cut);
    };
    const failed = (error: unknown): void => {
      settle();
      request.pause();
      reject(error);
    };
    const take = (piece: Buffer): void => {
      size += piece.length;
      try {
        if (size > bodyBytesMax) throw tooLarge();
        options.hold(piece.length);
      } catch (error) {
        failed(error);
        return;
      }
      pieces.add(piece);
    };
    const done = (): void => {
      settle();
      resolve(pieces.all());
    };
    // Looked at now and then: to wind a clock up again for each of a million pieces costs more than to read them.
    const look = (): void => {
      leftMs -= lookAfterMs;
      if (size === seenSize || leftMs <= 0) {
        failed(tooSlow());
        return;
      }
      seenSize = size;
      lookLater();
    };
    const lookLater = (): void => {
      lookAfterMs = Math.min(stallTimeoutMs, leftMs);
      cancel = clock.after(lookAfterMs, look);
    };
    const cut = (): void => failed(new StatusError(badRequest('the request ended before its body did')));
    lookLater();
    const stop = onAbort(signal, () => failed(signal.reason));
    request.on('data', take).on('end', done).on('error', failed).on('close', cut);
  });
}

function tooSlow(): StatusError {
  return new StatusError(failure(408, 'Timeout', 'the body of the request came too slowly', {}));
}
