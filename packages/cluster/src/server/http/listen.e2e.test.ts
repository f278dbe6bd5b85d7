import { randomBytes } from 'node:crypto';
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep, systemClock } from '../../base/clock.ts';
import { createFakeApi, type FakeApi, fakeConfigMap } from '../../testing/server/fake-api.ts';
import { createAuthenticate } from '../auth/authenticate.ts';
import { loadPki, type Pki } from '../auth/pki.ts';
import { type Listening, type ListenLimits, listen } from './listen.ts';

let pki: Pki;
let api: FakeApi;
let server: Listening;
const problems: unknown[] = [];

async function start(limits: Partial<ListenLimits> = {}, port = 0): Promise<Listening> {
  return listen({
    api,
    host: '127.0.0.1',
    port,
    tls: { ...pki.server, ca: pki.ca },
    authenticate: createAuthenticate({
      tokens: [{ token: pki.token, user: { name: 'admin', groups: ['system:masters'] } }],
    }),
    clock: systemClock,
    signal: new AbortController().signal,
    limits,
    report: ({ error }) => problems.push(error),
  });
}

beforeAll(async () => {
  pki = await loadPki({ folder: undefined, host: '127.0.0.1', nowMs: systemClock.nowMs() });
  api = createFakeApi();
  api.put(fakeConfigMap('a', { x: '1' }));
  server = await start({ headersTimeoutMs: 1_000, requestTimeoutMs: 1_500 });
});

afterAll(async () => {
  await server.close();
  expect(problems).toEqual([]);
});

interface Reply {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly bytes: Buffer;
}

interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly method?: string;
  readonly certificate?: boolean;
  readonly port?: number;
  readonly agent?: Agent;
}

function ask(path: string, options: AskOptions = {}): Promise<Reply> {
  const { certificate = true, port = server.port, method = 'GET' } = options;
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: options.headers ?? {},
        ca: pki.ca,
        agent: options.agent ?? false,
        ...(certificate && { cert: pki.admin.cert, key: pki.admin.key }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { statusCode = 0, headers } = response;
          const bytes = Buffer.concat(chunks);
          resolve({ code: statusCode, headers, text: bytes.toString(), bytes });
        });
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}

/** Sends bytes as they are and returns all that comes back until the server closes, or for `waitMs`. */
function raw(lines: string | Buffer, { waitMs = 3_000 }: { readonly waitMs?: number } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectTls({ host: '127.0.0.1', port: server.port, ca: pki.ca, ...pki.admin }, () =>
      socket.write(lines),
    );
    const chunks: Buffer[] = [];
    const done = (): void => {
      cancel();
      resolve(Buffer.concat(chunks).toString('latin1'));
      socket.destroy();
    };
    const cancel = systemClock.after(waitMs, done);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', done).on('close', done);
  });
}

