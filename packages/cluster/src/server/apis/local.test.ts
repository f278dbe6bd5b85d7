/** The seam itself: an API that something in this process answers for, with rates that nobody measured. */
import { beforeEach, describe, expect, test } from 'vitest';
import { resourceType } from '../../api/gvk.ts';
import { failure, StatusError } from '../../api/status.ts';
import { createClient } from '../../client/create-client.ts';
import { admin, createTestServer, type TestServer } from '../../testing/api-server.ts';
import { createWire } from '../../testing/wire.ts';
import type { ApiRequest, LocalApi } from '../context/local-api.ts';
import { answerApis } from './answer.ts';

const group = 'rates.example.com';
const pods = resourceType({ group, version: 'v1', resource: 'pods', kind: 'RateList', namespaced: true });
const listed = { name: 'pods/rate', singularName: '', namespaced: true, kind: 'RateList', verbs: ['get'] };

let asked: ApiRequest[];
let resources = [listed];
let server: TestServer;

function api(version: string, versionPriority: number): LocalApi {
  return {
    ...{ group, version, versionPriority },
    resources: () => resources,
    answer(request) {
      asked.push(request);
      const { resource, namespace, name, subresource, query } = request;
      if (name === 'none') throw new StatusError(failure(404, 'NotFound', 'nobody measures none'));
      if (name === 'slow') return new Promise<object>(() => undefined);
      if (name === 'broken') throw new Error('divided by zero');
      const what = [namespace, resource, name, subresource, query.get('labelSelector')].join(' ');
      return { kind: 'RateList', apiVersion: `${group}/${version}`, metadata: {}, items: [{ what }] };
    },
  };
}

beforeEach(async () => {
  asked = [];
  resources = [listed];
  server = await createTestServer({ apis: [api('v1', 100), api('v2', 200)] });
});

const { signal } = new AbortController();
const path = `/apis/${group}/v1/namespaces/default/pods/*/rate?labelSelector=app%3Dweb`;

describe('a client in the process and one on the wire get the same', () => {
  test('a subresource of everything that a selector chooses', async () => {
    const answer = { kind: 'RateList', items: [{ what: 'default pods * rate app=web' }] };
    const { json, code } = await createWire(server.server)('GET', path);
    expect([code, json]).toMatchObject([200, answer]);
    const parameters = { labelSelector: 'app=web' };
    const place = { namespace: 'default', name: '*', subresource: 'rate' };
    const operation = { verb: 'get', resource: pods, user: admin, ...place, parameters } as const;
    expect((await server.server.perform(operation, { signal })).object).toMatchObject(answer);
    expect(asked.map(({ verb, user }) => [verb, user.name])).toEqual([
      ['get', admin.name],
      ['get', admin.name],
    ]);
  });

  test('a list', async () => {
    const client = createClient(server.server, admin);
    const { items } = await client.list(pods, { namespace: 'a', labelSelector: 'x', signal });
    expect(items).toMatchObject([{ what: 'a pods   x' }]);
    expect(asked[0]?.verb).toBe('list');
  });
});

test('the authorizer is asked first, about verb, group and resource', async () => {
  const nobody = { name: 'jane', groups: ['system:authenticated'] };
  const refusal =
    'pods.rates.example.com "*" is forbidden: User "jane" cannot get resource "pods/rate" in API group "rates.example.com" in the namespace "default"';
  const { code, json } = await createWire(server.server)('GET', path, { who: { is: 'user', user: nobody } });
  expect([code, json]).toMatchObject([403, { message: refusal }]);
  const place = { namespace: 'default', name: '*', subresource: 'rate' };
  await expect(createClient(server.server, nobody).get(pods, { ...place, signal })).rejects.toThrow(refusal);
  expect(asked).toEqual([]);
});

test.each([
  ['GET', `/apis/${group}/v1/namespaces/a/pods/none`, 404, 'nobody measures none'],
  ['GET', `/apis/${group}/v1/namespaces/a/pods/broken`, 500, 'Internal error occurred: divided by zero'],
  ['GET', `/apis/${group}/v3/namespaces/a/pods`, 404, 'the server could not find the requested resource'],
  [
    'POST',
    `/apis/${group}/v1/namespaces/a/pods`,
    405,
    'post is not supported on resources of kind "pods.rates.example.com"',
  ],
  [
    'GET',
    `/apis/${group}/v1/namespaces/a/pods?watch=1`,
    405,
    'watch is not supported on resources of kind "pods.rates.example.com"',
  ],
])('%s %s is refused with %i', async (method, target, code, message) => {
  const answer = await createWire(server.server)(method, target);
  expect(answer).toMatchObject({ code, json: { kind: 'Status', message } });
});

test('who never answers is not waited for', async () => {
  const asking = createClient(server.server, admin).get(pods, { namespace: 'a', name: 'slow', signal });
  const refusal = asking.catch((error: unknown) => error);
  await server.clock.advance(60_000);
  expect(await refusal).toMatchObject({ code: 504 });
});

describe('discovery', () => {
  test('has it among the groups, the version with the higher priority first', () => {
    const { document } = server.server;
    const { groups } = document({ what: 'groups' }) as { readonly groups: readonly object[] };
    expect(groups.at(-1)).toMatchObject({ name: group, preferredVersion: { version: 'v2' } });
    expect(document({ what: 'resources', group, version: 'v1' })).toMatchObject({ resources: [listed] });
    expect(document({ what: 'paths' })).toMatchObject({
      paths: expect.arrayContaining([`/apis/${group}/v1`]) as string[],
    });
  });

  test('nests a subresource below a resource that can do nothing', () => {
    const all = server.server.document({ what: 'aggregated', root: 'apis', version: 'v2' }) as {
      items: readonly object[];
    };
    const subresources = [
      { subresource: 'rate', responseKind: { group, version: 'v2', kind: 'RateList' }, verbs: ['get'] },
    ];
    expect(all.items.at(-1)).toMatchObject({
      metadata: { name: group },
      versions: [
        { version: 'v2', resources: [{ resource: 'pods', scope: 'Namespaced', verbs: [], subresources }] },
        { version: 'v1' },
      ],
    });
  });

  test('follows what is listed', () => {
    const document = (): object | undefined => server.server.document({ what: 'resources', group, version: 'v1' });
    const before = document();
    expect(document()).toBe(before);
    resources = [...resources, { ...listed, name: 'pods/errors' }];
    expect(document()).toMatchObject({ resources: [{ name: 'pods/rate' }, { name: 'pods/errors' }] });
  });
});

test('a server of their own answers for them with a few lines', async () => {
  const ask = (target: string): Promise<unknown> =>
    answerApis([api('v1', 100), api('v2', 200)], { method: 'GET', target, user: admin, signal });
  const versions = [{ version: 'v2' }, { version: 'v1' }];
  expect(await ask('/apis')).toMatchObject({ code: 200, object: { groups: [{ name: group, versions }] } });
  expect(await ask(`/apis/${group}`)).toMatchObject({ code: 200, object: { kind: 'APIGroup', versions } });
  expect(await ask(`/apis/${group}/v2`)).toMatchObject({ code: 200, object: { groupVersion: `${group}/v2` } });
  expect(await ask(path)).toMatchObject({ code: 200, object: { items: [{ what: 'default pods * rate app=web' }] } });
  expect(await ask('/openapi/v2')).toMatchObject({ code: 404 });
});
