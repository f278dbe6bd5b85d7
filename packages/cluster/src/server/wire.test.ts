import { describe, expect, test } from 'vitest';
import { configmaps, customresourcedefinitions, namespaces, pods } from '../api/generated/kinds.ts';
import { configMap, createTestServer, pod, type TestServer } from '../testing/api-server.ts';
import { type AskWire, createWire } from '../testing/wire.ts';

const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const maps = '/api/v1/namespaces/default/configmaps';

const definition = (schema: object): object => ({
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});
const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const thing = { apiVersion: 'example.com/v1', kind: 'Thing' };
const things = '/apis/example.com/v1/namespaces/default/things';

async function wired(): Promise<{ readonly server: TestServer; readonly ask: AskWire }> {
  const server = await createTestServer();
  return { server, ask: createWire(server.server) };
}

describe('items of a list', () => {
  test('of a built-in kind leave kind and version to the list, in every form', async () => {
    const { server, ask } = await wired();
    await server.create(configmaps, configMap('a', { data: { k: 'v' } }));
    await server.create(configmaps, { data: { k: 'v' }, kind: 'ConfigMap', metadata: { name: 'b' } });
    for (const accept of ['application/json', 'application/json;pretty=1']) {
      const { json } = await ask('GET', maps, { accept });
      expect(json).toMatchObject({
        kind: 'ConfigMapList',
        items: [
          { metadata: { name: 'a' }, data: { k: 'v' } },
          { metadata: { name: 'b' }, data: { k: 'v' } },
        ],
      });
      for (const item of (json as { items: object[] }).items)
        expect(Object.keys(item).sort()).toEqual(['data', 'metadata']);
    }
    expect((await ask('GET', `${maps}?pretty=true`)).text).not.toContain('"kind": "ConfigMap"');
    expect((await ask('GET', maps, { accept: 'application/yaml' })).text).not.toContain('kind: ConfigMap\n');
  });

  test('written before anybody put kind and version in front are bare as well', async () => {
    const { server, ask } = await wired();
    const value = Object.freeze({ data: { k: 'v' }, metadata: { name: 'old' }, kind: 'ConfigMap', apiVersion: 'v1' });
    await server.store.commit({ key: '/core/configmaps/default/old', expect: 0, kind: 'put', make: () => value });
    expect((await ask('GET', maps)).text).toContain('"items":[{"data":{"k":"v"},"metadata":{"name":"old"}}]');
  });

  test('of a custom resource carry them, and so does a single object', async () => {
    const { server, ask } = await wired();
    await server.create(customresourcedefinitions, definition(free));
    await ask('POST', things, { body: { ...thing, metadata: { name: 'a' } } });
    expect((await ask('GET', things)).json).toMatchObject({ items: [{ apiVersion: 'example.com/v1', kind: 'Thing' }] });
    await server.create(configmaps, configMap('a'));
    expect((await ask('GET', `${maps}/a`)).json).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect((await ask('GET', `${maps}?watch=true`)).json).toMatchObject({ object: { kind: 'ConfigMap' } });
  });
});

describe('a watch that is shown as tables', () => {
  test('ends its beginning with one row, which carries the annotation', async () => {
    const { ask } = await wired();
    const query = 'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
    const { json } = await ask('GET', `${maps}?${query}&includeObject=None`, { accept: table });
    expect(json).toMatchObject({
      type: 'BOOKMARK',
      object: {
        kind: 'Table',
        columnDefinitions: [{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }],
        rows: [
          {
            cells: ['', '', ''],
            object: {
              kind: 'PartialObjectMetadata',
              metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
            },
          },
        ],
      },
    });
  });
});

describe('what cannot be shown as asked is refused before it is done', () => {
  const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const body = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };

  test('a review as a table', async () => {
    const { ask } = await wired();
    expect((await ask('POST', review, { body, accept: table })).code).toBe(406);
    expect((await ask('POST', review, { body, accept: `${table},application/json` })).code).toBe(201);
  });

  test('an object as something that nobody writes', async () => {
    const { server, ask } = await wired();
    const { revision } = server.store;
    expect((await ask('POST', maps, { body: configMap('a'), accept: 'text/html' })).code).toBe(406);
    expect(server.store.revision).toBe(revision);
  });

  test('an eviction as a table', async () => {
    const { server, ask } = await wired();
    await server.create(pods, pod('a'));
    const target = '/api/v1/namespaces/default/pods/a/eviction';
    expect((await ask('POST', target, { body: { metadata: { name: 'a' } }, accept: table })).code).toBe(406);
  });
});

