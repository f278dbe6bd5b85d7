import { expect, test } from 'vitest';
import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';
import type { ConversionRequest, Converter } from '../context/conversion.ts';

const v1 = { group: 'example.com', version: 'v1', resource: 'things' };
const v2 = { ...v1, version: 'v2' };
const place = { namespace: 'default' };

/** The first version counts in ones, the second in dozens. */
type Thing = KubeObject & { readonly spec: { readonly ones?: number; readonly dozens?: number } };

const schema = (field: string): object => ({
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { [field]: { type: 'integer' } } } },
  },
});

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: schema('ones') },
      { name: 'v2', served: true, storage: false, schema: schema('dozens') },
    ],
  },
};

interface Fake extends Converter {
  /** `v2: a b`, … */
  readonly asked: string[];
  fails: boolean;
}

function createFake(): Fake {
  const fake: Fake = {
    asked: [],
    fails: false,
    concerns: ({ metadata }) => metadata.name === 'things.example.com',
    async convert({ objects, apiVersion }: ConversionRequest) {
      fake.asked.push(`${apiVersion.slice(-2)}: ${objects.map(({ metadata }) => metadata.name).join(' ')}`);
      await Promise.resolve();
      if (fake.fails) throw new Error('nobody answers');
      return objects.map((object) => {
        const { ones = 0, dozens = 0 } = (object as Thing).spec;
        const spec = apiVersion.endsWith('v2') ? { dozens: ones / 12 } : { ones: dozens * 12 };
        return { ...object, apiVersion, spec } as KubeObject;
      });
    },
  };
  return fake;
}

async function withThings(converter: Fake): Promise<TestServer> {
  const server = await createTestServer({ converter });
  await server.create(customresourcedefinitions, crd);
  return server;
}

const dozen = (name: string, dozens = 1): object => ({ metadata: { name, labels: { name } }, spec: { dozens } });
const specOf = (object: unknown): unknown => (object as Thing).spec;

test('what is written in one version is kept in another and read in both', async () => {
  const converter = createFake();
  const server = await withThings(converter);
  const { object } = await server.create(v2, dozen('a', 2), place);
  expect(object).toMatchObject({ apiVersion: 'example.com/v2', spec: { dozens: 2 } });
  expect(await server.get(v1, 'a', place)).toMatchObject({ apiVersion: 'example.com/v1', spec: { ones: 24 } });
  const { object: merged } = await server.merge(v2, 'a', { ...place, body: { spec: { dozens: 3 } } });
  expect(specOf(merged)).toEqual({ dozens: 3 });
  expect(specOf(await server.get(v1, 'a', place))).toEqual({ ones: 36 });
  expect(converter.asked).toEqual(['v1: a', 'v2: a', 'v1: a', 'v2: a']);
});

test('lists ask for all at once, and for what they know not again', async () => {
  const converter = createFake();
  const server = await withThings(converter);
  for (const name of ['a', 'b', 'c']) await server.create(v1, { metadata: { name }, spec: { ones: 12 } }, place);
  const page = await server.list(v2, { limit: 2 }, place);
  expect(page.items.map(specOf)).toEqual([{ dozens: 1 }, { dozens: 1 }]);
  const rest = await server.list(v2, { limit: 2, continue: page.metadata.continue ?? '' }, place);
  expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['c']);
  expect((await server.list(v2, { fieldSelector: 'metadata.name=b' }, place)).items.map(specOf)).toEqual([
    { dozens: 1 },
  ]);
  expect((await server.list(v1, {}, place)).items).toHaveLength(3);
  expect(converter.asked).toEqual(['v2: a b', 'v2: c']);
});

test('a watch shows everything in its version, also what it was before', async () => {
  const converter = createFake();
  const server = await withThings(converter);
  await server.create(v1, { metadata: { name: 'a', labels: { in: 'yes' } }, spec: { ones: 12 } }, place);
  const seen = server.watch(v2, { labelSelector: 'in=yes' }, place);
  await server.clock.settle();
  await server.merge(v1, 'a', { ...place, body: { spec: { ones: 24 } } });
  await server.merge(v1, 'a', { ...place, body: { metadata: { labels: { in: 'no' } } } });
  await server.clock.settle();
  expect(seen.events.map((event) => [event.type, specOf(event.object)])).toEqual([
    ['ADDED', { dozens: 1 }],
    ['MODIFIED', { dozens: 2 }],
    ['DELETED', { dozens: 2 }],
  ]);
  seen.stop();
  await seen.ended;
});

test('a delete in another version answers in it', async () => {
  const server = await withThings(createFake());
  await server.create(v1, { metadata: { name: 'a', finalizers: ['example.com/hold'] }, spec: { ones: 12 } }, place);
  const { object } = await server.delete(v2, 'a', place);
  expect(object).toMatchObject({ apiVersion: 'example.com/v2', spec: { dozens: 1 } });
});

test('what cannot be converted is not written, and what needs no conversion goes on', async () => {
  const converter = createFake();
  const server = await withThings(converter);
  converter.fails = true;
  expect(await refusalOf(server.create(v2, dozen('a'), place))).toMatchObject({
    code: 500,
    message: expect.stringContaining('nobody answers'),
  });
  await server.create(v1, { metadata: { name: 'b' }, spec: { ones: 1 } }, place);
  expect((await server.list(v1, {}, place)).items.map(({ metadata }) => metadata.name)).toEqual(['b']);
  expect((await refusalOf(server.list(v2, {}, place))).code).toBe(500);
});

test('an answer that is another object or version is refused', async () => {
  const converter = createFake();
  const server = await withThings({ ...converter, convert: async ({ objects }) => objects });
  expect((await refusalOf(server.create(v2, dozen('a'), place))).message).toContain(
    'the conversion of Thing "a" to example.com/v1 came back as another object or version',
  );
});

test('a write that lost a race learns what stands there then', async () => {
  const converter = createFake();
  const server = await withThings(converter);
  await server.create(v2, dozen('a'), place);
  const both = [{ x: '1' }, { y: '2' }].map((labels) =>
    server.merge(v2, 'a', { ...place, body: { metadata: { labels } } }),
  );
  await Promise.all(both);
  expect((await server.get(v2, 'a', place)).metadata.labels).toEqual({ name: 'a', x: '1', y: '2' });
});

test('what was written as a version without a default shows that of another', async () => {
  const server = await createTestServer();
  const properties = (more: object): object => ({
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' }, ...more } } },
    },
  });
  await server.create(customresourcedefinitions, {
    ...crd,
    spec: {
      ...crd.spec,
      versions: [
        { name: 'v1', served: true, storage: true, schema: properties({ b: { type: 'string', default: 'x' } }) },
        { name: 'v2', served: true, storage: false, schema: properties({}) },
      ],
    },
  });
  await server.create(
    v2,
    { apiVersion: 'example.com/v2', kind: 'Thing', metadata: { name: 'a' }, spec: { a: '1' } },
    place,
  );
  expect(await server.get(v1, 'a', place)).toMatchObject({ spec: { a: '1', b: 'x' } });
  expect((await server.list(v1, {}, place)).items).toMatchObject([{ spec: { b: 'x' } }]);
  expect(await server.get(v2, 'a', place)).toHaveProperty('spec', { a: '1' });
});
