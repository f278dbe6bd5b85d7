import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { createIdleConnections, type IdleLimits } from './idle-connections.ts';
import type { NodeRequest } from './incoming.ts';
import type { NodeResponse } from './outgoing.ts';

/** One TCP connection; `end` is kinder once it is known what is spoken on it. */
interface Tracked {
  end: () => void;
}

/**
 * Sockets and sessions outlive their requests: closing the server must not wait for idle ones, and whoever only holds them
 * must not keep others out.
 */
export function trackConnections(
  server: Http2SecureServer,
  { clock, ...limits }: IdleLimits & { readonly clock: Clock },
): { end(): void } {
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  const idle = createIdleConnections(limits, clock);
  // A secured socket and a session do not tell what they are built on; the address of their peer does.
  const byPeer = new Map<string, Tracked>();
  const bySocket = new WeakMap<object, Tracked>();

  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    const tracked: Tracked = { end: () => socket.destroySoon() };
    const peer = peerOf(socket);
    byPeer.set(peer, tracked);
    idle.opened(tracked);
    socket.on('close', () => {
      sockets.delete(socket);
      if (byPeer.get(peer) === tracked) byPeer.delete(peer);
      idle.closed(tracked);
    });
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    const tracked = byPeer.get(peerOf(socket));
    if (tracked !== undefined) bySocket.set(socket, tracked);
  });
  server.on('session', (session) => {
    sessions.add(session);
    const tracked = byPeer.get(peerOf(session.socket));
    // Says goodbye: a client that begins a request meanwhile knows that it was not heard.
    if (tracked !== undefined) tracked.end = () => session.close();
    session.on('stream', (stream) => {
      if (tracked === undefined) return;
      idle.busy(tracked);
      stream.once('close', () => idle.free(tracked));
    });
    session.on('close', () => sessions.delete(session));
    session.on('error', () => {});
  });
  server.on('request', (request: NodeRequest, response: NodeResponse) => {
    const tracked = request.httpVersionMajor === 1 ? bySocket.get(request.socket) : undefined;
    if (tracked === undefined) return;
    idle.busy(tracked);
    response.once('close', () => idle.free(tracked));
  });
  // What was handed over to another protocol is never idle again.
  server.on('upgrade', (request: NodeRequest) => {
    const tracked = bySocket.get(request.socket);
    if (tracked !== undefined) idle.busy(tracked);
  });
  return {
    end() {
      for (const session of sessions) session.close();
      for (const socket of sockets) socket.destroySoon();
    },
  };
}

function peerOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
