import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { failure, type Status, StatusError } from '../../api/status.ts';
import { seededRandom } from '../../base/random.ts';
import { createFakeApi, type FakeApi, fakeConfigMap } from '../../testing/server/fake-api.ts';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { createAuditor } from '../audit/auditor.ts';
import type { AuditEvent } from '../audit/event.ts';
import type { Authentication } from '../auth/authenticate.ts';
import type { Access } from '../context/authorizer.ts';
import { backupRoute } from './backup.ts';
import { type Answer, textAnswer } from './codec/answer.ts';
import { createHandler, type Incoming } from './handler.ts';
import { healthRoutes } from './health.ts';
import type { Route } from './route.ts';

interface World {
  readonly api: FakeApi;
  readonly clock: VirtualClock;
  readonly problems: unknown[];
  ask(method: string, target: string, rest?: Rest): Promise<Answer>;
}

interface Rest {
  readonly who?: Authentication;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Incoming['body'];
  readonly signal?: AbortSignal;
  readonly fault?: Status;
  readonly connection?: object;
}

const jane: Authentication = { is: 'user', user: { name: 'jane', groups: [] } };
const anonymous: Authentication = { is: 'anonymous' };
const limits = {
  bodiesMax: 2,
  bodiesBytesMax: 1_000_000,
  readsMax: 3,
  writesMax: 2,
  watchesMax: 10,
  requestTimeoutMs: 60_000,
  encodingsBytesMax: 2 ** 20,
};

function world(...more: readonly Route[]): World {
  const api = createFakeApi();
  const clock = createVirtualClock();
  const problems: unknown[] = [];
  const backup = async (): Promise<AsyncIterable<Buffer>> => Readable.from([Buffer.from('everything')]);
  const routes = [...healthRoutes({ api }), backupRoute(backup), ...more];
  const handle = createHandler({ api, clock, limits, routes, report: ({ error }) => problems.push(error) });
  const ask = async (method: string, target: string, rest: Rest = {}): Promise<Answer> => {
    const text = typeof rest.body === 'string' ? rest.body : '';
    const incoming: Incoming = {
      head: { method, target, headers: { 'content-type': 'application/json', ...rest.headers } },
      fault: rest.fault,
      authenticate: () => rest.who ?? jane,
      body: typeof rest.body === 'function' ? rest.body : () => Promise.resolve(Buffer.from(text)),
      upgrades: false,
      connection: rest.connection ?? {},
      signal: rest.signal ?? new AbortController().signal,
    };
    return handle(incoming);
  };
  return { api, clock, problems, ask };
}

function bodyOf({ body }: Answer): Record<string, unknown> {
  if (body.is !== 'bytes') throw new Error('more than bytes');
  return JSON.parse(body.bytes.toString()) as Record<string, unknown>;
}

function textOf({ body }: Answer): string {
  if (body.is !== 'bytes') throw new Error('more than bytes');
  return body.bytes.toString();
}

test('an operation carries the user and the answer its warnings', async () => {
  const { api, ask } = world();
  const answer = await ask('POST', '/api/v1/namespaces/default/configmaps', {
    body: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","name":"a"}}',
  });
  expect(answer.code).toBe(201);
  expect(answer.headers['warning']).toEqual(['299 - "be careful"']);
  const flaws = ['duplicate field "metadata.name"'];
  expect(api.operations).toMatchObject([{ verb: 'create', namespace: 'default', user: { name: 'jane' }, flaws }]);
});

