/** The agent's side of the socket: `Inside` by HTTP. */
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { doorPath } from './door.ts';
import { decodeFailure, InsideFailure } from './failure.ts';
import type {
  ContainerState,
  ContainerUsage,
  DialTarget,
  Inside,
  InsideEvent,
  InsideState,
  Waiting,
} from './inside.ts';
import { insideDoor } from './places.ts';
import { paths, podHeader } from './routes.ts';
import { openSession } from './session-client.ts';

export interface InsideClient extends Inside {
  /** Lets go of the connections. What runs inside goes on. */
  close(): void;
}

/** `doors` is the folder in which the process inside listens. Whether somebody does is seen with the first request. */
export function connectInside(doors: string): InsideClient {
  const door = doorPath(doors, insideDoor);
  const agent = new Agent({ keepAlive: true, keepAliveMsecs: 60_000 });
  const to: Door = { socketPath: door.path, agent };
  const ask = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> =>
    JSON.parse(await exchange(to, { method, path, body })) as Answer;
  const tell = async (method: string, path: string, body?: unknown): Promise<void> => {
    await exchange(to, { method, path, body });
  };
  return {
    state: () => ask<InsideState>('GET', paths.state),
    events: (since, waiting) => events(to, since, waiting),
    addPod: (pod) => tell('PUT', paths.pod(pod.uid), pod),
    removePod: (uid) => tell('DELETE', paths.pod(uid)),
    writeVolume: (uid, volume) => tell('PUT', paths.volume(uid, volume.name), volume),
    removeVolumes: (uid) => tell('DELETE', paths.volumes(uid)),
    start: (launch) => ask<ContainerState>('PUT', paths.container(launch), launch),
    signal: (container, signal) => tell('POST', paths.signal(container), { signal }),
    exec: (container, command, waiting) => openSession(to, { path: paths.exec(container), command, waiting }),
    attach: (container, waiting) => openSession(to, { path: paths.attach(container), command: undefined, waiting }),
    dial: (target, waiting) => dial(to, target, waiting),
    usage: () => ask<readonly ContainerUsage[]>('GET', paths.usage),
    setServices: (table) => tell('PUT', paths.services, table),
    setZone: (zone) => tell('PUT', paths.zone, zone),
    setSimulated: (table) => tell('PUT', paths.simulated, table),
    end: () => ended(to),
    close() {
      agent.destroy();
      door.release();
    },
  };
}

export interface Door {
  readonly socketPath: string;
  readonly agent: Agent;
}

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly connected?: (socket: Socket) => void;
}

/** It answers when all has ended, and goes on for a moment itself: it is gone when it hangs up. */
async function ended({ socketPath }: Door): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  agent.on('free', (socket: Socket) => socket.ref());
  let hungUp = Promise.resolve();
  const connected = (socket: Socket): void => {
    hungUp = new Promise((resolve) => void socket.once('close', () => resolve()));
  };
  await exchange({ socketPath, agent }, { method: 'POST', path: paths.end, connected });
  await hungUp;
}

function exchange({ socketPath, agent }: Door, { method, path, body, connected }: Exchange): Promise<string> {
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers = payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': payload.length };
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, agent, method, path, headers }, (response) => {
      textOf(response).then((text) => {
        if (response.statusCode === 200) resolve(text);
        else reject(decodeFailure(text));
      }, reject);
    });
    if (connected !== undefined) asked.on('socket', connected);
    asked.on('error', (error) => reject(unreachable(error)));
    asked.end(payload);
  });
}

/** Nobody listens, or hung up: `code` is that of the connection. */
function unreachable(error: Error): InsideFailure {
  const { code } = error as { readonly code?: string };
  return new InsideFailure(`the process inside does not answer: ${error.message}`, {
    code: code ?? 'Unknown',
    cause: error,
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function* events(
  { socketPath }: Door,
  since: number,
  { signal }: Waiting,
): AsyncGenerator<InsideEvent, void, undefined> {
  // A connection of its own: it is never given back.
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request({ socketPath, agent: false, path: paths.events(since), signal }, resolve);
    asked.on('error', (error) => reject(signal.aborted ? signal.reason : unreachable(error)));
    asked.end();
  });
  if (response.statusCode !== 200) throw decodeFailure(await textOf(response));
  try {
    yield* eventLines(response);
  } catch (error) {
    throw signal.aborted ? signal.reason : unreachable(error as Error);
  } finally {
    response.destroy();
  }
  throw unreachable(new Error('it hung up'));
}

async function* eventLines(response: IncomingMessage): AsyncGenerator<InsideEvent, void, undefined> {
  let rest = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as InsideEvent;
  }
}

function dial({ socketPath }: Door, to: DialTarget, { signal }: Waiting): Promise<Duplex> {
  const isPod = 'pod' in to;
  const host = isPod ? 'localhost' : to.host;
  const path = `${host.includes(':') ? `[${host}]` : host}:${to.port}`;
  return new Promise((resolve, reject) => {
    const asked = request({
      socketPath,
      agent: false,
      method: 'CONNECT',
      path,
      headers: isPod ? { [podHeader]: to.pod } : {},
      signal,
    });
    asked.on('connect', (response, socket, head) => {
      if (response.statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      const chunks: Buffer[] = [head];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('end', () => reject(decodeFailure(Buffer.concat(chunks).toString('utf8'))));
      socket.on('error', reject);
    });
    asked.on('error', (error) => reject(signal.aborted ? signal.reason : unreachable(error)));
    asked.end();
  });
}
