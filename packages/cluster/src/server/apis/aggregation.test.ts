/** Who answers for a group, as the stored APIServices say it: with other servers that are only asked in name. */
import { beforeEach, describe, expect, test } from 'vitest';
import { apiservices } from '../../api/apiservices.ts';
import { endpointslices, services } from '../../api/generated/kinds.ts';
import { resourceType } from '../../api/gvk.ts';
import type { Passed, Passing } from '../../api/passing.ts';
import { failure, StatusError } from '../../api/status.ts';
import { createClient } from '../../client/create-client.ts';
import { apiserviceDefinition } from '../../resources/apiregistration/apiservice.ts';
import { endpointsliceDefinition } from '../../resources/discovery/endpointslice.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { admin, createTestServer, type TestServer } from '../../testing/api-server.ts';
import { createWire } from '../../testing/wire.ts';
import type { ApiDestination } from '../context/other-apis.ts';

const group = 'rates.example.com';
const name = `v1.${group}`;
const rates = resourceType({ group, version: 'v1', resource: 'rates', kind: 'Rate', namespaced: true });
const { signal } = new AbortController();

let server: TestServer;
let asked: string[];
let answer: (passing: Passing) => Promise<Passed>;

function said(value: unknown, code = 200): Passed {
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from(JSON.stringify(value));
  }
  return { is: 'answer', code, headers: { 'content-type': 'application/json' }, body: body() };
}

const told = ({ host, port, serverName, isInsecure }: ApiDestination): string =>
  `${host}:${port} ${serverName}${isInsecure ? ' unchecked' : ''}`;

beforeEach(async () => {
  asked = [];
  answer = async () => said({ kind: 'Rate', metadata: { name: 'a' } });
  server = await createTestServer({
    definitions: [apiserviceDefinition, endpointsliceDefinition] as unknown as readonly ResourceDefinition[],
    passToServer: (to, passing, adds) => {
      asked.push(`${told(to)} ${passing.method} ${passing.path} ${String(adds['X-Remote-User'])}`);
      return answer(passing);
    },
    nodeDoors: async ({ node, path, adds }, passing) => {
      asked.push(`${node} ${passing.method} ${path} ${String(adds?.['X-Remote-User'])}`);
      return answer(passing);
    },
  });
});

async function register(more: object = {}): Promise<void> {
  const service = { namespace: 'default', name: 'adapter' };
  const spec = { group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 100, service, ...more };
  await server.create(apiservices, { metadata: { name }, spec });
}

async function available(status: 'True' | 'False'): Promise<void> {
  const conditions = [{ type: 'Available', status }];
  await server.merge(apiservices, name, { subresource: 'status', body: { status: { conditions } } });
}

