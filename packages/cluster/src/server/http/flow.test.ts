import { beforeEach, expect, test } from 'vitest';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';
import { authenticated } from '../../api/identities.ts';
import type { StoredMeta } from '../../api/meta.ts';
import { builtinLevels, builtinSchemas } from '../../resources/flowcontrol/builtin.ts';
import { createFakeApi, type FakeApi } from '../../testing/server/fake-api.ts';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { createFlowControl, type FlowControl } from '../flowcontrol/flow-control.ts';
import type { Answer } from './codec/answer.ts';
import { flowRoutes } from './flow-routes.ts';
import { createHandler, type Incoming } from './handler.ts';
import { healthRoutes } from './health.ts';
import type { Route } from './route.ts';

const withUid = <T extends FlowSchema | PriorityLevelConfiguration>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, uid: `${object.kind}-${object.metadata.name}` } as StoredMeta,
});
const objects = { state: {}, schemas: () => builtinSchemas.map(withUid), levels: () => builtinLevels.map(withUid) };
const limits = {
  ...{ bodiesMax: 20, bodiesBytesMax: 1_000_000, readsMax: 20, writesMax: 20, watchesMax: 20 },
  ...{ requestTimeoutMs: 60_000, encodingsBytesMax: 2 ** 20 },
};

let api: FakeApi;
let clock: VirtualClock;
let control: FlowControl;
let release: () => void;
let handle: ReturnType<typeof createHandler>;

/** Answers when it is told to. */
const slow: Route = {
  ...{ path: '/slow', covers: 'path', methods: ['GET'], seat: 'read' },
  answer: () =>
    new Promise((resolve) => {
      release = () => resolve({ code: 200, headers: {}, body: { is: 'bytes', bytes: Buffer.from('slow') } });
    }),
};

beforeEach(() => {
  api = createFakeApi();
  clock = createVirtualClock();
  // One seat for each level.
  control = createFlowControl({ objects, clock, limits: { seats: 1 } });
  const routes = [...healthRoutes({ api }), ...flowRoutes(control.dumps), slow];
  handle = createHandler({ ...{ api, clock, limits, routes, flowControl: control }, report: () => undefined });
});

function ask(
  method: string,
  target: string,
  rest: Partial<Incoming> & { readonly name?: string } = {},
): Promise<Answer> {
  return handle({
    head: { method, target, headers: { 'content-type': 'application/json' } },
    fault: undefined,
    authenticate: () => ({ is: 'user', user: authenticated({ name: rest.name ?? 'jane', groups: [] }) }),
    body: () => Promise.resolve(Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}')),
    upgrades: false,
    connection: {},
    signal: new AbortController().signal,
    ...rest,
  });
}

const settled = async (asked: Promise<Answer>): Promise<number | 'waits'> => {
  let code: number | 'waits' = 'waits';
  void asked.then((answer) => {
    code = answer.code;
  });
  await clock.advance(0);
  return code;
};
const list = '/api/v1/namespaces/default/configmaps';

test('every answer says how its request was sorted, also a refusal', async () => {
  const headers = {
    'x-kubernetes-pf-flowschema-uid': 'FlowSchema-global-default',
    'x-kubernetes-pf-prioritylevel-uid': 'PriorityLevelConfiguration-global-default',
  };
  expect((await ask('GET', list)).headers).toMatchObject(headers);
  expect((await ask('GET', `${list}?limit=abc`)).headers).toMatchObject(headers);
  expect((await ask('POST', list)).headers).toMatchObject(headers);
  const probes = (await ask('GET', '/livez')).headers['x-kubernetes-pf-flowschema-uid'];
  expect(probes).toBe('FlowSchema-probes');
});