const get = (rest: string, target = '/api/v1/configmaps'): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${rest}\r\n`;
const post = (rest: string): string => `POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\n${rest}`;

describe('who asks', () => {
  test('a client certificate is known by its subject', async () => {
    expect((await ask('/api/v1/namespaces/default/configmaps/a')).code).toBe(200);
    expect(api.operations.at(-1)?.user).toEqual({
      name: 'admin',
      groups: ['system:masters', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
    });
  });

  test('a bearer token is known, a wrong one is not', async () => {
    const authorization = `Bearer ${pki.token}`;
    expect((await ask('/api/v1/configmaps', { certificate: false, headers: { authorization } })).code).toBe(200);
    const wrong = await ask('/api/v1/configmaps', { certificate: false, headers: { authorization: 'Bearer nope' } });
    expect(wrong.code).toBe(401);
    expect(JSON.parse(wrong.text)).toMatchObject({ kind: 'Status', reason: 'Unauthorized' });
  });

  test('nobody gets health and version, and nothing else', async () => {
    expect((await ask('/readyz?verbose', { certificate: false })).text).toContain('[+]ping ok');
    expect((await ask('/version', { certificate: false })).code).toBe(200);
    expect((await ask('/api', { certificate: false })).code).toBe(401);
  });

  test('the certificate of another authority is no certificate', async () => {
    const other = await loadPki({ folder: undefined, host: '127.0.0.1', nowMs: systemClock.nowMs() });
    const text = await new Promise<string>((resolve) => {
      const socket = connectTls({ host: '127.0.0.1', port: server.port, ca: pki.ca, ...other.admin }, () => {
        socket.write(get('Connection: close\r\n'));
      });
      let all = '';
      socket.on('data', (chunk: Buffer) => {
        all += chunk.toString();
      });
      socket.on('error', () => {}).on('close', () => resolve(all));
    });
    expect(text === '' || text.startsWith('HTTP/1.1 401')).toBe(true);
  });
});

test('one port speaks HTTP/1.1 and HTTP/2', async () => {
  expect((await ask('/api/v1/configmaps')).code).toBe(200);
  const session = connectHttp2(server.url, { ca: pki.ca, ...pki.admin });
  const text = await new Promise<string>((resolve, reject) => {
    const stream = session.request({ ':path': '/api/v1/namespaces/default/configmaps/a' });
    let all = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      all += chunk;
    });
    stream.on('end', () => resolve(all)).on('error', reject);
    stream.end();
  });
  session.close();
  expect(JSON.parse(text)).toMatchObject({ metadata: { name: 'a' } });
  expect(api.operations.at(-1)?.user.name).toBe('admin');
});

test('a connection serves many requests', async () => {
  const two = `${get('')}${get('Connection: close\r\n')}`;
  expect((await raw(two)).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
});

test('large lists are compressed for those who take it', async () => {
  for (let index = 0; index < 100; index++) api.put(fakeConfigMap(`large-${index}`, { text: 'x'.repeat(3_000) }));
  const plain = await ask('/api/v1/configmaps');
  const zipped = await ask('/api/v1/configmaps', { headers: { 'accept-encoding': 'gzip' } });
  expect(JSON.parse(plain.text)).toMatchObject({ kind: 'ConfigMapList' });
  expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(JSON.parse(gunzipSync(zipped.bytes).toString())).toEqual(JSON.parse(plain.text));
  expect(zipped.bytes.length).toBeLessThan(plain.text.length / 10);
  const refused = await ask('/api/v1/configmaps', { headers: { 'accept-encoding': 'gzip;q=0' } });
  expect(refused.headers['content-encoding']).toBeUndefined();
});

test('the end of a large answer does not wait until its client has acknowledged the rest', async () => {
  api.put(fakeConfigMap('wide', { x: 'y'.repeat(300_000) }));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const took: number[] = [];
  for (let times = 0; times < 20; times++) {
    const began = performance.now();
    await ask('/api/v1/namespaces/default/configmaps', { agent });
    took.push(performance.now() - began);
  }
  agent.destroy();
  // Systems acknowledge late, after 40 ms, what they have nothing to answer to.
  expect(Math.min(...took.slice(1))).toBeLessThan(30);
});

test('a client that takes nothing of a large answer is cut off, compressed or not', async () => {
  const own = await start({ stallTimeoutMs: 300 });
  // More than the sockets' buffers hold, and hard to compress.
  const noise = randomBytes(700_000).toString('base64');
  for (let index = 0; index < 12; index++) api.put(fakeConfigMap(`noise-${index}`, { noise }));
  const cutOff = (encoding: string): Promise<unknown> =>
    new Promise((resolve) => {
      const path = '/api/v1/configmaps';
      const options = { host: '127.0.0.1', port: own.port, path, ca: pki.ca, ...pki.admin, agent: false as const };
      httpsRequest({ ...options, headers: { 'accept-encoding': encoding } }, (response) => {
        response.pause();
        // Reading on after a while shows whether the end was cut.
        systemClock.after(3_000, () => response.resume());
        response.on('error', resolve).on('end', () => resolve('it was sent to the end'));
      }).end();
    });
  const expected = expect.objectContaining({ code: 'ECONNRESET' });
  expect(await Promise.all([cutOff('gzip'), cutOff('identity')])).toEqual([expected, expected]);
  for (let index = 0; index < 12; index++) api.put(fakeConfigMap(`noise-${index}`));
  await own.close();
});

describe('framing that two readers could read in two ways is refused', () => {
  test.each<[string, string]>([
    ['length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')],
    ['two lengths', post('Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}')],
    ['a signed length', post('Content-Length: +2\r\n\r\n{}')],
    ['a negative length', post('Content-Length: -1\r\n\r\n{}')],
    ['a length of 20 digits', post('Content-Length: 99999999999999999999\r\n\r\n{}')],
    ['an unknown transfer encoding', post('Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n')],
    ['chunks that are not last', post('Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n')],
    ['a space before the colon', get('X-A : b\r\n')],
    ['a bare line feed', 'GET /api/v1/configmaps HTTP/1.1\nHost: a\n\n'],
    ['a bare carriage return', get('X-A: b\rX-B: c\r\n')],
    ['a folded header', get('X-A: b\r\n c\r\n')],
    ['a NUL in a header', get('X-A: b\0c\r\n')],
    ['a chunk size in another notation', post('Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n')],
    ['no host', 'GET /api/v1/configmaps HTTP/1.1\r\n\r\n'],
    ['two hosts', get('Host: b\r\n')],
    ['an unknown method', 'BREW /api/v1/configmaps HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an absolute target', get('Connection: close\r\n', 'https://a/api/v1/configmaps')],
  ])('%s', async (_, bytes) => {
    const before = api.operations.length;
    expect((await raw(bytes, { waitMs: 700 })).slice(0, 20)).toMatch(/^HTTP\/1\.1 400 /);
    expect(api.operations.length).toBe(before);
  });

  test.each<[string, string, RegExp]>([
    ['two authorizations', get('Authorization: Bearer a\r\nAuthorization: Bearer b\r\n'), /^HTTP\/1\.1 401 /],
    ['too many headers', get('a:b\r\n'.repeat(1_200)), /^HTTP\/1\.1 431 /],
    ['a header that is too long', get(`X-A: ${'x'.repeat(20_000)}\r\n`), /^HTTP\/1\.1 431 /],
    ['an expectation that nobody can meet', post('Expect: foo\r\nContent-Length: 2\r\n\r\n{}'), /^HTTP\/1\.1 417 /],
  ])('%s', async (_, bytes, expected) => {
    expect(await raw(bytes, { waitMs: 700 })).toMatch(expected);
  });

  test('a change of protocol is ignored', async () => {
    const bytes = get('Connection: Upgrade, close\r\nUpgrade: h2c\r\n');
    expect(await raw(bytes, { waitMs: 1_000 })).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('plain HTTP gets nothing', async () => {
    const { createConnection } = await import('node:net');
    const text = await new Promise<string>((resolve) => {
      const socket = createConnection(server.port, '127.0.0.1', () => socket.write(get('')));
      let all = '';
      socket.on('data', (chunk: Buffer) => {
        all += chunk.toString('latin1');
      });
      socket.on('error', () => {}).on('close', () => resolve(all));
    });
    expect(text).not.toContain('200 OK');
  });
});

describe('bodies', () => {
  const path = '/api/v1/namespaces/default/configmaps';
  const json = { 'content-type': 'application/json' };

  test.each<[string, AskOptions, number]>([
    ['none', { headers: json }, 400],
    ['broken', { headers: json, body: '{' }, 400],
    ['of an unknown type', { headers: { 'content-type': 'text/plain' }, body: '{}' }, 415],
    ['compressed', { headers: { ...json, 'content-encoding': 'gzip' }, body: 'x' }, 415],
    [
      'that announces too much',
      { headers: { ...json, 'content-length': '3145729' }, body: Buffer.alloc(3_145_729, 0x20) },
      413,
    ],
  ])('%s', async (_, options, code) => {
    const reply = await ask(path, { ...options, method: 'POST' });
    expect(reply.code).toBe(code);
    expect(JSON.parse(reply.text)).toMatchObject({ kind: 'Status', code });
  });

  test('one that grows too large is cut off', async () => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const answer = await raw(post(`Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(60)}`));
    expect(answer === '' || answer.includes('413')).toBe(true);
    expect((await ask(path)).code).toBe(200);
  });

  test('one of exactly the limit is read', async () => {
    const start = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"big"},"data":{"x":"';
    const body = `${start}${'y'.repeat(3 * 1024 * 1024 - start.length - 3)}"}}`;
    expect((await ask(path, { method: 'POST', headers: json, body })).code).toBe(201);
  });

  test('headers that dawdle get a 408', async () => {
    const socket = connectTls({ host: '127.0.0.1', port: server.port, ca: pki.ca, ...pki.admin });
    const text = await new Promise<string>((resolve) => {
      socket.write('GET /api HTTP/1.1\r\nHost: a\r\nX-Slow: ');
      let all = '';
      socket.on('data', (chunk: Buffer) => {
        all += chunk.toString();
      });
      socket.on('error', () => {}).on('close', () => resolve(all));
    });
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('a body that dawdles gets a 408', async () => {
    expect(
      await raw(post('Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{'), { waitMs: 5_000 }),
    ).toMatch(/^HTTP\/1\.1 408 /);
  });
});