test.each<[string, string, Authentication, number]>([
  ['GET', '/healthz', anonymous, 200],
  ['GET', '/livez', anonymous, 200],
  ['GET', '/readyz/ping', anonymous, 200],
  ['GET', '/version', anonymous, 200],
  ['GET', '/api', anonymous, 401],
  ['GET', '/openapi/v2', anonymous, 401],
  ['GET', '/api/v1/configmaps', anonymous, 401],
  ['GET', '/no/such/path', anonymous, 401],
  ['GET', '/api/v1/configmaps?limit=abc', anonymous, 401],
  ['GET', '/healthz', { is: 'refused', status: failure(401, 'Unauthorized', 'Unauthorized') }, 401],
  ['GET', '/api/v1/configmaps', { is: 'refused', status: failure(403, 'Forbidden', 'no') }, 403],
  ['GET', '/no/such/path', jane, 404],
  ['GET', '/apis/nope', jane, 404],
  ['GET', '/api/v1/configmaps', jane, 200],
])('%s %s for %j is %i', async (method, target, who, code) => {
  const { api, ask } = world();
  const answer = await ask(method, target, { who });
  expect(answer.code).toBe(code);
  if (code >= 400) {
    expect(bodyOf(answer)).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code });
    expect(api.operations).toEqual([]);
  }
});

test('a request that is at fault goes no further', async () => {
  const { ask } = world();
  const answer = await ask('GET', '/healthz', { fault: failure(400, 'BadRequest', 'two hosts') });
  expect([answer.code, bodyOf(answer)['message']]).toEqual([400, 'two hosts']);
});

test('a bug is one 500 without its words, and is reported', async () => {
  const { api, ask, problems } = world();
  api.next = () => Promise.reject(new Error('password is hunter2'));
  const answer = await ask('GET', '/api/v1/configmaps');
  expect(answer.code).toBe(500);
  expect(bodyOf(answer)).toMatchObject({ kind: 'Status', reason: 'InternalError' });
  expect(JSON.stringify(bodyOf(answer))).not.toContain('hunter2');
  expect(problems).toHaveLength(1);
  expect((await ask('GET', '/api/v1/configmaps')).code).toBe(200);
});

test('beyond the limits there is a 429 that says when to come back, and watches do not count', async () => {
  const { api, ask } = world();
  const never = (): Promise<never> => new Promise(() => {});
  for (const method of ['GET', 'GET', 'GET', 'POST', 'POST']) {
    api.next = never;
    void ask(method, '/api/v1/namespaces/default/configmaps', { body: '{}' });
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const read = await ask('GET', '/api/v1/configmaps');
  expect([read.code, read.headers['retry-after']]).toEqual([429, '1']);
  expect((await ask('POST', '/api/v1/namespaces/default/configmaps', { body: '{}' })).code).toBe(429);
  expect((await ask('GET', '/healthz')).code).toBe(200);
});

test('bodies that never end hold no place of a write, and the oldest makes room', async () => {
  const { ask, clock } = world();
  const path = '/api/v1/namespaces/default/configmaps';
  const valid = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"generateName":"a"}}';
  const unfinished: Incoming['body'] = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const dawdling = [1, 2].map(() => ask('POST', path, { body: unfinished }));
  expect((await ask('POST', path, { body: valid })).code).toBe(429);
  await clock.advance(1_000);
  expect((await ask('POST', path, { body: valid })).code).toBe(201);
  const cutOff = await Promise.race(dawdling);
  expect([cutOff.code, cutOff.headers['retry-after']]).toEqual([429, '1']);
  expect(await Promise.race([dawdling[1], Promise.resolve('goes on')])).toBe('goes on');
});

test('a request that takes too long is told so, and its work is told to stop', async () => {
  const { api, clock, ask } = world();
  let stopped: unknown;
  api.next = (_, signal) =>
    new Promise(() => {
      signal.addEventListener('abort', () => {
        stopped = signal.reason;
      });
    });
  const asking = ask('GET', '/api/v1/configmaps');
  await clock.advance(60_000);
  const answer = await asking;
  expect(bodyOf(answer)).toMatchObject({ code: 504, reason: 'Timeout' });
  expect(stopped).toBeDefined();
  // The place is free again.
  expect((await ask('GET', '/api/v1/configmaps')).code).toBe(200);
});

