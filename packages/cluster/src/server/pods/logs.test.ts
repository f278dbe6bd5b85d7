import { describe, expect, test } from 'vitest';
import { pods } from '../../api/generated/kinds.ts';
import { admin, createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';
import type { LogRequest } from '../context/context.ts';

const { signal } = new AbortController();

async function read({ server }: TestServer, parameters: Readonly<Record<string, string>> = {}): Promise<string> {
  const stream = server.text?.(
    { verb: 'get', resource: pods, namespace: 'default', name: 'p', subresource: 'log', user: admin, parameters },
    { signal },
  );
  let text = '';
  for await (const part of (await stream) ?? []) text += part;
  return text;
}

async function* twoLines(): AsyncGenerator<string> {
  yield 'one\n';
  yield 'two\n';
}

async function withPod(
  spec: object = { nodeName: 'n1' },
): Promise<{ readonly server: TestServer; readonly asked: LogRequest[] }> {
  const asked: LogRequest[] = [];
  const server = await createTestServer({
    async nodeLogs(request) {
      asked.push(request);
      return twoLines();
    },
  });
  await server.create(pods, pod('p', spec));
  return { server, asked };
}

test('a log comes from the node, in parts', async () => {
  const { server, asked } = await withPod();
  expect(await read(server)).toBe('one\ntwo\n');
  expect(asked[0]).toMatchObject({ container: 'main', follow: false, previous: false, timestamps: false });
});

test('options are decoded', async () => {
  const { server, asked } = await withPod();
  await read(server, {
    follow: 'true',
    previous: 'true',
    timestamps: 'true',
    tailLines: '0',
    limitBytes: '9',
    sinceTime: '2026-01-01T00:00:00Z',
  });
  expect(asked[0]).toMatchObject({
    follow: true,
    previous: true,
    timestamps: true,
    tailLines: 0,
    limitBytes: 9,
    sinceMs: Date.parse('2026-01-01T00:00:00Z'),
  });
  await read(server, { sinceSeconds: '5' });
  expect(asked[1]).toMatchObject({ sinceSeconds: 5 });
});

test('a pod without a node has written nothing', async () => {
  const { server, asked } = await withPod({});
  expect(await read(server)).toBe('');
  expect(asked).toEqual([]);
});

describe('refusals', () => {
  const two = {
    nodeName: 'n1',
    containers: [
      { name: 'a', image: 'a' },
      { name: 'b', image: 'b' },
    ],
  };
  test.each<[string, object, Readonly<Record<string, string>>, string]>([
    ['a choice that was not made', two, {}, 'a container name must be specified for pod p, choose one of: [a b]'],
    ['a container that is not there', two, { container: '../x' }, 'container ../x is not valid for pod p'],
    [
      'a count that is none',
      two,
      { container: 'a', tailLines: '-1' },
      'tailLines must be a whole number of at least 0',
    ],
    ['no bytes at all', two, { container: 'a', limitBytes: '0' }, 'limitBytes must be a whole number of at least 1'],
    [
      'a time that is none',
      two,
      { container: 'a', sinceTime: 'yesterday' },
      'sinceTime is no RFC 3339 time: "yesterday"',
    ],
    [
      'two beginnings',
      two,
      { container: 'a', sinceSeconds: '1', sinceTime: '2026-01-01T00:00:00Z' },
      'at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
  ])('%s', async (_, spec, parameters, message) => {
    const { server } = await withPod(spec);
    expect(await refusalOf(read(server, parameters))).toMatchObject({ code: 400, message });
  });

  test('a pod that is not there', async () => {
    expect((await refusalOf(read(await createTestServer()))).code).toBe(404);
  });

  test('a server without nodes', async () => {
    const server = await createTestServer();
    await server.create(pods, pod('p', { nodeName: 'n1' }));
    expect((await refusalOf(read(server))).code).toBe(503);
  });

  test('somebody unknown', async () => {
    const { server } = await createTestServer();
    const user = { name: 'system:anonymous', groups: [] };
    const ask = async (): Promise<unknown> =>
      server.text?.(
        { verb: 'get', resource: pods, namespace: 'default', name: 'p', subresource: 'log', user },
        { signal },
      );
    expect((await refusalOf(ask())).code).toBe(403);
  });

  test('a log as an object', async () => {
    const { server } = await withPod();
    expect((await refusalOf(server.get(pods, 'p', { subresource: 'log' }))).code).toBe(400);
  });
});

test('other subresources are objects', async () => {
  const { server } = await createTestServer();
  const operation = {
    verb: 'get',
    resource: pods,
    namespace: 'default',
    name: 'p',
    subresource: 'status',
    user: admin,
  } as const;
  expect(server.text?.(operation, { signal })).toBeUndefined();
});

test.each(['exec', 'attach', 'portforward', 'proxy'])(
  '%s is refused with what there is instead',
  async (subresource) => {
    const { server } = await withPod();
    const work = server.create(pods, {}, { name: 'p', subresource });
    expect(await refusalOf(work)).toMatchObject({
      code: 405,
      message: expect.stringContaining('is in its log') as unknown as string,
    });
  },
);
