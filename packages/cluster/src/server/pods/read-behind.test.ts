/** What a client in this process reads through a proxy: what the pod says, asked of its node as anybody's request is. */
import { beforeEach, expect, test } from 'vitest';
import { pods } from '../../api/generated/kinds.ts';
import type { Passed } from '../../api/passing.ts';
import { createClient } from '../../client/create-client.ts';
import { admin, createTestServer, type TestServer } from '../../testing/api-server.ts';
import type { NodeRequest } from '../context/context.ts';

let asked: NodeRequest[];
let server: TestServer;
let says: { readonly code: number; readonly type: string; readonly text: string };

beforeEach(async () => {
  asked = [];
  says = { code: 200, type: 'text/plain; version=0.0.4', text: 'up 1\n' };
  server = await createTestServer({
    async nodeDoors(request): Promise<Passed> {
      asked.push(request);
      const { code, type, text } = says;
      return { is: 'answer', code, headers: { 'content-type': type }, body: bytes(text) };
    },
  });
  await server.create(pods, {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' } },
    spec: { nodeName: 'real', containers: [{ name: 'main', image: 'web', ports: [{ containerPort: 9090 }] }] },
  });
});

async function* bytes(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

const { signal } = new AbortController();
const place = { namespace: 'default', name: 'https:web:9090', subresource: 'proxy' } as const;
const read = (user = admin): Promise<object> =>
  createClient(server.server, user).get(pods, { ...place, below: '/metrics', parameters: { match: 'a b' }, signal });

test('text is the message of a Status', async () => {
  expect(await read()).toMatchObject({ kind: 'Status', message: 'up 1\n' });
  expect(asked).toEqual([
    { what: 'pods/proxy', node: 'real', path: '/proxy/default/web/https/9090/metrics?match=a+b' },
  ]);
});

test('JSON is what it says', async () => {
  says = { code: 200, type: 'application/json', text: '{"status":"success"}' };
  expect(await read()).toEqual({ status: 'success' });
});

test('a refusal has its code', async () => {
  says = { code: 503, type: 'text/plain', text: 'not yet' };
  await expect(read()).rejects.toMatchObject({ status: { code: 503, message: 'the server answered 503: not yet' } });
});

test('whoever may not is not let through', async () => {
  await expect(read({ name: 'jane', groups: ['system:authenticated'] })).rejects.toThrow(
    'User "jane" cannot get resource "pods/proxy" in API group "" in the namespace "default"',
  );
  expect(asked).toEqual([]);
});