test('a watch that is refused is no stream', async () => {
  const { ask } = world();
  const answer = await ask('GET', '/api/v1/secrets?watch=true');
  expect([answer.code, answer.body.is]).toEqual([404, 'bytes']);
});

test('a watch flows, and what goes wrong later is its last event', async () => {
  const { api, clock, ask, problems } = world();
  const aborting = new AbortController();
  const asking = ask('GET', '/api/v1/configmaps?watch=true', { signal: aborting.signal });
  await clock.settle();
  const { body } = await asking;
  if (body.is !== 'stream') throw new Error('no stream');
  const lines = body.pieces[Symbol.asyncIterator]();
  api.emit({ type: 'ADDED', object: fakeConfigMap('a') });
  const { value } = (await lines.next()) as { value: Buffer };
  expect(JSON.parse(value.toString())).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  api.emit({
    type: 'ADDED',
    object: {
      toJSON: () => {
        throw new Error('a bug');
      },
    } as never,
  });
  const last = (await lines.next()) as { value: Buffer };
  expect(JSON.parse(last.value.toString())).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 500 } });
  expect(await lines.next()).toMatchObject({ done: true });
  expect(problems).toHaveLength(1);
  expect(api.openWatches).toBe(0);
});

test('a log is plain text', async () => {
  const { clock, ask } = world();
  const asking = ask('GET', '/api/v1/namespaces/a/pods/b/log');
  await clock.settle();
  const { headers, body } = await asking;
  expect(headers['content-type']).toContain('text/plain');
  const parts: Buffer[] = [];
  if (body.is === 'stream') for await (const part of body.pieces) parts.push(part);
  expect(Buffer.concat(parts).toString()).toBe('first line\nsecond line\n');
});

test('a write whose answer nobody could read is not done', async () => {
  const { api, ask } = world();
  const answer = await ask('POST', '/api/v1/namespaces/default/configmaps', {
    headers: { accept: 'text/html' },
    body: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}',
  });
  expect(answer.code).toBe(406);
  expect(api.operations).toHaveLength(0);
});

test('a backup is for those who may do everything, and for nobody else', async () => {
  const { ask } = world();
  const admin: Authentication = { is: 'user', user: { name: 'admin', groups: ['system:masters'] } };
  const answer = await ask('GET', '/signalbox/backup', { who: admin });
  expect([answer.code, answer.headers['content-type'], answer.body.is]).toEqual([200, 'application/gzip', 'stream']);
  expect(await ask('GET', '/signalbox/backup')).toMatchObject({ code: 403 });
  expect(await ask('GET', '/signalbox/backup', { who: anonymous })).toMatchObject({ code: 401 });
  expect(await ask('POST', '/signalbox/backup', { who: admin })).toMatchObject({ code: 405 });
  expect(await ask('GET', '/signalbox/backup/more', { who: admin })).toMatchObject({ code: 404 });
});

/** A page and what stands below it, as a future part of the server would bring it. */
function page(rest: Partial<Route> = {}): Route {
  return {
    path: '/ui/page',
    covers: 'below',
    methods: ['GET'],
    seat: 'read',
    answer: ({ below, query, user }) => textAnswer(200, `${user.name} ${below.join('/')} ${query.get('q')}`),
    ...rest,
  };
}

test('a route is answered beside the API, with what stands below it', async () => {
  const { ask } = world(page());
  const answer = await ask('GET', '/ui/page/a/b%20c/?q=1');
  expect([answer.code, textOf(answer)]).toEqual([200, 'jane a/b c 1']);
  expect(answer.headers['cache-control']).toBe('no-cache, private');
});

