import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KubeList } from '../../api/meta.ts';
import type { Operation, WatchEvent, WatchOperation } from '../../api/operation.ts';
import { failure, StatusError } from '../../api/status.ts';
import { type Clock, sleep, systemClock } from '../../base/clock.ts';
import { seededRandom } from '../../base/random.ts';
import { createAuthenticate } from '../../server/auth/authenticate.ts';
import { loadPki, type Pki } from '../../server/auth/pki.ts';
import { type Listening, listen } from '../../server/http/listen.ts';
import { createFakeApi, type FakeApi, fakeConfigMap } from '../../testing/server/fake-api.ts';
import { type ClientCredentials, type Connection, fixedCredentials } from './connection.ts';
import { createHttpTransport, type HttpTransport, type HttpTransportLimits } from './http-transport.ts';

const user = { name: 'ignored', groups: [] };
const configmaps = { group: '', version: 'v1', resource: 'configmaps' };
const signal = new AbortController().signal;
const place = { user, resource: configmaps, namespace: 'default' };
const get: Operation = { verb: 'get', ...place, name: 'a' };
const list: Operation = { verb: 'list', ...place, options: {} };
const create: Operation = {
  verb: 'create',
  ...place,
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } },
  options: {},
};
const watching: WatchOperation = { ...place, options: {} };

function transportTo(
  connection: Connection,
  limits: Partial<HttpTransportLimits> = {},
  clock: Clock = systemClock,
): HttpTransport {
  const made = createHttpTransport({ connection, clock, random: seededRandom('test'), limits });
  transports.push(made);
  return made;
}

const transports: HttpTransport[] = [];

async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 500 && !holds(); round++) await sleep(systemClock, 10, { signal });
  expect(holds()).toBe(true);
}

async function refusalOf(work: Promise<unknown>): Promise<StatusError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StatusError);
  return error as StatusError;
}

afterAll(async () => {
  await Promise.all(transports.map((transport) => transport.close()));
});

