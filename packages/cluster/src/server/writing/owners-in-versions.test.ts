import { expect, test } from 'vitest';
import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';
import type { ConversionRequest, Converter } from '../context/conversion.ts';

const v1 = { group: 'example.com', version: 'v1', resource: 'things' };
const v2 = { ...v1, version: 'v2' };
const place = { namespace: 'default' };

type Thing = KubeObject & {
  readonly spec?: { readonly ones?: number; readonly dozens?: number; readonly note?: string };
};

const schema = (field: string): object => ({
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { [field]: { type: 'integer' }, note: { type: 'string' } } } },
  },
});

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
    versions: [
      { name: 'v1', served: true, storage: true, schema: schema('ones') },
      { name: 'v2', served: true, storage: false, schema: schema('dozens') },
    ],
  },
};

/** The first version counts in ones, the second in dozens. */
function inVersion(object: KubeObject, apiVersion: string): KubeObject {
  const { spec: { ones, dozens, ...more } = {} } = object as Thing;
  const all = ones ?? (dozens === undefined ? undefined : dozens * 12);
  const counted = all === undefined ? {} : apiVersion.endsWith('v2') ? { dozens: all / 12 } : { ones: all };
  return { ...object, apiVersion, spec: { ...more, ...counted } } as KubeObject;
}

async function withThings(): Promise<TestServer & { readonly asked: string[] }> {
  const asked: string[] = [];
  const converter: Converter = {
    concerns: () => true,
    async convert({ objects, apiVersion }: ConversionRequest) {
      asked.push(apiVersion);
      return Promise.resolve(objects.map((object) => inVersion(object, apiVersion)));
    },
  };
  const server = await createTestServer({ converter });
  await server.create(customresourcedefinitions, crd);
  return { ...server, asked };
}

const thing = (version: string, spec: object): object => ({
  ...{ apiVersion: `example.com/${version}`, kind: 'Thing', metadata: { name: 'a' } },
  spec,
});

const ownersOf = (object: unknown): readonly unknown[] =>
  ((object as KubeObject).metadata.managedFields ?? []).map(
    ({ manager, apiVersion, fieldsV1 }) => `${manager} ${apiVersion?.slice(-2)} ${JSON.stringify(fieldsV1)}`,
  );

const count = (field: string): string => `{"f:spec":{"f:${field}":{}}}`;

test('who says the same in another version owns it as well', async () => {
  const { create, apply } = await withThings();
  await create(v1, thing('v1', { ones: 12 }), { ...place, manager: 'one' });
  const { object } = await apply(v2, thing('v2', { dozens: 1 }), { ...place, manager: 'me' });
  expect(ownersOf(object)).toEqual([`me v2 ${count('dozens')}`, 'one v1 {"f:spec":{".":{},"f:ones":{}}}']);
});

test('who says something else conflicts with the owners in the version that they named it in', async () => {
  const { create, apply } = await withThings();
  await create(v1, thing('v1', { ones: 12 }), { ...place, manager: 'one' });
  const change = thing('v2', { dozens: 2 });
  expect((await refusalOf(apply(v2, change, { ...place, manager: 'me' }))).message).toBe(
    'Apply failed with 1 conflict: conflict with "one" using example.com/v1: .spec.ones',
  );
  const { object } = await apply(v2, change, { ...place, manager: 'me', force: true });
  expect(ownersOf(object)).toEqual([`me v2 ${count('dozens')}`, 'one v1 {"f:spec":{}}']);
  expect((object as Thing).spec).toEqual({ dozens: 2 });
});

test('a change in one version takes the field from its owners in another', async () => {
  const { apply, merge } = await withThings();
  await apply(v2, thing('v2', { dozens: 1, note: 'x' }), { ...place, manager: 'me' });
  const { object } = await merge(v1, 'a', { ...place, manager: 'editor', body: { spec: { ones: 24 } } });
  expect(ownersOf(object)).toEqual([`me v2 ${count('note')}`, `editor v1 ${count('ones')}`]);
});

test('what somebody applied in another version and does not any more goes, unless others own it', async () => {
  const { apply } = await withThings();
  await apply(v2, thing('v2', { dozens: 1, note: 'x' }), { ...place, manager: 'me' });
  await apply(v1, thing('v1', { ones: 12 }), { ...place, manager: 'you' });
  const kept = await apply(v1, thing('v1', { note: 'x' }), { ...place, manager: 'me' });
  expect((kept.object as Thing).spec).toEqual({ ones: 12, note: 'x' });
  const gone = await apply(v2, thing('v2', {}), { ...place, manager: 'you' });
  expect((gone.object as Thing).spec).toEqual({ note: 'x' });
});

test('nobody is asked where all owners speak one version', async () => {
  const { apply, merge, asked } = await withThings();
  await apply(v1, thing('v1', { ones: 1 }), { ...place, manager: 'me' });
  await apply(v1, thing('v1', { note: 'x' }), { ...place, manager: 'me' });
  await merge(v1, 'a', { ...place, manager: 'editor', body: { spec: { ones: 2 } } });
  expect(asked).toEqual([]);
});
