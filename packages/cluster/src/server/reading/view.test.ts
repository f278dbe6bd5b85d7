/** The seam itself: what is shown of stored objects, with a view of configuration that shows half of it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { configmaps } from '../../api/generated/kinds.ts';
import { resourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { defineResource } from '../../resources/resource.ts';
import { createTestServer, type TestServer } from '../../testing/api-server.ts';

const sizes = resourceType({
  ...{ group: 'sizes.example.com', version: 'v1', resource: 'configmaps', kind: 'Size', namespaced: true },
});
const definition = defineResource(sizes, {
  schema: { type: 'object', properties: { keys: { type: 'integer' } } },
  traits: { verbs: ['get', 'list'] },
});

let server: TestServer;

beforeEach(async () => {
  server = await createTestServer({
    views: [
      {
        definition,
        of: configmaps,
        show(object) {
          const { metadata, data = {} } = object as KubeObject & { readonly data?: object };
          const { name, namespace, labels } = metadata;
          const keys = Object.keys(data).length;
          const shown = {
            apiVersion: 'sizes.example.com/v1',
            kind: 'Size',
            metadata: { name, namespace, labels },
            keys,
          };
          return keys === 0 ? undefined : (shown as unknown as KubeObject);
        },
      },
    ],
  });
  for (const [name, data] of [
    ['a', { x: '1' }],
    ['b', {}],
    ['c', { x: '1', y: '2' }],
  ] as const)
    await server.create(configmaps, { metadata: { name, labels: { app: name } }, data });
});

const listed = async (list: object): Promise<readonly string[]> => {
  const { items } = await server.list(sizes, list);
  return items.map(({ metadata, ...size }) => `${metadata.name} ${String((size as { keys?: number }).keys)}`);
};

test('is read as the stored objects are, and made each time', async () => {
  expect(await server.get(sizes, 'c')).toEqual({
    ...{ apiVersion: 'sizes.example.com/v1', kind: 'Size', keys: 2 },
    metadata: { name: 'c', namespace: 'default', labels: { app: 'c' } },
  });
  expect(await server.list(sizes)).toMatchObject({ kind: 'SizeList', apiVersion: 'sizes.example.com/v1' });
  expect(await listed({})).toEqual(['a 1', 'c 2']);
  await server.merge(configmaps, 'c', { body: { data: { z: '3' } } });
  expect(await listed({})).toEqual(['a 1', 'c 3']);
});

test('selectors choose by the stored objects, and pages are theirs', async () => {
  expect(await listed({ labelSelector: 'app in (b, c)' })).toEqual(['c 2']);
  expect(await listed({ fieldSelector: 'metadata.name!=c' })).toEqual(['a 1']);
  const first = await server.list(sizes, { limit: 2 });
  expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['a']);
  expect(await listed({ limit: 2, continue: first.metadata.continue ?? '' })).toEqual(['c 2']);
  await expect(listed({ fieldSelector: 'data.x=1' })).rejects.toThrow('"data.x" is not a known field selector');
});

describe('refusals', () => {
  test.each([
    ['nothing to show', 'b', 'configmaps.sizes.example.com "default/b" not found'],
    ['nothing there', 'z', 'configmaps "z" not found'],
  ])('%s', async (_, name, message) => {
    await expect(server.get(sizes, name)).rejects.toThrow(message);
  });

  test('nobody writes or watches it', async () => {
    await expect(server.create(sizes, { metadata: { name: 'a' } })).rejects.toMatchObject({ status: { code: 405 } });
    await expect(server.delete(sizes, 'a')).rejects.toMatchObject({ status: { code: 405 } });
  });
});

test('discovery has it, in both forms, and so has OpenAPI', () => {
  const verbs = ['get', 'list'];
  const { document } = server.server;
  const { group, version } = sizes;
  expect(document({ what: 'resources', group, version })).toMatchObject({
    resources: [{ name: 'configmaps', kind: 'Size', namespaced: true, verbs }],
  });
  const all = document({ what: 'aggregated', root: 'apis', version: 'v2' }) as { readonly items: readonly object[] };
  expect(all.items.at(-1)).toMatchObject({
    metadata: { name: group },
    versions: [{ version, resources: [{ resource: 'configmaps', verbs }] }],
  });
  expect(JSON.stringify(document({ what: 'openapi3', path: 'apis/sizes.example.com/v1' }))).toContain('"keys"');
});
