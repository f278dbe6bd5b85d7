/**
 * Answers for simulated pods: one process has a listener for each of their addresses and ports, and one server behind all of them. An
 * address that is not in the table refuses, as does a port.
 */
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '@signalbox/cluster';
import type { SimulatedPod, SimulatedTable } from '../../protocol/network.ts';
import { metricsText } from './metrics.ts';

export interface SimulatedAnswers {
  set(table: SimulatedTable): Promise<void>;
  /** Where a pod listens that lets the system choose. */
  portOf(address: string): number | undefined;
  close(): Promise<void>;
}

export interface SimulatedOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  report(message: string): void;
}

/** Longer than the intervals at which anybody scrapes. */
const keepAliveMs = 120_000;

interface Listening {
  pod: SimulatedPod;
  readonly server: Server;
  readonly open: Set<Socket>;
}

interface Place {
  readonly pod: SimulatedPod;
  readonly port: number;
}

export function createSimulatedAnswers({ clock, report }: SimulatedOptions): SimulatedAnswers {
  const listening = new Map<string, Listening>();
  const owners = new WeakMap<object, Listening>();
  const http = createHttpServer({ keepAliveTimeout: keepAliveMs, requestTimeout: 0 }, (request, response) => {
    const owner = owners.get(request.socket);
    if (owner === undefined) request.socket.destroy();
    else answer(owner.pod, { request, response, nowMs: clock.nowMs() });
  });
  let last: Promise<void> = Promise.resolve();
  const open = async (key: string, at: Place): Promise<void> => {
    const made: Listening = { pod: at.pod, server: serverFor(http, (socket) => own(socket)), open: new Set() };
    const own = (socket: Socket): void => {
      owners.set(socket, made);
      made.open.add(socket);
      socket.once('close', () => made.open.delete(socket));
    };
    listening.set(key, made);
    await listen(made.server, { host: at.pod.address, port: at.port }).catch((error: unknown) => {
      listening.delete(key);
      report(`simulated pod ${at.pod.namespace}/${at.pod.name}: nobody can listen at ${key}: ${String(error)}`);
    });
  };
  const move = async ({ pods }: SimulatedTable): Promise<void> => {
    const wanted = new Map(
      pods.flatMap((pod) => pod.ports.map((port): [string, Place] => [`${pod.address}:${port}`, { pod, port }])),
    );
    for (const [key, known] of listening)
      if (!wanted.has(key)) {
        listening.delete(key);
        shut(known);
      }
    await Promise.all(
      [...wanted].map(async ([key, at]) => {
        const known = listening.get(key);
        if (known === undefined) return open(key, at);
        known.pod = at.pod;
      }),
    );
  };
  return {
    set(table) {
      const moved = last.then(() => move(table));
      last = moved.catch(() => undefined);
      return moved;
    },
    portOf(address) {
      const place = [...listening.values()].find(({ pod }) => pod.address === address)?.server.address();
      return place === null || typeof place !== 'object' ? undefined : place.port;
    },
    async close() {
      await last;
      await move({ pods: [] });
    },
  };
}

/** As when the pod's network goes: who is connected loses the connection. */
function shut({ server, open }: Listening): void {
  server.close();
  for (const socket of open) socket.resetAndDestroy();
}

function serverFor(http: HttpServer, own: (socket: Socket) => void): Server {
  return createServer({ noDelay: true }, (socket) => {
    own(socket);
    http.emit('connection', socket);
  });
}

function listen(server: Server, at: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject).on('error', () => undefined);
      resolve();
    });
  });
}

/** What exporters and Prometheus' own programs answer. */
const contentPaths: ReadonlySet<string> = new Set(['/', '/-/healthy', '/-/ready']);

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly nowMs: number;
}

function answer(pod: SimulatedPod, { request, response, nowMs }: Asked): void {
  const [path = ''] = (request.url ?? '').split('?');
  request.resume();
  const say = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  if (request.method !== 'GET' && request.method !== 'HEAD') say(405, 'Method Not Allowed\n');
  else if (path === '/metrics') say(200, metricsText(pod, nowMs), 'text/plain; version=0.0.4; charset=utf-8');
  else if (contentPaths.has(path)) say(200, `simulated pod ${pod.namespace}/${pod.name}\n`);
  else say(404, 'Not Found\n');
}
