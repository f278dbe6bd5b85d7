import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connection, Passed, Passing } from '../api/passing.ts';
import { onAbort } from '../base/signal.ts';
import type { Call, Called } from './request.ts';

export interface PassingOn {
  /** With its query. */
  readonly path: string;
  /** What the other side is told besides, as who asks: such names are never the client's to choose. */
  readonly adds?: Readonly<Record<string, string | readonly string[]>> | undefined;
  send(call: Call): Promise<Called>;
}

/** Hands a request on; answers and upgraded connections come back as they are. Rejects when the other side is not reached. */
export async function passOn({ path, adds, send }: PassingOn, passing: Passing): Promise<Passed> {
  const { method, upgrades, signal } = passing;
  const body = upgrades ? undefined : await passing.body();
  const headers = { ...passedHeaders(passing), ...adds };
  const called = await send({ method, path, headers, signal, ...(body !== undefined && { body }) });
  const { response } = called;
  if (called.is === 'upgraded') {
    const far = { response, socket: called.socket, head: called.head };
    return { is: 'taken', take: (near) => join(near, far) };
  }
  return { is: 'answer', code: response.statusCode ?? 502, headers: answerHeaders(response), body: response };
}

/** Of one connection alone, or meant for this server: who asks is settled, and credentials are not for others to see. */
const kept = new Set([
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'host',
  'http2-settings',
  'keep-alive',
]);
const keptToo = new Set(['expect', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

function isKept(name: string): boolean {
  const isPersonal = ['impersonate-', 'x-remote-', 'x-forwarded-', ':'].some((prefix) => name.startsWith(prefix));
  return kept.has(name) || keptToo.has(name) || name === 'proxy-connection' || isPersonal;
}

/** What the other side is told of the client's own. */
export function passedHeaders({
  headers,
  upgrades,
}: Pick<Passing, 'headers' | 'upgrades'>): Readonly<Record<string, string>> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined && !isKept(name)) sent[name] = value;
  if (upgrades) Object.assign(sent, { connection: 'Upgrade', upgrade: headers['upgrade'] ?? '' });
  return sent;
}

function answerHeaders({ headers }: IncomingMessage): Readonly<Record<string, string | readonly string[]>> {
  const shown: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined && !isKept(name)) shown[name] = value;
  return shown;
}

interface Far {
  readonly response: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** From here on bytes alone: each side waits for the other to take them, and ends when the other does. */
function join({ socket: near, head, signal }: Connection, far: Far): void {
  const { statusCode, statusMessage, rawHeaders } = far.response;
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  near.write(`${lines.join('\r\n')}\r\n\r\n`);
  near.write(far.head);
  far.socket.write(head);
  const stop = onAbort(signal, () => near.destroy());
  near
    .on('error', () => undefined)
    .once('close', () => {
      stop();
      far.socket.destroy();
    });
  far.socket.on('error', () => undefined).once('close', () => near.end());
  near.pipe(far.socket);
  far.socket.pipe(near);
}
