import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sleep, systemClock } from '../../base/clock.ts';
import { listenWith } from '../../testing/server/fake-listener.ts';
import { loadPki, type Pki } from '../auth/pki.ts';
import type { Listening, ListenLimits } from './listen.ts';

let pki: Pki;
let server: Listening;
const sessions: ClientHttp2Session[] = [];

beforeEach(async () => {
  pki = await loadPki({ folder: undefined, host: '127.0.0.1', nowMs: systemClock.nowMs() });
});

afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await server.close();
});

async function start(limits: Partial<ListenLimits> = {}): Promise<void> {
  server = await listenWith(pki, { limits });
}

function session(): ClientHttp2Session {
  const opened = connect(server.url, { ca: pki.ca, ...pki.admin });
  opened.on('error', () => undefined);
  sessions.push(opened);
  return opened;
}

const path = '/api/v1/namespaces/default/configmaps';
const valid = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"generateName":"a"}}';

function post(over: ClientHttp2Session): ClientHttp2Stream {
  const stream = over.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' });
  stream.on('error', () => undefined);
  return stream;
}

function codeOf(stream: ClientHttp2Stream): Promise<number> {
  return new Promise((resolve) => {
    stream.once('response', (headers) => resolve(headers[':status'] ?? 0));
    stream.once('close', () => resolve(0));
    stream.resume();
  });
}

function closed(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => (stream.closed ? resolve() : stream.once('close', () => resolve())));
}

function create(over: ClientHttp2Session): Promise<number> {
  const stream = post(over);
  stream.end(valid);
  return codeOf(stream);
}

const { signal } = new AbortController();

test('240 bodies that never end over one connection hold up nobody else', async () => {
  await start();
  const greedy = session();
  const unfinished = Array.from({ length: 240 }, () => post(greedy));
  const codes = unfinished.map(codeOf);
  for (const stream of unfinished) stream.write('{');
  // As many as one connection may have are left; the others were sent away at once.
  const refused = await Promise.all(codes.slice(200));
  expect(new Set(refused)).toEqual(new Set([429]));
  const startedMs = systemClock.nowMs();
  const other = session();
  for (let index = 0; index < 20; index++) expect(await create(other)).toBe(201);
  expect(systemClock.nowMs() - startedMs).toBeLessThan(2_000);
});

test('many connections of one user with such bodies: who comes is served, who dawdles makes room', async () => {
  await start({ bodiesMax: 40 });
  const greedy = [1, 2, 3, 4].map(session);
  const streams = greedy.flatMap((over) => Array.from({ length: 25 }, () => post(over)));
  const codes = streams.map(codeOf);
  for (const stream of streams) stream.write('{');
  await sleep(systemClock, 1_200, { signal });
  expect(await create(session())).toBe(201);
  expect(await Promise.race(codes)).toBe(429);
});

test('a body of which nothing more comes is cut off, and its stream ends', async () => {
  await start({ bodyStallTimeoutMs: 200 });
  const stream = post(session());
  stream.write('{');
  expect(await codeOf(stream)).toBe(408);
  await closed(stream);
});

test('a body that trickles is cut off in the end', async () => {
  await start({ bodyStallTimeoutMs: 1_000, requestTimeoutMs: 600 });
  const stream = post(session());
  const ending = new AbortController();
  const trickle = async (): Promise<void> => {
    while (!ending.signal.aborted && stream.writable) {
      stream.write(' ');
      await sleep(systemClock, 50, { signal: ending.signal }).catch(() => undefined);
    }
  };
  const trickling = trickle();
  expect(await codeOf(stream)).toBe(408);
  ending.abort();
  await trickling;
});

/** Type and flags of the frames that come for stream 1, until it is reset. */
function framesOf(headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  const block = Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]),
  );
  const frame = (type: number, { stream = 0, flags = 0, payload = Buffer.alloc(0) } = {}): Buffer => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, payload]);
  };
  const socket = connectTls({
    host: '127.0.0.1',
    port: server.port,
    ca: pki.ca,
    ...pki.admin,
    ALPNProtocols: ['h2'],
  });
  socket.write(
    Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      frame(4),
      frame(1, { stream: 1, flags: 4, payload: block }),
      frame(0, { stream: 1, payload: Buffer.from('{') }),
    ]),
  );
  const names: Readonly<Record<number, string>> = { 0: 'data', 1: 'headers', 3: 'reset' };
  return new Promise((resolve, reject) => {
    let rest: Buffer = Buffer.alloc(0);
    const seen: string[] = [];
    socket.on('error', reject).on('data', (piece: Buffer) => {
      rest = Buffer.concat([rest, piece]);
      while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
        const name = names[rest.readUInt8(3)];
        const isLast = (rest.readUInt8(4) & 1) === 1;
        if (rest.readUInt32BE(5) === 1 && name !== undefined)
          seen.push(isLast && name !== 'reset' ? `${name}, end` : name);
        rest = rest.subarray(9 + rest.readUIntBE(0, 3));
      }
      if (seen.at(-1) !== 'reset') return;
      socket.destroy();
      resolve(seen);
    });
  });
}

test.each([
  ['of another form than it takes', { accept: 'application/vnd.kubernetes.protobuf' }],
  ['of what is not there', { ':path': '/nope' }],
])('whoever is refused before the body has come reads the whole answer: %s', async (_, different) => {
  await start();
  const request = {
    ':method': 'POST',
    ':scheme': 'https',
    ':authority': 'localhost',
    ':path': path,
    'content-type': 'application/json',
    ...different,
  };
  const frames = await framesOf(request);
  expect(frames.filter((name) => name.endsWith('end'))).toHaveLength(1);
  expect(frames.at(-1)).toBe('reset');
});
