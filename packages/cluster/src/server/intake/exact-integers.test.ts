import { expect, test } from 'vitest';
import { configmaps, customresourcedefinitions, pods } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { createStore } from '../../store/create.ts';
import { createTestServer, pod } from '../../testing/api-server.ts';
import { type AskWire, createWire } from '../../testing/wire.ts';

const big = '3546343826724305833';
const bigger = '9223372036854775807';

const crd = {
  metadata: { name: 'counters.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'counters', kind: 'Counter' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Count', type: 'integer', jsonPath: '.spec.count' }],
        selectableFields: [{ jsonPath: '.spec.count' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: { count: { type: 'integer', format: 'int64', minimum: 0 } },
              },
            },
          },
        },
      },
    ],
  },
};
const kind = '"apiVersion":"example.com/v1","kind":"Counter"';
const counters = '/apis/example.com/v1/namespaces/default/counters';

async function served(): Promise<{
  readonly ask: AskWire;
  readonly server: Awaited<ReturnType<typeof createTestServer>>;
}> {
  const server = await createTestServer();
  await server.create(customresourcedefinitions, crd);
  const ask = createWire(server.server);
  const body = `{${kind},"metadata":{"name":"a"},"spec":{"count":${big},"free":[${bigger},"${big}"]}}`;
  expect(await ask('POST', counters, { body })).toMatchObject({ code: 201 });
  return { ask, server };
}

test('a 64-bit integer comes back with all its digits, however it is asked for', async () => {
  const { ask } = await served();
  const wanted = `"spec":{"count":${big},"free":[${bigger},"${big}"]}`;
  expect((await ask('GET', `${counters}/a`)).text).toContain(wanted);
  expect((await ask('GET', counters)).text).toContain(wanted);
  expect((await ask('GET', `${counters}?watch=true`)).text).toContain(wanted);
  expect((await ask('GET', `${counters}/a?pretty=true`)).text).toContain(`"count": ${big}`);
  expect((await ask('GET', `${counters}/a`, { accept: 'application/yaml' })).text).toContain(
    `count: ${big}\n  free:\n    - ${bigger}\n    - '${big}'\n`,
  );
  const table = await ask('GET', counters, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
  expect(table.text).toContain(`"cells":["a",${big}]`);
  expect((await ask('GET', `${counters}?fieldSelector=spec.count=${big}`)).json).toMatchObject({ items: [{}] });
});

test('YAML may hold one', async () => {
  const { ask } = await served();
  const body = `apiVersion: example.com/v1\nkind: Counter\nmetadata: {name: other}\nspec: {count: ${bigger}}\n`;
  const { code, text } = await ask('POST', counters, { body, contentType: 'application/yaml' });
  expect(code).toBe(201);
  expect(text).toContain(`"count":${bigger}`);
});

test.each([
  ['application/merge-patch+json', `{"spec":{"count":${bigger}}}`],
  [
    'application/json-patch+json',
    `[{"op":"test","path":"/spec/count","value":${big}},{"op":"replace","path":"/spec/count","value":${bigger}}]`,
  ],
])('%s changes the last digit and nothing else', async (contentType, body) => {
  const { ask } = await served();
  const { code, text } = await ask('PATCH', `${counters}/a`, { body, contentType });
  expect(code).toBe(200);
  expect(text).toContain(`"spec":{"count":${bigger},"free":[${bigger},"${big}"]}`);
});

test('a change of the last digit is a change', async () => {
  const { ask, server } = await served();
  const { revision } = server.store;
  const contentType = 'application/merge-patch+json';
  await ask('PATCH', `${counters}/a`, { body: `{"spec":{"count":${big}}}`, contentType });
  expect(server.store.revision).toBe(revision);
  await ask('PATCH', `${counters}/a`, { body: `{"spec":{"count":${big.slice(0, -1)}4}}`, contentType });
  expect(server.store.revision).toBe(revision + 1);
});

test('limits of the schema hold for it, and messages name it', async () => {
  const { ask } = await served();
  const body = `{${kind},"metadata":{"name":"b"},"spec":{"count":-${big}}}`;
  const { code, text } = await ask('POST', counters, { body });
  expect(code).toBe(422);
  expect(text).toContain(`Invalid value: -${big}: spec.count in body should be greater than or equal to 0`);
});

test('it outlives a restart', async () => {
  const { server } = await served();
  const again = await createStore({
    backend: server.backend,
    clock: server.clock,
    compaction: { revisionsMax: 10, ageMsMax: Infinity, bytesMax: 2 ** 28 },
    watcherBufferMax: 10,
  });
  const key = '/example.com/counters/default/a';
  const { value } = again.get(key) as { readonly value: KubeObject & { readonly spec: object } };
  expect(value.spec).toEqual({ count: BigInt(big), free: [BigInt(bigger), big] });
});

test('a built-in kind keeps one, too, and its pods can be deleted', async () => {
  const server = await createTestServer();
  const ask = createWire(server.server);
  await server.create(pods, pod('a', { nodeName: 'n', terminationGracePeriodSeconds: BigInt(bigger) }));
  const target = '/api/v1/namespaces/default/pods/a';
  expect((await ask('GET', target)).text).toContain(`"terminationGracePeriodSeconds":${bigger}`);
  expect((await ask('DELETE', target)).code).toBe(200);
});

test('one of 32 bits is refused with its digits', async () => {
  const { server } = await createTestServer();
  const body = `{"metadata":{"name":"d"},"spec":{"containers":[{"name":"a","image":"b","ports":[{"containerPort":${big}}]}]}}`;
  const { code, text } = await createWire(server)('POST', '/api/v1/namespaces/default/pods', { body });
  expect(code).toBe(400);
  expect(text).toContain(`cannot unmarshal number ${big} into Go struct field ContainerPort`);
});

test('ordinary objects know nothing of it', async () => {
  const server = await createTestServer();
  await server.create(configmaps, { metadata: { name: 'a' }, data: { a: big } });
  expect((await server.get(configmaps, 'a')) as object).toMatchObject({ data: { a: big } });
});