test.each<[string, string, Authentication, number]>([
  ['GET', '/ui/page', anonymous, 401],
  ['POST', '/ui/page', anonymous, 401],
  ['POST', '/ui/page', jane, 405],
  ['HEAD', '/ui/page', jane, 405],
  ['GET', '/ui', jane, 404],
  ['GET', '/ui/pages', jane, 404],
  ['GET', '/ui//page', jane, 404],
  ['GET', '/ui/../ui/page', jane, 400],
  ['GET', '/ui/page?timeout=maybe', jane, 400],
  ['GET', '/ui/page', { is: 'refused', status: failure(401, 'Unauthorized', 'Unauthorized') }, 401],
])('a route refuses %s %s for %j with %i', async (method, target, who, code) => {
  const answer = await world(page()).ask(method, target, { who });
  expect(answer.code).toBe(code);
  expect(bodyOf(answer)).toMatchObject({ kind: 'Status', status: 'Failure', code });
});

test('whether somebody may ask a route is for the authorizer to say, by path and method', async () => {
  const asked: Access[] = [];
  const { api, ask } = world(page());
  const { authorize } = api;
  api.authorize = (access) => {
    asked.push(access);
    if ('path' in access && access.path === '/ui/page/hidden') throw new StatusError(failure(403, 'Forbidden', 'no'));
    return authorize(access);
  };
  expect((await ask('GET', '/ui/page/hidden')).code).toBe(403);
  expect((await ask('GET', '/ui/page/')).code).toBe(200);
  expect(asked).toMatchObject([
    { verb: 'get', path: '/ui/page/hidden', user: { name: 'jane' } },
    { verb: 'get', path: '/ui/page' },
  ]);
});

test('a route counts as a read and has its time, unless it is answered also when the server is full', async () => {
  const never = (): Promise<never> => new Promise(() => {});
  const { ask, clock } = world(page({ answer: never }), page({ path: '/quick', seat: 'none' }));
  const slow = [1, 2, 3].map(() => ask('GET', '/ui/page'));
  expect((await ask('GET', '/ui/page')).code).toBe(429);
  expect((await ask('GET', '/api/v1/configmaps')).code).toBe(429);
  expect((await ask('GET', '/quick')).code).toBe(200);
  await clock.advance(limits.requestTimeoutMs);
  expect((await Promise.all(slow)).map(({ code }) => code)).toEqual([504, 504, 504]);
  expect((await ask('GET', '/api/v1/configmaps')).code).toBe(200);
});

test('a route that fails is one 500 without its words, and is reported', async () => {
  const { ask, problems } = world(page({ answer: () => Promise.reject(new Error('password is hunter2')) }));
  const answer = await ask('GET', '/ui/page');
  expect([answer.code, textOf(answer).includes('hunter2'), problems.length]).toEqual([500, false, 1]);
});

test('the list of paths names the routes, as one document', async () => {
  const { ask } = world(page());
  const first = await ask('GET', '/');
  expect(bodyOf(first)).toEqual({
    paths: ['/api', '/healthz', '/livez', '/readyz', '/signalbox/backup', '/ui/page', '/version'],
  });
  const again = await ask('GET', '/', { headers: { 'if-none-match': String(first.headers['etag']) } });
  expect(again.code).toBe(304);
});

test.each<[string, readonly Route[]]>([
  ['no two routes answer one path', [page(), page({ path: '/ui/page/more', covers: 'path' })]],
  ['no two routes answer one path', [page({ path: '/readyz' })]],
  ['a route is beside the API', [page({ path: '/apis/mine' })]],
  ['a route has a path', [page({ path: 'ui' })]],
])('%s', (message, routes) => {
  expect(() => world(...routes)).toThrow(message);
});

test('health takes HEAD, names and exclusions', async () => {
  const { api, ask } = world();
  api.checksNow.push({ name: 'disk', failure: 'full' });
  expect((await ask('HEAD', '/readyz?verbose&exclude=a&exclude=disk')).code).toBe(200);
  expect((await ask('GET', '/readyz')).code).toBe(500);
  expect((await ask('GET', '/readyz/disk')).code).toBe(500);
  expect((await ask('GET', '/healthz/', { who: anonymous })).code).toBe(500);
  expect((await ask('POST', '/healthz')).code).toBe(405);
});

