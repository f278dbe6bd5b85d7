import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** Sockets and sessions outlive their requests; closing the server must not wait for idle ones. */
export function trackConnections(server: Http2SecureServer): { end(): void } {
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => {});
  });
  return {
    end() {
      for (const session of sessions) session.close();
      for (const socket of sockets) socket.destroySoon();
    },
  };
}