describe('values of a query', () => {
  test.each([
    ['timeout=abc', 400, 'invalid timeout specified in the request URL - time: invalid duration \\"abc\\"'],
    ['timeout=5', 400, 'time: missing unit in duration \\"5\\"'],
    ['timeout=5s', 200, ''],
    ['timeout=0', 200, ''],
    ['limit=abc', 400, 'strconv.ParseInt: parsing \\"abc\\": invalid syntax'],
    ['timeoutSeconds=1.5', 400, 'strconv.ParseInt: parsing \\"1.5\\": invalid syntax'],
    ['allowWatchBookmarks=perhaps', 200, ''],
    ['watch=0&limit=1', 200, ''],
    ['watch=true&timeout=abc', 200, ''],
  ])('%s is a %i', async (query, code, words) => {
    const { server, ask } = await wired();
    await server.create(configmaps, configMap('a'));
    const answer = await ask('GET', `${maps}?${query}`);
    expect(answer.code).toBe(code);
    expect(answer.text).toContain(words);
  });

  test('a wrong timeout is refused for documents, too', async () => {
    const { ask } = await wired();
    expect((await ask('GET', '/apis?timeout=abc')).code).toBe(400);
    expect((await ask('GET', '/apis?timeout=32s')).code).toBe(200);
  });
});

describe('a write to the status', () => {
  test('of a namespace takes annotations along', async () => {
    const { server, ask } = await wired();
    const body = { metadata: { annotations: { patched: 'yes' }, labels: { a: 'b' } }, status: { phase: 'Active' } };
    const contentType = 'application/merge-patch+json';
    expect((await ask('PATCH', '/api/v1/namespaces/default/status', { body, contentType })).code).toBe(200);
    expect((await server.get(namespaces, 'default')).metadata).toMatchObject({
      annotations: { patched: 'yes' },
      labels: { a: 'b' },
    });
  });

  test('of a pod leaves its owners and its place alone', async () => {
    const { server, ask } = await wired();
    await server.create(pods, pod('a'));
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }];
    const body = { metadata: { ownerReferences, annotations: { a: 'b' } }, spec: { nodeName: 'x' } };
    const contentType = 'application/merge-patch+json';
    await ask('PATCH', '/api/v1/namespaces/default/pods/a/status', { body, contentType });
    const after = await server.get(pods, 'a');
    expect(after.metadata.ownerReferences).toBeUndefined();
    expect(after.metadata.annotations).toEqual({ a: 'b' });
    expect(after).not.toMatchObject({ spec: { nodeName: 'x' } });
  });

  test.each(['CustomResourceDefinition', 'custom resource'])('of a %s takes the status alone', async (kind) => {
    const { server, ask } = await wired();
    const crd = definition(free) as { spec: { versions: object[] } };
    crd.spec.versions = crd.spec.versions.map((version) => ({ ...version, subresources: { status: {} } }));
    await server.create(customresourcedefinitions, crd);
    await ask('POST', things, { body: { ...thing, metadata: { name: 'a' } } });
    const target =
      kind === 'custom resource'
        ? `${things}/a`
        : '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com';
    const body = { metadata: { annotations: { a: 'b' } } };
    const contentType = 'application/merge-patch+json';
    expect((await ask('PATCH', `${target}/status`, { body, contentType })).code).toBe(200);
    expect((await ask('GET', target)).text).not.toContain('"annotations"');
  });
});

describe('a default that a definition gains later', () => {
  const schema = (spec: object): object => ({
    type: 'object',
    properties: { spec: { type: 'object', properties: spec } },
  });
  const size = { type: 'integer' };
  const color = { type: 'string', default: 'red' };
  const gained = async (): Promise<{ readonly server: TestServer; readonly ask: AskWire }> => {
    const both = await wired();
    await both.server.create(customresourcedefinitions, definition(schema({ size })));
    await both.ask('POST', things, { body: { ...thing, metadata: { name: 'a' }, spec: { size: 1 } } });
    await both.server.merge(customresourcedefinitions, 'things.example.com', {
      body: definition(schema({ size, color })),
    });
    return both;
  };

  test('is there when an object is read, listed and watched', async () => {
    const { ask } = await gained();
    const spec = { size: 1, color: 'red' };
    expect((await ask('GET', `${things}/a`)).json).toMatchObject({ spec });
    expect((await ask('GET', things)).json).toMatchObject({ items: [{ spec }] });
    expect((await ask('GET', `${things}?watch=true`)).json).toMatchObject({ object: { spec } });
    expect((await ask('GET', things)).text).toBe((await ask('GET', things)).text);
  });

  test('is under a patch and is stored with it', async () => {
    const { server, ask } = await gained();
    const contentType = 'application/json-patch+json';
    const body = [{ op: 'test', path: '/spec/color', value: 'red' }];
    expect((await ask('PATCH', `${things}/a`, { body, contentType })).code).toBe(200);
    expect(server.store.get('/example.com/things/default/a')?.value).toMatchObject({ spec: { color: 'red' } });
    const { revision } = server.store;
    expect((await ask('PATCH', `${things}/a`, { body, contentType })).code).toBe(200);
    expect(server.store.revision).toBe(revision);
  });
});