describe('what is audited', () => {
  const watched = (): Pick<World, 'ask' | 'api' | 'clock'> & { readonly events: AuditEvent[] } => {
    const { ask, api, clock } = world();
    const events: AuditEvent[] = [];
    const audit = createAuditor({
      policy: { rules: [{ level: 'RequestResponse' }] },
      sink: (event) => events.push(event),
      clock,
      random: seededRandom('audit'),
    });
    Object.assign(api, { audit });
    return { ask, api, clock, events };
  };
  const told = (events: readonly AuditEvent[]): readonly string[] =>
    events.map(
      ({ stage, user, responseStatus }) => `${stage} ${user.username ?? 'nobody'} ${responseStatus?.code ?? ''}`,
    );

  test('has a name that its client may give, and where it came from', async () => {
    const { ask, events } = watched();
    const headers = { 'audit-id': 'mine', 'x-forwarded-for': '10.0.0.1, <b>', 'user-agent': 'curl' };
    const answer = await ask('POST', '/api/v1/namespaces/default/configmaps?x=1', {
      headers,
      body: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}',
    });
    expect(answer.headers['audit-id']).toBe('mine');
    expect(told(events)).toEqual(['RequestReceived jane ', 'ResponseComplete jane 201']);
    expect(events[1]).toMatchObject({
      auditID: 'mine',
      requestURI: '/api/v1/namespaces/default/configmaps?x=1',
      sourceIPs: ['10.0.0.1'],
      userAgent: 'curl',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
      requestObject: { metadata: { name: 'a' } },
    });
  });

  test('ends with the answer, also with one that goes on or is a refusal', async () => {
    const { ask, clock, events } = watched();
    const stop = new AbortController();
    const asking = ask('GET', '/api/v1/configmaps?watch=1', { signal: stop.signal });
    await clock.settle();
    const { body } = await asking;
    expect(told(events)).toEqual(['RequestReceived jane ', 'ResponseStarted jane 200']);
    stop.abort();
    if (body.is === 'stream') for await (const _ of body.pieces);
    expect(told(events).at(-1)).toBe('ResponseComplete jane 200');
    events.length = 0;
    await ask('GET', '/api/v1/namespaces/default/configmaps/none');
    await ask('GET', '/api/v1/pods', { who: { is: 'anonymous' } });
    await ask('GET', '/nothing');
    expect(told(events).filter((line) => !line.startsWith('RequestReceived'))).toEqual([
      'ResponseComplete jane 404',
      'ResponseComplete system:anonymous 401',
      'ResponseComplete jane 404',
    ]);
  });

  test('is told of whoever could not say who they are, and of whom others act for', async () => {
    const { ask, events } = watched();
    await ask('GET', '/api/v1/pods', { who: { is: 'refused', status: failure(401, 'Unauthorized', 'Unauthorized') } });
    expect(told(events)).toEqual(['ResponseStarted nobody 401']);
    events.length = 0;
    await ask('GET', '/version', { who: { ...jane, as: { name: 'joe', groups: ['ops'] } } });
    expect(events.at(-1)).toMatchObject({
      user: { username: 'jane' },
      impersonatedUser: { username: 'joe', groups: ['ops', 'system:authenticated'] },
    });
  });

  test('nobody acts for a group alone', async () => {
    const { ask } = watched();
    const refused = await ask('GET', '/version', { who: { ...jane, as: { name: '', groups: ['ops'] } } });
    expect(refused).toMatchObject({ code: 400 });
  });

  test('says that the server failed, not how', async () => {
    const { ask, api, events } = watched();
    api.next = () => Promise.reject(new Error('hunter2'));
    await ask('GET', '/api/v1/namespaces/default/configmaps/a');
    expect(told(events)).toEqual(['RequestReceived jane ', 'Panic jane 500', 'ResponseComplete jane 500']);
    expect(JSON.stringify(events)).not.toContain('hunter2');
  });
});
