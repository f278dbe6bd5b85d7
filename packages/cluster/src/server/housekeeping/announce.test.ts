import { expect, test } from 'vitest';
import { endpoints, endpointslices, services } from '../../api/generated/kinds.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';
import { announce } from './announce.ts';

const { signal } = new AbortController();

function served(): Promise<TestServer> {
  return createTestServer({ definitions: builtinDefinitions });
}

test('the Service leads to the port that is listened on', async () => {
  const { server, get } = await served();
  await announce(server, { host: '127.0.0.1', port: 40_123, signal });
  expect(await get(services, 'kubernetes')).toMatchObject({ spec: { ports: [{ port: 443, targetPort: 40_123 }] } });
});

test.each(['127.0.0.1', '::1', '0.0.0.0', 'localhost'])('at %s it has no endpoints', async (host) => {
  const { server, get } = await served();
  await announce(server, { host, port: 6443, signal });
  expect((await refusalOf(get(endpoints, 'kubernetes'))).code).toBe(404);
  expect((await refusalOf(get(endpointslices, 'kubernetes'))).code).toBe(404);
});

test('at an address that others reach it has them, and a later start puts them right', async () => {
  const { server, get } = await served();
  for (const [host, addressType, port] of [
    ['10.1.2.3', 'IPv4', 6443],
    ['2001:db8::1', 'IPv6', 7443],
  ] as const) {
    await announce(server, { host, port, signal });
    expect(await get(endpoints, 'kubernetes')).toMatchObject({
      subsets: [{ addresses: [{ ip: host }], ports: [{ port }] }],
    });
    expect(await get(endpointslices, 'kubernetes')).toMatchObject({ addressType, endpoints: [{ addresses: [host] }] });
  }
  await announce(server, { host: '127.0.0.1', port: 6443, signal });
  expect((await refusalOf(get(endpoints, 'kubernetes'))).code).toBe(404);
});

test('a Service that somebody has deleted is left alone', async () => {
  const { server, delete: remove } = await served();
  await remove(services, 'kubernetes');
  await announce(server, { host: '127.0.0.1', port: 6443, signal });
});
