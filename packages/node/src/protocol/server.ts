/** The other side of the socket: whatever implements `Inside`, by HTTP. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { encodeFailure, invalid } from './failure.ts';
import type { DialTarget, Inside, PodPlace } from './inside.ts';
import type { ContainerLaunch } from './launch.ts';
import type { ServiceTable, SimulatedTable, Zone } from './network.ts';
import { partsOf, podHeader, sessionUpgrade } from './routes.ts';
import { serveSession } from './session-server.ts';
import type { VolumeContent } from './volume.ts';

/** Files of a pod's volumes come as one body. */
const bodyBytesMax = 64 << 20;

/** Nobody listens yet. */
export function createInsideServer(inside: Inside): Server {
  const server = createServer((request, response) => {
    answer(inside, request, response).catch((error: unknown) => fail(response, error));
  });
  // Only the agent connects, and keeps its connections.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void connect(inside, { request, socket, head });
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (head.length > 0) socket.unshift(head);
    upgrade(inside, request, socket);
  });
  return server;
}

function fail(response: ServerResponse, error: unknown): void {
  const { status, body } = encodeFailure(error);
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function answer(inside: Inside, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pattern, query } = partsOf(request.url ?? '/');
  if (pattern === '/events') {
    await sendEvents(inside, Number(query.get('since') ?? 0), response);
    return;
  }
  const value = await valueAsked(inside, request);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value ?? {}));
}

async function valueAsked(inside: Inside, request: IncomingMessage): Promise<unknown> {
  const { pattern, names } = partsOf(request.url ?? '/');
  const [pod = '', name = ''] = names;
  const body = await bodyOf(request);
  switch (`${request.method} ${pattern}`) {
    case 'GET /state':
      return inside.state();
    case 'GET /usage':
      return inside.usage();
    case 'PUT /services':
      return inside.setServices(body as ServiceTable);
    case 'PUT /zone':
      return inside.setZone(body as Zone);
    case 'PUT /simulated':
      return inside.setSimulated(body as SimulatedTable);
    case 'POST /end':
      return inside.end();
    case 'PUT /pods/*':
      return inside.addPod(body as PodPlace);
    case 'DELETE /pods/*':
      return inside.removePod(pod);
    case 'PUT /pods/*/volumes/*':
      return inside.writeVolume(pod, body as VolumeContent);
    case 'DELETE /pods/*/volumes':
      return inside.removeVolumes(pod);
    case 'PUT /pods/*/containers/*':
      return inside.start(body as ContainerLaunch);
    case 'POST /pods/*/containers/*/signal':
      return inside.signal({ pod, name }, (body as { readonly signal: NodeJS.Signals }).signal);
    default:
      throw invalid(`inside does not know ${request.method} ${pattern}: is the agent of another version?`);
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > bodyBytesMax) throw invalid(`a body of more than ${bodyBytesMax} bytes`);
    chunks.push(chunk as Buffer);
  }
  return bytes === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Nothing is sent, not even a head, before there is an event: what is too old can still be refused. */
async function sendEvents(inside: Inside, since: number, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort(new Error('the client hung up')));
  try {
    for await (const event of inside.events(since, { signal: gone.signal }))
      if (!response.write(`${JSON.stringify(event)}\n`)) await drained(response);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

interface Connecting {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

async function connect(inside: Inside, { request, socket, head }: Connecting): Promise<void> {
  const gone = new AbortController();
  socket.on('close', () => gone.abort(new Error('the client hung up')));
  socket.on('error', () => socket.destroy());
  try {
    const dialled = await inside.dial(targetOf(request), { signal: gone.signal });
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    if (head.length > 0) dialled.write(head);
    join(socket, dialled);
  } catch (error) {
    const { status, body } = encodeFailure(error);
    const text = JSON.stringify(body);
    socket.end(`HTTP/1.1 ${status} Failed\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }
}

/** Either side's end is passed on, and a side that breaks takes the other with it. */
function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => (from.readableEnded ? undefined : to.destroy()));
  }
}

/** `10.64.0.7:8080`, `[fd00::7]:8080`; with the header, a port of that pod's own loopback interface. */
function targetOf({ url = '', headers }: IncomingMessage): DialTarget {
  const colon = url.lastIndexOf(':');
  const host = url.slice(0, colon).replace(/^\[|\]$/g, '');
  const port = Number(url.slice(colon + 1));
  if (colon < 1 || !Number.isInteger(port)) throw invalid(`${url} is no address and port`);
  const pod = headers[podHeader];
  return typeof pod === 'string' ? { pod, port } : { host, port };
}

function upgrade(inside: Inside, request: IncomingMessage, socket: Duplex): void {
  const { pattern, names } = partsOf(request.url ?? '/');
  const [pod = '', name = ''] = names;
  const isExec = pattern === '/pods/*/containers/*/exec';
  if (request.headers.upgrade !== sessionUpgrade || (!isExec && pattern !== '/pods/*/containers/*/attach')) {
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    return;
  }
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${sessionUpgrade}\r\n\r\n`);
  serveSession(socket, (command, waiting) => {
    if (!isExec) return inside.attach({ pod, name }, waiting);
    if (command === undefined) throw invalid('exec without a command');
    return inside.exec({ pod, name }, command, waiting);
  });
}