test.each<[string, string]>([
  ['GET', list],
  ['POST', list],
  ['GET', `${list}?watch=true`],
  ['GET', '/version'],
  ['GET', '/slow'],
])('%s %s waits for its turn, and has it when the one before is done', async (method, target) => {
  const first = ask('GET', '/slow');
  expect(await settled(first)).toBe('waits');
  const next = ask(method, target, { name: 'joe' });
  expect(await settled(next)).toBe('waits');
  expect(api.operations).toEqual([]);
  const firstDone = release;
  firstDone();
  await clock.advance(0);
  expect(await settled(first)).toBe(200);
  if (target === '/slow') release();
  expect(await settled(next)).toBe(method === 'POST' ? 201 : 200);
});

test('a list of much takes several seats, a page of it fewer', async () => {
  control = createFlowControl({ objects, clock, limits: { seats: 360 } });
  api = Object.assign(createFakeApi(), { stored: () => 10_000 });
  handle = createHandler({ ...{ api, clock, limits, routes: [], flowControl: control }, report: () => undefined });
  const seats = async (target: string): Promise<string | undefined> => {
    let done: () => void = () => undefined;
    api.next = () => new Promise((_, reject) => (done = () => reject(new Error('over'))));
    const asked = ask('GET', target);
    await clock.advance(0);
    const taken = /executing_seats\{flow_schema="global-default".*\} (\d+)/.exec(control.text())?.[1];
    done();
    await asked;
    return taken;
  };
  expect(await seats(list)).toBe('5');
  expect(await seats(`${list}?limit=150`)).toBe('2');
  expect(await seats(`${list}?limit=10`)).toBe('1');
  expect(await seats(`${list}?limit=10&labelSelector=a`)).toBe('5');
  expect(await seats(`${list}/one`)).toBe('1');
  expect(control.text()).toMatch(/executing_seats\{flow_schema="global-default".*\} 0/);
});

test('a probe, and whoever is exempt, wait for nobody', async () => {
  void ask('GET', '/slow');
  expect(await settled(ask('GET', '/readyz'))).toBe(200);
  const admin = authenticated({ name: 'admin', groups: ['system:masters'] });
  expect(await settled(ask('GET', list, { authenticate: () => ({ is: 'user', user: admin }) }))).toBe(200);
});

test('a watch that has begun keeps nobody waiting', async () => {
  expect(await settled(ask('GET', `${list}?watch=true`))).toBe(200);
  expect(await settled(ask('GET', list))).toBe(200);
});

test('a body that still comes keeps nobody waiting', async () => {
  void ask('POST', list, { body: () => new Promise(() => undefined) });
  await clock.advance(0);
  expect(await settled(ask('GET', list))).toBe(200);
});

test('a request that waits too long is told to come again', async () => {
  void ask('GET', '/slow');
  const next = ask('GET', list);
  await clock.advance(15_000);
  const { code, headers, body } = await next;
  expect([code, headers['retry-after']]).toEqual([429, '1']);
  expect(body.is === 'bytes' && JSON.parse(body.bytes.toString())).toMatchObject({
    reason: 'TooManyRequests',
    message: 'Too many requests, please try again later.',
  });
});

test('a request whose client has gone is not done any more', async () => {
  const gone = new AbortController();
  void ask('GET', '/slow');
  const next = ask('POST', list, { signal: gone.signal });
  await clock.advance(0);
  gone.abort(new Error('gone'));
  await next;
  release();
  await clock.advance(0);
  expect(api.operations).toEqual([]);
});

test('who runs and who waits is told, and discovery does not name where', async () => {
  void ask('GET', '/slow');
  void ask('GET', list, { name: 'joe' });
  await clock.advance(0);
  const admin = authenticated({ name: 'admin', groups: ['system:masters'] });
  const shown = await ask('GET', '/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1', {
    authenticate: () => ({ is: 'user', user: admin }),
  });
  const text = shown.body.is === 'bytes' ? shown.body.bytes.toString() : '';
  expect(text).toMatch(/^global-default, +global-default, +0, +0, +joe,.*configmaps$/m);
  expect(text).toMatch(/^global-default, +global-default, +-1, +-1, +jane,.*\/slow/m);
  const paths = await ask('GET', '/', { authenticate: () => ({ is: 'user', user: admin }) });
  expect(paths.body.is === 'bytes' && paths.body.bytes.toString()).not.toContain('debug');
});