async function endpoint(more: object): Promise<void> {
  const spec = { type: 'ClusterIP', clusterIP: '10.96.0.9', ports: [{ name: 'https', port: 443 }] };
  await server.create(services, { metadata: { name: 'adapter' }, spec });
  await server.create(endpointslices, {
    metadata: { name: 'adapter-1', labels: { 'kubernetes.io/service-name': 'adapter' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.7'], ...more }],
    ports: [{ name: 'https', port: 6443 }],
  });
}

const get = (): Promise<unknown> =>
  createClient(server.server, admin).get(rates, { namespace: 'default', name: 'a', signal });

describe('where a service leads', () => {
  test('to the name of elsewhere', async () => {
    await server.create(services, {
      metadata: { name: 'adapter' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await register({ service: { namespace: 'default', name: 'adapter', port: 8443 }, insecureSkipTLSVerify: true });
    await available('True');
    await get();
    expect(asked).toEqual([
      `localhost:8443 adapter.default.svc unchecked GET /apis/${group}/v1/namespaces/default/rates/a ${admin.name}`,
    ]);
  });

  test('to an address that somebody wrote down', async () => {
    await endpoint({});
    await register();
    await available('True');
    await get();
    expect(asked[0]).toMatch(/^192\.0\.2\.7:6443 adapter\.default\.svc GET /);
  });

  test('to a pod by way of its node', async () => {
    await endpoint({ nodeName: 'real', targetRef: { kind: 'Pod', name: 'adapter-x', namespace: 'default' } });
    await register();
    await available('True');
    await get();
    const path = `/proxy/default/adapter-x/https/6443/apis/${group}/v1/namespaces/default/rates/a`;
    expect(asked).toEqual([`real GET ${path} ${admin.name}`]);
  });

  test.each([
    ['no service', async () => undefined, 'service "adapter" not found'],
    ['nobody ready', () => endpoint({ conditions: { ready: false } }), 'no endpoints available for service "adapter"'],
  ])('nowhere: %s', async (_, prepare, why) => {
    await prepare();
    await register();
    await available('True');
    await expect(get()).rejects.toMatchObject({ code: 503, message: `error trying to reach service: ${why}` });
  });
});

describe('availability', () => {
  beforeEach(async () => {
    await endpoint({});
    await register();
  });
  const unable = { code: 503, message: 'the server is currently unable to handle the request' };

  test('nobody is asked before it is found out, nor after it is lost', async () => {
    await expect(get()).rejects.toMatchObject(unable);
    await available('True');
    await get();
    await available('False');
    const { code, json } = await createWire(server.server)('GET', `/apis/${group}/v1/namespaces/default/rates`);
    expect([code, json]).toMatchObject([503, { kind: 'Status', message: unable.message }]);
    expect(asked).toHaveLength(1);
  });

  test('discovery has what a probe found, and says when it cannot know', async () => {
    const resources = [{ name: 'rates', singularName: 'rate', namespaced: true, kind: 'Rate', verbs: ['get'] }];
    const openapi = { openapi: '3.0.0', info: {} };
    answer = async ({ path }) => said(path.startsWith('/openapi') ? openapi : { kind: 'APIResourceList', resources });
    expect(await server.server.aggregation.probe(name, { signal })).toBeUndefined();
    const { document } = server.server;
    const at = { group, version: 'v1' };
    expect(() => document({ what: 'resources', ...at })).toThrow(unable.message);
    const freshness = (): unknown => {
      const all = document({ what: 'aggregated', root: 'apis', version: 'v2' }) as {
        readonly items: readonly object[];
      };
      return (all.items.at(-1) as { readonly versions: readonly object[] }).versions[0];
    };
    expect(freshness()).toEqual({ version: 'v1', resources: [], freshness: 'Stale' });
    await available('True');
    expect(document({ what: 'resources', ...at })).toMatchObject({ groupVersion: `${group}/v1`, resources });
    expect(freshness()).toMatchObject({ freshness: 'Current', resources: [{ resource: 'rates' }] });
    expect(document({ what: 'openapi3', path: `apis/${group}/v1` })).toEqual(openapi);
    expect(document({ what: 'openapi3Index' })).toMatchObject({
      paths: { [`apis/${group}/v1`]: { serverRelativeURL: expect.stringContaining('?hash=') as string } },
    });
  });

  test.each<[string, () => Promise<Passed>, string]>([
    ['a bad status', async () => said({}, 404), 'bad status from URL: 404'],
    [
      'nobody there',
      () => Promise.reject(new Error('dial tcp 192.0.2.7:6443: connect: connection refused')),
      'Get "URL": dial tcp 192.0.2.7:6443: connect: connection refused',
    ],
  ])('a probe tells what is wrong: %s', async (_, fails, why) => {
    answer = fails;
    const url = `https://192.0.2.7:6443/apis/${group}/v1`;
    expect(await server.server.aggregation.probe(name, { signal })).toBe(
      `failing or missing response from ${url}: ${why.replace('URL', url)}`,
    );
  });

  test('a probe gives up after five seconds, a request after a minute, whatever of it has come', async () => {
    answer = ({ signal: limited }) =>
      new Promise((_, reject) => limited.addEventListener('abort', () => reject(limited.reason)));
    const probing = server.server.aggregation.probe(name, { signal });
    await server.clock.advance(5_000);
    expect(await probing).toContain('context deadline exceeded');
    await available('True');
    const asking = get().catch((error: unknown) => error);
    await server.clock.advance(60_000);
    expect(await asking).toMatchObject({ code: 504 });
  });

  test('a refusal of the other server comes back as it is', async () => {
    await available('True');
    const status = failure(404, 'NotFound', 'nobody measures a');
    answer = async () => said(status, 404);
    await expect(get()).rejects.toEqual(new StatusError(status));
  });

  test('an APIService that goes takes its group with it', async () => {
    await available('True');
    await server.delete(apiservices, name);
    await expect(get()).rejects.toMatchObject({ code: 404 });
    expect(server.server.document({ what: 'group', group })).toBeUndefined();
  });
});