describe('against our own server', () => {
  let pki: Pki;
  let api: FakeApi;
  let server: Listening;
  let transport: HttpTransport;

  beforeAll(async () => {
    pki = await loadPki({ folder: undefined, host: '127.0.0.1', nowMs: systemClock.nowMs() });
    api = createFakeApi();
    server = await listen({
      api,
      host: '127.0.0.1',
      port: 0,
      tls: { ...pki.server, ca: pki.ca },
      authenticate: createAuthenticate({ tokens: [{ token: pki.token, user: { name: 'robot', groups: [] } }] }),
      clock: systemClock,
      signal,
    });
    api.put(fakeConfigMap('a', { x: '1' }));
    transport = transportTo({
      server: server.url,
      tls: { ca: pki.ca },
      credentials: fixedCredentials({ certificate: pki.admin }),
    });
  });

  afterAll(() => server.close());

  test('objects come back frozen, with code and warnings', async () => {
    const outcome = await transport.perform(create, { signal });
    expect(outcome).toMatchObject({ code: 201, warnings: ['be careful'], object: { metadata: { name: 'made' } } });
    expect(Object.isFrozen((outcome.object as { metadata: object }).metadata)).toBe(true);
    expect(api.operations.at(-1)?.user.name).toBe('admin');
  });

  test('lists come back whole', async () => {
    const { object } = await transport.perform(list, { signal });
    expect((object as KubeList).items.map(({ metadata }) => metadata.name)).toContain('a');
  });

  test('a log comes back as text', async () => {
    const log: Operation = { ...get, subresource: 'log' };
    const { object } = await transport.perform(log, { signal });
    expect(object).toMatchObject({ kind: 'Status', message: 'first line\nsecond line\n' });
  });

  test('refusals come back as they were thrown', async () => {
    const error = await refusalOf(transport.perform({ ...get, name: 'nope' }, { signal }));
    expect(error.status).toMatchObject({ code: 404, reason: 'NotFound', message: 'configmaps "nope" not found' });
  });

  test('a token serves as well', async () => {
    const authorization = `Bearer ${pki.token}`;
    const own = transportTo({
      server: server.url,
      tls: { ca: pki.ca },
      credentials: fixedCredentials({ authorization }),
    });
    expect((await own.perform(get, { signal })).code).toBe(200);
    expect(api.operations.at(-1)?.user.name).toBe('robot');
  });

  test('new credentials are asked for when the old ones are refused', async () => {
    const asked: boolean[] = [];
    const credentials = {
      get({ refused }: { readonly refused: boolean }): Promise<ClientCredentials> {
        asked.push(refused);
        return Promise.resolve({ authorization: `Bearer ${refused ? pki.token : 'stale'}` });
      },
    };
    const own = transportTo({ server: server.url, tls: { ca: pki.ca }, credentials });
    expect((await own.perform(get, { signal })).code).toBe(200);
    expect(asked).toEqual([false, true]);
  });

  test('a token that cannot be sent is a 401 that does not show it', async () => {
    const broken = transportTo({
      server: server.url,
      tls: { ca: pki.ca },
      credentials: fixedCredentials({ authorization: 'Bearer hun\nter2' }),
    });
    const { status } = await refusalOf(broken.perform(get, { signal }));
    expect(status).toMatchObject({ code: 401, message: expect.stringContaining('has a line break') });
  });

  test('credentials that cannot be had are a 401 that says why', async () => {
    const credentials = { get: () => Promise.reject(new Error('user u: the plugin p is not installed')) };
    const own = transportTo({ server: server.url, tls: { ca: pki.ca }, credentials });
    const error = await refusalOf(own.perform(get, { signal }));
    expect([error.code, error.message]).toEqual([401, 'user u: the plugin p is not installed']);
  });

  test('a watch flows and ends with its signal', async () => {
    const aborting = new AbortController();
    const names: (string | undefined)[] = [];
    const done = (async () => {
      for await (const event of transport.watch(watching, { signal: aborting.signal }))
        if (event.type === 'ADDED') names.push(event.object.metadata.name);
    })();
    await until(() => api.openWatches === 1);
    for (let index = 0; index < 200; index++) api.emit({ type: 'ADDED', object: fakeConfigMap(`e-${index}`) });
    await until(() => names.length === 200);
    expect(names).toEqual(Array.from({ length: 200 }, (_, index) => `e-${index}`));
    aborting.abort(new Error('enough'));
    await done;
    await until(() => api.openWatches === 0);
    // Asks to be ended after a while, chosen by chance.
    const { timeoutMs = 0 } = api.watches.at(-1)?.options ?? {};
    expect(timeoutMs >= 300_000 && timeoutMs <= 601_000).toBe(true);
  });

  test('many requests may hang on one signal without a warning', async () => {
    const warned: string[] = [];
    const listen = (warning: Error): void => void warned.push(warning.name);
    process.on('warning', listen);
    const shared = new AbortController();
    await Promise.all(Array.from({ length: 40 }, () => transport.perform(get, { signal: shared.signal })));
    await sleep(systemClock, 20, { signal });
    process.off('warning', listen);
    expect(warned).toEqual([]);
  });

  test('leaving the loop ends the watch', async () => {
    const reading = (async () => {
      for await (const event of transport.watch(watching, { signal })) return event.type;
      return undefined;
    })();
    await until(() => api.openWatches === 1);
    api.emit({ type: 'ADDED', object: fakeConfigMap('one') });
    expect(await reading).toBe('ADDED');
    await until(() => api.openWatches === 0);
  });

  test('a watch that is refused throws', async () => {
    const refused = { ...watching, resource: { ...configmaps, resource: 'secrets' } };
    const error = await refusalOf(
      transport.watch(refused, { signal })[Symbol.asyncIterator]().next() as Promise<unknown>,
    );
    expect(error.code).toBe(404);
  });

  test('a reader that dawdles slows the server down instead of filling memory', async () => {
    const iterator = transport.watch(watching, { signal })[Symbol.asyncIterator]();
    const first = iterator.next();
    await until(() => api.openWatches === 1);
    const big = fakeConfigMap('big', { text: 'x'.repeat(200_000) });
    for (let index = 0; index < 100; index++) api.emit({ type: 'MODIFIED', object: big });
    await first;
    let count = 1;
    for (; count < 100; count++) expect((await iterator.next()).done).toBe(false);
    await iterator.return?.();
    await until(() => api.openWatches === 0);
  });

  test('an authority that is not ours is named as the reason', async () => {
    const other = await loadPki({ folder: undefined, host: '127.0.0.1', nowMs: systemClock.nowMs() });
    const own = transportTo(
      { server: server.url, tls: { ca: other.ca }, credentials: fixedCredentials({}) },
      { readAttemptsMax: 1 },
    );
    const error = await refusalOf(own.perform(get, { signal }));
    expect(error.message).toMatch(/signed by an unknown authority; check certificate-authority$/);
  });
});