interface Watching {
  readonly lines: string[];
  readonly socket: TLSSocket;
  readonly ended: Promise<void>;
}

/** A watch over HTTP/1.1, with the chunk sizes left out. */
function startWatch(query = '', port = server.port): Promise<Watching> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        path: `/api/v1/configmaps?watch=true${query}`,
        ca: pki.ca,
        agent: false,
        ...pki.admin,
      },
      (response) => {
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          const parts = `${rest}${chunk}`.split('\n');
          rest = parts.pop() ?? '';
          lines.push(...parts);
        });
        const ended = new Promise<void>((end) => response.on('end', end).on('error', () => end()));
        resolve({ lines, socket: response.socket as TLSSocket, ended });
      },
    );
    request.on('error', reject);
    request.end();
  });
}

async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 500 && !holds(); round++)
    await sleep(systemClock, 10, { signal: AbortSignal.timeout(10_000) });
  expect(holds()).toBe(true);
}

describe('watches', () => {
  test('begin before the first event, flow, and end when the client goes', async () => {
    const watching = await startWatch();
    await until(() => api.openWatches === 1);
    for (let index = 0; index < 50; index++) api.emit({ type: 'ADDED', object: fakeConfigMap(`w-${index}`) });
    await until(() => watching.lines.length === 50);
    expect(
      watching.lines.map(
        (line) => (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name,
      ),
    ).toEqual(Array.from({ length: 50 }, (_, index) => `w-${index}`));
    watching.socket.destroy();
    await until(() => api.openWatches === 0);
  });

  test('do not run into the time limit of requests', async () => {
    const watching = await startWatch();
    await sleep(systemClock, 2_500, { signal: AbortSignal.timeout(10_000) });
    api.emit({ type: 'ADDED', object: fakeConfigMap('late') });
    await until(() => watching.lines.length === 1);
    watching.socket.destroy();
    await until(() => api.openWatches === 0);
  });

  test('a client that does not read makes nobody else wait and no memory grow', async () => {
    const slow = await startWatch();
    const quick = await startWatch();
    await until(() => api.openWatches === 2);
    slow.socket.pause();
    const big = fakeConfigMap('big-event', { text: 'x'.repeat(100_000) });
    for (let index = 0; index < 300; index++) api.emit({ type: 'MODIFIED', object: big });
    await until(() => quick.lines.length === 300);
    slow.socket.destroy();
    quick.socket.destroy();
    await until(() => api.openWatches === 0);
  });

  test('over HTTP/2 share one connection', async () => {
    const session = connectHttp2(server.url, { ca: pki.ca, ...pki.admin });
    const counts = [0, 0, 0];
    const streams = counts.map((_, index) => {
      const stream = session.request({ ':path': '/api/v1/configmaps?watch=true' });
      stream.on('data', (chunk: Buffer) => {
        counts[index] = (counts[index] ?? 0) + chunk.toString().split('\n').length - 1;
      });
      return stream;
    });
    await until(() => api.openWatches === 3);
    for (let index = 0; index < 20; index++) api.emit({ type: 'ADDED', object: fakeConfigMap(`h2-${index}`) });
    await until(() => counts.every((count) => count === 20));
    streams[0]?.close();
    await until(() => api.openWatches === 2);
    session.destroy();
    await until(() => api.openWatches === 0);
  });
});

test('large answers on one HTTP/2 connection leave room for more requests on it', async () => {
  api.put(fakeConfigMap('large', { text: 'x'.repeat(400_000) }));
  const session = connectHttp2(server.url, { ca: pki.ca, ...pki.admin });
  const codes = await Promise.all(
    Array.from(
      { length: 200 },
      () =>
        new Promise((resolve) => {
          const request = session.request({ ':path': '/api/v1/namespaces/default/configmaps/large' });
          // The bodies wait for the client to read; that every answer begins is what counts.
          request
            .on('response', (headers) => resolve(headers[':status']))
            .on('error', ({ message }) => resolve(message));
        }),
    ),
  );
  expect(new Set(codes)).toEqual(new Set([200]));
  session.destroy();
});

describe('the port', () => {
  test('that is taken is named together with the mend', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await expect(start({}, port)).rejects.toThrow(
      `port ${port} on 127.0.0.1 is in use; choose another with --port, or 0 for any free one`,
    );
    other.close();
  });

  test('closing ends watches, lets requests finish and takes no new ones', async () => {
    const own = await start({ closeTimeoutMs: 2_000 });
    const watching = await startWatch('', own.port);
    await until(() => api.openWatches === 1);
    let finish: () => void = () => {};
    api.next = () =>
      new Promise((resolve) => {
        finish = () => resolve({ code: 200, object: fakeConfigMap('slow'), warnings: [] });
      });
    const slow = ask('/api/v1/namespaces/default/configmaps/slow', { port: own.port });
    await until(() => api.next === undefined);
    const closing = own.close();
    await watching.ended;
    await expect(ask('/healthz', { port: own.port })).rejects.toThrow(/ECONNREFUSED/);
    finish();
    expect((await slow).code).toBe(200);
    await closing;
    expect(api.openWatches).toBe(0);
  });
});
