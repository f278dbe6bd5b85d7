import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Random } from '@signalbox/cluster';
import type { ServerFacts } from './server.ts';

/** What an assault works with. Everything that it opens is closed when it is over. */
export interface Hands {
  readonly random: Random;
  /** How often, for an assault that says it for the short run. */
  times(short: number): number;
  /** A TLS connection for bytes of one's own; resolves when it stands. */
  socket(protocol?: 'http/1.1' | 'h2'): Promise<RawSocket>;
  session(settings?: { readonly initialWindowSize?: number }): ClientHttp2Session;
  /** Sends a whole request and resolves with the status; 0 when there was none. */
  ask(over: ClientHttp2Session, request: Request): Promise<number>;
  /** Begins a request and leaves it open. */
  begin(over: ClientHttp2Session, headers: OutgoingHttpHeaders): ClientHttp2Stream;
  wait(ms: number): Promise<void>;
}

export interface Request {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Buffer;
  readonly contentType?: string;
}

export interface RawSocket {
  readonly socket: TLSSocket;
  /** What came back so far. */
  text(): string;
  /** Waits until the server closes, at most for so long. */
  closed(ms: number): Promise<void>;
}

export interface Tools {
  readonly hands: Hands;
  /** Answers by status. */
  readonly codes: Map<number, number>;
  close(): void;
}

/**
 * What one of our connections may hold. Node counts the bodies that wait to be sent; beyond ten megabytes, its default, it resets the
 * streams whose answers arrive, and a stream whose body was not sent yet stays open for ever: that would be our doing, not the server's.
 */
const sessionMegabytesMax = 1_000;

export function createTools(
  { url, ca, cert, key }: ServerFacts,
  { random, factor }: { readonly random: Random; readonly factor: number },
): Tools {
  const codes = new Map<number, number>();
  const open = new Set<{ destroy(): void }>();
  const { hostname: host, port } = new URL(url);
  const count = (code: number): void => void codes.set(code, (codes.get(code) ?? 0) + 1);
  const begin = (over: ClientHttp2Session, headers: OutgoingHttpHeaders): ClientHttp2Stream => {
    const stream = over.request(headers);
    stream.on('error', () => undefined);
    stream.on('response', (answer) => count(Number(answer[':status'] ?? 0)));
    return stream;
  };
  const hands: Hands = {
    random,
    times: (short) => short * factor,
    socket: (protocol = 'http/1.1') =>
      new Promise((resolve, reject) => {
        const socket = connectTls({ host, port: Number(port), ca, cert, key, ALPNProtocols: [protocol] });
        open.add(socket);
        const chunks: Buffer[] = [];
        const text = (): string => Buffer.concat(chunks).toString('latin1');
        socket.on('data', (chunk: Buffer) => chunks.push(chunk));
        socket.on('error', reject);
        socket.on('secureConnect', () =>
          resolve({
            socket,
            text,
            closed: (ms) =>
              new Promise((done) => {
                const timer = setTimeout(done, ms);
                socket.on('close', () => {
                  clearTimeout(timer);
                  for (const [, code = '0'] of text().matchAll(/HTTP\/1\.1 (\d{3})/g)) count(Number(code));
                  done();
                });
                if (socket.destroyed) socket.emit('close', false);
              }),
          }),
        );
      }),
    session(settings = {}) {
      const session = connectHttp2(url, { ca, cert, key, settings, maxSessionMemory: sessionMegabytesMax });
      session.on('error', () => undefined);
      open.add(session);
      return session;
    },
    begin,
    ask: (over, { method = 'GET', path, body, contentType = 'application/json' }) =>
      new Promise((resolve) => {
        if (over.destroyed || over.closed) {
          resolve(0);
          return;
        }
        const stream = begin(over, { ':method': method, ':path': path, 'content-type': contentType });
        let code = 0;
        stream.on('response', (answer) => {
          code = Number(answer[':status'] ?? 0);
        });
        stream.on('close', () => resolve(code));
        stream.resume();
        stream.end(body);
      }),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
  return {
    hands,
    codes,
    close() {
      for (const each of open) each.destroy();
      open.clear();
    },
  };
}