describe('against servers that misbehave', () => {
  let server: Server;
  let url: string;
  let handle: (request: IncomingMessage, response: ServerResponse) => void;
  let requests: string[];

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      handle(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(() => {
    requests = [];
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const reach = (limits: Partial<HttpTransportLimits> = {}, prefix = ''): HttpTransport =>
    transportTo({ server: `${url}${prefix}`, tls: {}, credentials: fixedCredentials({}) }, limits);

  const reply = (
    response: ServerResponse,
    code: number,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): void => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

  test('a write whose answer is lost is sent once, and nobody pretends to know', async () => {
    handle = (request) => void request.socket.destroy();
    const error = await refusalOf(reach().perform(create, { signal }));
    expect(error.code).toBe(504);
    expect(error.message).toContain('may have been carried out');
    expect(requests).toHaveLength(1);
  });

  test('a write that is told to wait is not repeated either', async () => {
    handle = (_, response) => reply(response, 429, {}, { 'retry-after': '0' });
    expect((await refusalOf(reach().perform(create, { signal }))).code).toBe(429);
    expect(requests).toHaveLength(1);
  });

  test('a read is tried again', async () => {
    handle = (request, response) => {
      if (requests.length < 3) request.socket.destroy();
      else reply(response, 200, fakeConfigMap('a'));
    };
    expect((await reach().perform(get, { signal })).code).toBe(200);
    expect(requests).toHaveLength(3);
  });

  test('but not for ever, and not when that cannot help', async () => {
    handle = (_, response) => reply(response, 503, {});
    expect((await refusalOf(reach({ readAttemptsMax: 2 }).perform(get, { signal }))).code).toBe(503);
    expect(requests).toHaveLength(2);
    handle = (_, response) => reply(response, 403, {});
    expect((await refusalOf(reach().perform(get, { signal }))).code).toBe(403);
    expect(requests).toHaveLength(3);
  });

  test('a write that may not leave any more when its connection is there is not sent', async () => {
    const refused = new StatusError(failure(503, 'ServiceUnavailable', 'too late', {}));
    let mayLeave = true;
    const leaves = (): void => {
      if (!mayLeave) throw refused;
    };
    handle = (_, response) => reply(response, 201, fakeConfigMap('a'));
    const own = reach();
    // It has no connection yet, and makes one behind this turn.
    const early = own.perform(create, { signal, leaves });
    mayLeave = false;
    await expect(early).rejects.toBe(refused);
    expect(requests).toEqual([]);
    mayLeave = true;
    expect((await own.perform(create, { signal, leaves })).code).toBe(201);
    await own.perform(get, { signal });
    expect(requests).toHaveLength(2);
  });

  test('a path in front of the API stays', async () => {
    handle = (_, response) => reply(response, 200, fakeConfigMap('a'));
    await reach({}, '/k8s/clusters/c1/').perform(get, { signal });
    expect(requests).toEqual(['GET /k8s/clusters/c1/api/v1/namespaces/default/configmaps/a']);
  });

  test("a list's items get their kind, which Kubernetes leaves out", async () => {
    handle = (_, response) =>
      reply(response, 200, {
        kind: 'ConfigMapList',
        apiVersion: 'v1',
        metadata: {},
        items: [{ metadata: { name: 'a' } }],
      });
    const { object } = await reach().perform(list, { signal });
    expect((object as KubeList).items).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }]);
    handle = (_, response) =>
      reply(response, 200, { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: null });
    expect(((await reach().perform(list, { signal })).object as KubeList).items).toEqual([]);
  });

  test('where a list goes on is told while it is still coming, and what comes is whole', async () => {
    const object = { metadata: { name: 'ä'.repeat(3_000) } };
    const page = JSON.stringify({ kind: 'ConfigMapList', metadata: { continue: 'next' }, items: [object, object] });
    const bytes = Buffer.from(page);
    let rest = (): void => undefined;
    handle = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      // Not at the end of a letter.
      response.write(bytes.subarray(0, 4_001));
      rest = () => response.end(bytes.subarray(4_001));
    };
    const told: string[] = [];
    const goesOn = (token: string): void => void told.push(token);
    const asked = reach().perform(list, { signal, goesOn });
    await until(() => told.length > 0);
    rest();
    const { items } = (await asked).object as KubeList;
    expect(told).toEqual(['next']);
    expect(items.map(({ metadata }) => metadata.name)).toEqual([object.metadata.name, object.metadata.name]);
  });

  test('something that is no API server is named so', async () => {
    handle = (_, response) => response.end('<html>');
    expect((await refusalOf(reach().perform(get, { signal }))).message).toContain('is it a Kubernetes API server?');
  });

  test('a server that says nothing is given up', async () => {
    handle = () => {};
    const error = await refusalOf(reach({ requestTimeoutMs: 200, readAttemptsMax: 1 }).perform(get, { signal }));
    expect([error.code, error.reason]).toEqual([504, 'Timeout']);
  });

  test('an abort is its own reason', async () => {
    handle = () => {};
    const aborting = new AbortController();
    const reason = new Error('stop');
    const asking = reach().perform(get, { signal: aborting.signal });
    await until(() => requests.length === 1);
    aborting.abort(reason);
    await expect(asking).rejects.toBe(reason);
  });

  test('nothing listens', async () => {
    const own = transportTo(
      { server: 'http://127.0.0.1:1', tls: {}, credentials: fixedCredentials({}) },
      { readAttemptsMax: 1 },
    );
    const error = await refusalOf(own.perform(get, { signal }));
    expect([error.code, error.message]).toEqual([
      503,
      'cannot reach http://127.0.0.1:1: nothing listens there; is the server running?',
    ]);
  });

  const event = (name: string): string => `${JSON.stringify({ type: 'ADDED', object: fakeConfigMap(name) })}\n`;

  async function collect(transport: HttpTransport, operation: WatchOperation): Promise<readonly WatchEvent[]> {
    const events: WatchEvent[] = [];
    for await (const next of transport.watch(operation, { signal })) events.push(next);
    return events;
  }

  test('a watch that falls silent ends, so that a new one can begin', async () => {
    handle = (_, response) => void response.write(event('a'));
    const bookmarks = { ...watching, options: { allowWatchBookmarks: true } };
    expect(await collect(reach({ silenceMsMax: 300 }), bookmarks)).toHaveLength(1);
  });

  test('a watch that the server ends just ends', async () => {
    handle = (_, response) => void response.end(event('a') + event('b'));
    expect(await collect(reach(), watching)).toHaveLength(2);
  });

  test('a watch that is cut in mid-event is an error', async () => {
    handle = (_, response) => {
      response.write(event('a'));
      response.write('{"type":');
      systemClock.after(50, () => response.destroy());
    };
    expect((await refusalOf(collect(reach(), watching))).code).toBe(504);
  });
});
