import { expect, test } from 'vitest';
import { configmaps, customresourcedefinitions, deployments, events, pods } from '../../api/generated/kinds.ts';
import { resourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { column } from '../../resources/columns.ts';
import { type Column, defineResource, type Subresource } from '../../resources/resource.ts';
import { configMap, createTestServer, pod, refusalOf } from '../../testing/api-server.ts';

const asMetadata = { version: 'v1', includeObject: 'Metadata' } as const;
const columnNames = (table: { readonly columnDefinitions: readonly object[] } | undefined): readonly string[] =>
  (table?.columnDefinitions ?? []).map((column) => (column as { readonly name: string }).name);

test('a list becomes rows: name first, age before what only -o wide shows', async () => {
  const { server, create, list, clock } = await createTestServer();
  await create(pods, pod('p'));
  await clock.advance(90_000);
  const all = await list(pods);
  const table = server.table(pods, all, asMetadata);
  expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: all.metadata });
  const names = columnNames(table);
  expect(names.slice(0, 5)).toEqual(['Name', 'Ready', 'Status', 'Restarts', 'Age']);
  const [row] = (table?.rows ?? []) as readonly { readonly cells: readonly unknown[]; readonly object: object }[];
  expect(row?.cells.slice(0, 5)).toEqual(['p', '0/1', 'Pending', expect.anything(), '90s']);
  expect(row?.cells).toHaveLength(names.length);
  expect(row?.object).toEqual({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: all.items[0]?.metadata,
  });
});

test('columns say how to be read', async () => {
  const { server, create } = await createTestServer();
  const { object } = await create(pods, pod('p'));
  const { columnDefinitions = [] } = server.table(pods, object as KubeObject, asMetadata) ?? {};
  expect(columnDefinitions[0]).toEqual({ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 });
  expect(columnDefinitions.at(-1)).toMatchObject({ priority: 1 });
});

test.each([
  ['None', undefined],
  ['Object', 'ConfigMap'],
  ['Metadata', 'PartialObjectMetadata'],
] as const)('includeObject=%s', async (includeObject, kind) => {
  const { server, create } = await createTestServer();
  const { object } = await create(configmaps, configMap('a'));
  const [row] = server.table(configmaps, object as KubeObject, { version: 'v1beta1', includeObject })?.rows ?? [];
  expect((row as { readonly object?: KubeObject }).object?.kind).toBe(kind);
});

test('a kind that owns its whole table gets no column added', async () => {
  const { server, create } = await createTestServer();
  const { object } = await create(events, {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', namespace: 'default' },
  });
  const names = columnNames(server.table(events, object as KubeObject, asMetadata));
  expect(names.slice(0, 4)).toEqual(['Last Seen', 'Type', 'Reason', 'Object']);
  expect(names).not.toContain('Age');
});

test('a scale is shown as such, whatever it scales', async () => {
  const { server, create, get } = await createTestServer();
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } };
  const spec = { selector: { matchLabels: { app: 'web' } }, template };
  await create(deployments, { metadata: { name: 'web' }, spec });
  const scale = await get(deployments, 'web', { subresource: 'scale' });
  const table = server.table(deployments, scale, asMetadata);
  expect(columnNames(table)).toEqual(['Name', 'Desired', 'Available', 'Age']);
  expect(table?.rows).toMatchObject([{ cells: ['web', 1, 0, '0s'] }]);
});

test('custom resources print the columns of their definition', async () => {
  const { server, create } = await createTestServer();
  await create(customresourcedefinitions, {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
            },
          },
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        },
      ],
    },
  });
  const things = { group: 'example.com', version: 'v1', resource: 'things' };
  const { object } = await create(things, { metadata: { name: 'a' }, spec: { size: 3 } });
  const table = server.table(things, object as KubeObject, asMetadata);
  expect(columnNames(table)).toEqual(['Name', 'Size']);
  expect(table?.rows).toMatchObject([{ cells: ['a', 3] }]);
});

test('what is not served has no table', async () => {
  const { server, create } = await createTestServer();
  const { object } = await create(configmaps, configMap('a'));
  const unknown = { group: 'x', version: 'v1', resource: 'y' };
  const work = async (): Promise<unknown> => server.table(unknown, object as KubeObject, asMetadata);
  expect((await refusalOf(work())).code).toBe(404);
});

test('what a door shows of another kind prints as the door says, by default with its name and age', async () => {
  const kettles = resourceType({
    group: 'example.com',
    version: 'v1',
    resource: 'kettles',
    kind: 'Kettle',
    namespaced: true,
  });
  const tea = (name: string, columns?: readonly Column[]): Subresource => ({
    name,
    verbs: ['get'],
    kind: { group: 'example.com', version: 'v1', kind: name === 'tea' ? 'Tea' : 'Steam' },
    read: ({ metadata }) => ({ apiVersion: 'example.com/v1', kind: name === 'tea' ? 'Tea' : 'Steam', metadata }),
    ...(columns !== undefined && { columns }),
  });
  const own = defineResource(kettles, {
    schema: { type: 'object' },
    columns: [column('Litres', () => '2')],
    subresources: [tea('tea', [column('Leaf', () => 'green')]), tea('steam')],
  });
  const { server, create, get } = await createTestServer({ definitions: [own] });
  await create(kettles, { metadata: { name: 'k' } });
  const named = async (subresource?: string): Promise<readonly string[]> => {
    const shown = await get(kettles, 'k', subresource === undefined ? {} : { subresource });
    return columnNames(server.table(kettles, shown, asMetadata));
  };
  expect(await named()).toEqual(['Name', 'Litres', 'Age']);
  expect(await named('tea')).toEqual(['Name', 'Leaf', 'Age']);
  expect(await named('steam')).toEqual(['Name', 'Age']);
});
