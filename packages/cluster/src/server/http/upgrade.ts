import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TakeOver } from '../../api/passing.ts';
import { badRequest, type Status } from '../../api/status.ts';

/** A request that asks for another protocol on its connection. HTTP/1.1 only. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client has sent behind its request already. */
  readonly head: Buffer;
  /** Carries an answer in HTTP when nobody takes the connection over; it is closed after that. */
  readonly response: ServerResponse;
  /** Why it must be refused before anything else is looked at. */
  readonly fault: Status | undefined;
}

/**
 * Node hands over the bare connection of whoever asks for another protocol. It goes the way of every request, so that who
 * asks is known and allowed, and gets a Status when the answer is no.
 */
export function onUpgrade(server: Http2SecureServer, serve: (upgrade: Upgrade) => void): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A connection that breaks is that client's trouble alone.
    socket.on('error', () => {});
    const response = new ServerResponse(request);
    response.assignSocket(socket as Socket);
    response.on('finish', () => socket.end());
    serve({ request, socket, head, response, fault: faultOf(request) });
  });
}

/** Node reads no body of such a request, and what it does not read would be taken for the other protocol. */
function faultOf({ headers }: IncomingMessage): Status | undefined {
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
  return hasBody ? badRequest('a request with a body cannot ask for another protocol: leave out Upgrade') : undefined;
}

/** Resolves when the connection has ended; its response, which says nothing any more, tells of that too. */
export function handOver(
  { request, socket, head }: Upgrade,
  { take, signal }: { readonly take: TakeOver; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', resolve);
    take({ request, socket, head, signal });
  });
}
