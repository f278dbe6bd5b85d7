import { connect } from 'node:http2';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { listenWith } from '../../testing/server/fake-listener.ts';
import { loadPki, type Pki } from '../auth/pki.ts';
import type { Listening, ListenLimits } from './listen.ts';

let pki: Pki;
let server: Listening;

beforeEach(async () => {
  pki = await loadPki({ folder: undefined, host: '127.0.0.1', nowMs: systemClock.nowMs() });
});

afterEach(() => server.close());

async function start(limits: Partial<ListenLimits>): Promise<void> {
  server = await listenWith(pki, { limits });
}

const ends = (of: { once(event: 'close', listener: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => of.once('close', () => resolve()));

test('whoever opens connections and asks nothing loses them: bare ones, secured ones and sessions', async () => {
  await start({ unusedTimeoutMs: 200 });
  const bare = connectTcp(server.port, '127.0.0.1');
  const secured = connectTls({ port: server.port, host: '127.0.0.1', ca: pki.ca, ALPNProtocols: ['http/1.1'] });
  const session = connect(server.url, { ca: pki.ca });
  for (const one of [bare, secured, session]) one.on('error', () => undefined);
  secured.resume();
  bare.resume();
  await Promise.all([ends(bare), ends(secured), ends(session)]);
});

test('a watch of either protocol outlives the times of idle connections, and what comes after it does not', async () => {
  await start({ unusedTimeoutMs: 100, idleTimeoutMs: 100 });
  const path = '/api/v1/namespaces/default/configmaps?watch=true';
  const session = connect(server.url, { ca: pki.ca, ...pki.admin });
  const stream = session.request({ ':path': path });
  const plain = request(`${server.url}${path}`, { ca: pki.ca, ...pki.admin });
  const answered = new Promise<void>((resolve) =>
    plain.once('response', (response) => {
      response.on('error', () => undefined).resume();
      resolve();
    }),
  );
  plain.on('error', () => undefined).end();
  await Promise.all([answered, new Promise((resolve) => stream.once('response', resolve))]);
  stream.resume();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(session.closed).toBe(false);
  expect(plain.socket?.destroyed).toBe(false);
  stream.close();
  await ends(session);
  expect(plain.socket?.destroyed).toBe(false);
  plain.destroy();
});

test('connections that ask nothing make room for those that do', async () => {
  await start({ connectionsMax: 20 });
  const silent = Array.from({ length: 60 }, () => {
    const socket = connectTcp(server.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    return socket;
  });
  const session = connect(server.url, { ca: pki.ca, ...pki.admin });
  const stream = session.request({ ':path': '/api/v1/namespaces/default/configmaps' });
  const headers = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
  expect(headers[':status']).toBe(200);
  session.destroy();
  for (const socket of silent) socket.destroy();
});
