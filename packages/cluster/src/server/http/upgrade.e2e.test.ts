/** Requests that ask for another protocol on their connection. */
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createFakeApi, type FakeApi, fakeConfigMap } from '../../testing/server/fake-api.ts';
import { listenWith } from '../../testing/server/fake-listener.ts';
import { loadPki, type Pki } from '../auth/pki.ts';
import type { Listening } from './listen.ts';

let pki: Pki;
let api: FakeApi;
let server: Listening;
const problems: unknown[] = [];

beforeEach(async () => {
  pki ??= await loadPki({ folder: undefined, host: '127.0.0.1', nowMs: systemClock.nowMs() });
  api = createFakeApi();
  api.put(fakeConfigMap('a', { x: '1' }));
  server = await listenWith(pki, { api, report: ({ error }) => problems.push(error) });
});

afterEach(async () => {
  await server.close();
  expect(problems).toEqual([]);
});

interface Talk {
  readonly socket: TLSSocket;
  readonly heard: () => string;
  /** Resolves once that was heard. */
  hears(text: string): Promise<void>;
  readonly closed: Promise<void>;
}

function talk(request: string, { known = true }: { readonly known?: boolean } = {}): Talk {
  const { cert, key } = pki.admin;
  const socket = connect({ host: '127.0.0.1', port: server.port, ca: pki.ca, ...(known && { cert, key }) });
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  socket.on('error', () => {});
  socket.write(request);
  return {
    socket,
    heard: () => text,
    async hears(wanted) {
      while (!text.includes(wanted)) await new Promise((resolve) => socket.once('data', resolve));
    },
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
  };
}

const upgrading = (target: string, { method = 'GET', rest = '' } = {}): string =>
  `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n${rest}\r\n`;
const exec = '/api/v1/namespaces/default/pods/web/exec?command=ls';

test('a connection that somebody takes over is theirs', async () => {
  const { socket, hears, heard, closed } = talk(`${upgrading(exec)}early `);
  await hears('early ');
  socket.write('late');
  await hears('late');
  expect(heard()).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n(.+\r\n)+\r\nearly late$/);
  socket.end();
  await closed;
});

test('a closing server ends it', async () => {
  const { hears, closed } = talk(upgrading(exec, { method: 'POST' }));
  await hears('101');
  await server.close();
  await closed;
});

test.each([
  ['an unknown client is not let in', upgrading(exec), { known: false }, '401 Unauthorized'],
  ['a subresource that is not there', upgrading('/api/v1/namespaces/default/pods/web/nothing'), {}, '404 Not Found'],
  [
    'a method that upgrades nothing',
    upgrading('/api/v1/namespaces/default/configmaps/a', { method: 'PUT' }),
    {},
    '400 Bad Request',
  ],
  [
    'a body, which could be taken for the other protocol',
    upgrading(exec, { method: 'POST', rest: 'Content-Length: 2\r\n' }),
    {},
    '400 Bad Request',
  ],
])('a Status answers %s, and the connection ends', async (_, request, options, expected) => {
  const { heard, closed } = talk(request, options);
  await closed;
  expect(heard()).toContain(`HTTP/1.1 ${expected}\r\n`);
  expect(heard()).toMatch(/connection: close/i);
  expect(heard()).toContain('"kind":"Status"');
});

test('where nobody speaks another protocol the request is answered as if it had not asked', async () => {
  const { heard, closed } = talk(upgrading('/api/v1/namespaces/default/configmaps/a'));
  await closed;
  expect(heard()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(heard()).toContain('"name":"a"');
});
