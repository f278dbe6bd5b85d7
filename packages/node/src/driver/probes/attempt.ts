import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { connect as connectTls } from 'node:tls';
import type { ContainerPort, ExecAction, GRPCAction, HTTPGetAction, TCPSocketAction } from '@signalbox/cluster';
import type { ContainerId, Inside, Waiting } from '../../protocol/inside.ts';
import { grpcHealth } from './grpc.ts';

/** Where somebody is asked something: by a probe, or by a hook of its life. */
export interface Asked {
  readonly container: ContainerId;
  /** The pod's address. */
  readonly host: string;
  readonly ports: readonly ContainerPort[];
}

export interface Asking {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly tcpSocket?: TCPSocketAction;
  readonly grpc?: GRPCAction;
}

export type Answer = { readonly success: true } | { readonly success: false; readonly message: string };

const good: Answer = { success: true };

/** Asks once. Never throws but for its signal; what went wrong is told in a kubelet's words where those are known. */
export async function attempt(
  asking: Asking,
  asked: Asked,
  { inside, signal }: Waiting & { readonly inside: Inside },
): Promise<Answer> {
  try {
    if (asking.exec !== undefined) return await byExec(asking.exec, asked, { inside, signal });
    if (asking.httpGet !== undefined) return await byHttp(asking.httpGet, asked, { inside, signal });
    if (asking.tcpSocket !== undefined) return await byTcp(asking.tcpSocket, asked, { inside, signal });
    if (asking.grpc !== undefined) return await byGrpc(asking.grpc, asked, { inside, signal });
    return bad('missing probe handler');
  } catch (error) {
    return bad(error instanceof Error ? error.message : String(error));
  }
}

interface Means extends Waiting {
  readonly inside: Inside;
}

/** What a container says is kept in events; no more of it than this. */
const outputMax = 10 * 1024;

async function byExec({ command = [] }: ExecAction, { container }: Asked, { inside, signal }: Means): Promise<Answer> {
  const session = await inside.exec(container, { argv: command, stdin: false, tty: false }, { signal });
  let output = '';
  const keep = (chunk: Buffer | string): void => {
    if (output.length < outputMax) output += chunk.toString();
  };
  session.stdout.on('data', keep);
  session.stderr?.on('data', keep);
  const streams = session.stderr === undefined ? [session.stdout] : [session.stdout, session.stderr];
  const [code] = await Promise.all([session.ended, ...streams.map((stream) => finished(stream, { signal }))]);
  return code === 0
    ? good
    : bad(output.trim() === '' ? `command terminated with exit code ${code}` : output.slice(0, outputMax).trim());
}

async function byHttp(action: HTTPGetAction, asked: Asked, { inside, signal }: Means): Promise<Answer> {
  const { scheme = 'HTTP', path = '/', httpHeaders = [] } = action;
  const port = portNumber(action.port, asked);
  const host = action.host ?? asked.host;
  const socket = await inside.dial({ host, port }, { signal });
  const given = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
  const isGiven = (header: string): boolean => Object.keys(given).some((name) => name.toLowerCase() === header);
  const status = await httpStatus(scheme.toUpperCase() === 'HTTPS' ? await secured(socket, signal) : socket, {
    path: path.startsWith('/') ? path : `/${path}`,
    headers: {
      ...(!isGiven('host') && { Host: `${host}:${port}` }),
      ...(!isGiven('user-agent') && { 'User-Agent': 'kube-probe/1.34' }),
      ...(!isGiven('accept') && { Accept: '*/*' }),
      Connection: 'close',
      ...given,
    },
    signal,
  });
  return status >= 200 && status < 400 ? good : bad(`HTTP probe failed with statuscode: ${status}`);
}

interface Request extends Waiting {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

function httpStatus(socket: Duplex, { path, headers, signal }: Request): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request({ method: 'GET', path, headers, signal, createConnection: () => socket });
    asking.on('response', (response) => {
      // Only the status counts; whoever streams for ever must not be waited for.
      resolve(response.statusCode ?? 0);
      response.destroy();
      socket.destroy();
    });
    asking.on('error', (error) => {
      socket.destroy();
      reject(error);
    });
    asking.end();
  });
}

/** A kubelet does not ask whose certificate it is either. */
function secured(socket: Duplex, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({ socket, rejectUnauthorized: false }, () => resolve(secure));
    secure.once('error', reject);
    signal.addEventListener('abort', () => secure.destroy(signal.reason), { once: true });
  });
}

async function byTcp(action: TCPSocketAction, asked: Asked, { inside, signal }: Means): Promise<Answer> {
  const socket = await inside.dial(
    { host: action.host ?? asked.host, port: portNumber(action.port, asked) },
    { signal },
  );
  socket.destroy();
  return good;
}

async function byGrpc({ port, service = '' }: GRPCAction, asked: Asked, { inside, signal }: Means): Promise<Answer> {
  const socket = await inside.dial({ host: asked.host, port }, { signal });
  try {
    const status = await grpcHealth(socket, { authority: `${asked.host}:${port}`, service, signal });
    return status === 'SERVING' ? good : bad(`service unhealthy (responded with "${status}")`);
  } finally {
    socket.destroy();
  }
}

function portNumber(port: number | string, { ports }: Asked): number {
  if (typeof port === 'number') return port;
  const named =
    ports.find(({ name }) => name === port)?.containerPort ?? (/^\d+$/.test(port) ? Number(port) : undefined);
  if (named === undefined) throw new Error(`couldn't find port: ${JSON.stringify(port)}`);
  return named;
}

function bad(message: string): Answer {
  return { success: false, message };
}
