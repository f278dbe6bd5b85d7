import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../../testing/free-ports.ts';
import { type HookServer, startHookServer } from '../../testing/hook-server.ts';
import type { CallServer, ServerCall } from '../context/call-server.ts';
import { createHttpsServers } from './https-servers.ts';

let hook: HookServer;
let stranger: HookServer;
let servers: CallServer;

beforeAll(async () => {
  hook = await startHookServer({
    names: ['hooks.shop.svc', '127.0.0.1'],
    reply({ path, headers, body }) {
      if (path.startsWith('/moved')) return { code: 302, headers: { location: 'https://127.0.0.1/' }, text: '' };
      if (path.startsWith('/large')) return { text: 'x'.repeat(10_000) };
      return { text: JSON.stringify({ path, host: headers['host'], type: headers['content-type'], body }) };
    },
  });
  stranger = await startHookServer({ names: ['hooks.shop.svc'], reply: () => ({ text: '{}' }) });
  servers = createHttpsServers();
});

afterAll(async () => {
  await servers.close();
  await Promise.all([hook.close(), stranger.close()]);
});

const { signal } = new AbortController();
const call = (more: Partial<ServerCall['to']> = {}, options: Partial<ServerCall> = {}): ServerCall => ({
  to: { host: '127.0.0.1', port: hook.port, serverName: 'hooks.shop.svc', ca: hook.ca, ...more },
  path: '/validate?timeout=10s',
  body: '{"a":1}',
  answerBytesMax: 1_000,
  signal,
  ...options,
});
const failure = (asked: ServerCall): Promise<string> =>
  servers.call(asked).then(
    () => 'no failure',
    (error: unknown) => (error as Error).message,
  );

test('a webhook is met under the name of its service, on connections that stay', async () => {
  const before = hook.connections();
  for (let round = 0; round < 10; round++) {
    const { code, text } = await servers.call(call());
    expect([code, JSON.parse(text)]).toEqual([
      200,
      {
        path: '/validate?timeout=10s',
        host: `hooks.shop.svc:${hook.port}`,
        type: 'application/json',
        body: '{"a":1}',
      },
    ]);
  }
  // One may not be free again yet when the next call comes.
  expect(hook.connections() - before).toBeLessThanOrEqual(2);
});

test('its own certificate may stand for who signed it', async () => {
  expect((await servers.call(call({ ca: hook.cert }))).code).toBe(200);
});

test('or under its address', async () => {
  expect((await servers.call(call({ serverName: '127.0.0.1' }))).code).toBe(200);
});

test('a redirect is an answer like any other', async () => {
  expect((await servers.call(call({}, { path: '/moved' }))).code).toBe(302);
});

test.each<[string, () => ServerCall, string]>([
  [
    'somebody whom the bundle does not know',
    () => call({ port: stranger.port }),
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ],
  [
    'somebody whom nobody knows',
    () => call({ ca: undefined }),
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ],
  [
    'somebody with another name',
    () => call({ serverName: 'other.shop.svc' }),
    'tls: failed to verify certificate: x509: certificate is not valid for "other.shop.svc"',
  ],
  [
    'a bundle that is none',
    () => call({ ca: 'x' }),
    'unable to load root certificates: unable to parse bytes as PEM block',
  ],
  ['an answer without end', () => call({}, { path: '/large' }), 'the answer is larger than 1000 bytes'],
])('%s is no webhook', async (_, asked, words) => expect(await failure(asked())).toContain(words));

test('where nobody listens that is known at once', async () => {
  const [port = 0] = await freePorts(1);
  const startedMs = performance.now();
  expect(await failure(call({ port }))).toBe(`dial tcp 127.0.0.1:${port}: connect: connection refused`);
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});

test('a call ends with its signal', async () => {
  const ending = new AbortController();
  const why = new Error('enough');
  const silent = await startHookServer({ names: ['hooks.shop.svc'], reply: () => new Promise(() => undefined) });
  const asked = servers.call(call({ port: silent.port, ca: silent.ca }, { signal: ending.signal }));
  setTimeout(() => ending.abort(why), 50);
  await expect(asked).rejects.toBe(why);
  await silent.close();
});
