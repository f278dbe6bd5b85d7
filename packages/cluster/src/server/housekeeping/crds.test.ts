import { describe, expect, test } from 'vitest';
import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { freeze } from '../../base/freeze.ts';
import { admin, createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';

const things = { group: 'example.com', version: 'v1', resource: 'things' };
const newThings = { ...things, version: 'v2' };

const schema = (more: object = {}): object => ({
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: {
          size: { type: 'integer', minimum: 1, ...more },
          color: { type: 'string', default: 'red' },
        },
      },
      status: { type: 'object', properties: { ready: { type: 'integer' } } },
    },
  },
});

const crd = ({ versions = ['v1'], schemaOfFirst = schema(), plural = 'things', kind = 'Thing' } = {}): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, kind, shortNames: plural === 'things' ? ['th'] : [] },
    versions: versions.map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      schema: index === 0 ? schemaOfFirst : schema(),
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready' },
      },
    })),
  },
});

const thing = (name: string, spec: object = { size: 1 }, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec,
});

async function withThings(options: Parameters<typeof crd>[0] = {}): Promise<TestServer> {
  const server = await createTestServer();
  await server.create(customresourcedefinitions, crd(options));
  return server;
}

describe('a custom resource', () => {
  test('is served from the commit that brings its definition', async () => {
    const { create, list, get } = await withThings();
    expect(await get(customresourcedefinitions, 'things.example.com')).toMatchObject({
      status: {
        conditions: [
          { type: 'NamesAccepted', status: 'True' },
          { type: 'Established', status: 'True' },
        ],
      },
    });
    const { code, object } = await create(things, thing('a'), { namespace: 'default' });
    expect({ code, object }).toMatchObject({
      code: 201,
      object: {
        apiVersion: 'example.com/v1',
        kind: 'Thing',
        spec: { size: 1, color: 'red' },
        metadata: { generation: 1 },
      },
    });
    expect(await list(things)).toMatchObject({ kind: 'ThingList', items: [{ metadata: { name: 'a' } }] });
  });

  test('is found by a watcher of definitions as soon as it is told', async () => {
    const { server, create } = await createTestServer();
    const stop = new AbortController();
    const reader = server
      .watch({ resource: customresourcedefinitions, user: admin, options: {} }, { signal: stop.signal })
      [Symbol.asyncIterator]();
    const told = reader
      .next()
      .then(() =>
        server.perform({ verb: 'list', resource: things, user: admin, options: {} }, { signal: stop.signal }),
      );
    await create(customresourcedefinitions, crd());
    expect((await told).code).toBe(200);
    stop.abort();
  });

  test('is checked, pruned and defaulted by its schema', async () => {
    const { create } = await withThings();
    expect(await refusalOf(create(things, thing('a', { size: 0 }), { namespace: 'default' }))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: { kind: 'Thing', group: 'example.com', causes: [{ field: 'spec.size' }] },
    });
    expect((await refusalOf(create(things, thing('a', { size: 'x' }), { namespace: 'default' }))).code).toBe(422);
    expect((await refusalOf(create(things, thing('a', {}), { namespace: 'default' }))).message).toContain('spec.size');
    const { object, warnings } = await create(things, thing('b', { size: 1, extra: 1 }), { namespace: 'default' });
    expect(warnings).toEqual(['unknown field "spec.extra"']);
    expect((object as unknown as { spec: object }).spec).toEqual({ size: 1, color: 'red' });
  });

  test('has a status of its own and a scale', async () => {
    const { create, merge, get } = await withThings();
    const { object } = await create(things, { ...thing('a'), status: { ready: 9 } }, { namespace: 'default' });
    expect(object).not.toHaveProperty('status');
    const changed = await merge(things, 'a', {
      subresource: 'status',
      body: { status: { ready: 1 }, spec: { size: 9 } },
    });
    expect(changed.object).toMatchObject({ spec: { size: 1 }, status: { ready: 1 }, metadata: { generation: 1 } });
    expect(await get(things, 'a', { subresource: 'scale' })).toMatchObject({
      spec: { replicas: 1 },
      status: { replicas: 1 },
    });
    await merge(things, 'a', { subresource: 'scale', body: { spec: { replicas: 3 } } });
    expect(await get(things, 'a')).toMatchObject({ spec: { size: 3 }, metadata: { generation: 2 } });
  });

  test('takes no strategic merge patch', async () => {
    const { create, server } = await withThings();
    await create(things, thing('a'), { namespace: 'default' });
    const work = server.perform(
      {
        verb: 'patch',
        patchType: 'strategic',
        resource: things,
        namespace: 'default',
        name: 'a',
        user: admin,
        body: {},
        options: {},
      },
      { signal: new AbortController().signal },
    );
    expect(await refusalOf(work)).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
  });

  test('wants a version on update', async () => {
    const { create, update } = await withThings();
    await create(things, thing('a'), { namespace: 'default' });
    const blind = update(things, thing('a', { size: 2 }), { namespace: 'default' });
    expect((await refusalOf(blind)).message).toContain('metadata.resourceVersion');
  });

  test('follows a changed schema, and its watches go on', async () => {
    const { create, update, get, watch, clock } = await withThings();
    const seen = watch(things, {}, { namespace: 'default' });
    await clock.settle();
    const current = await get(customresourcedefinitions, 'things.example.com');
    const stricter = crd({ schemaOfFirst: schema({ maximum: 5 }) }) as { readonly spec: object };
    await update(customresourcedefinitions, { ...current, spec: stricter.spec });
    expect((await refusalOf(create(things, thing('a', { size: 6 }), { namespace: 'default' }))).code).toBe(422);
    await create(things, thing('b', { size: 5 }), { namespace: 'default' });
    await clock.settle();
    expect(seen.lines()).toEqual(['ADDED b']);
    seen.stop();
  });

  test('is not found before its definition, nor in the core group', async () => {
    const { list, get } = await createTestServer();
    expect((await refusalOf(list(things))).code).toBe(404);
    expect((await refusalOf(get({ ...things, group: '' }, 'a'))).code).toBe(404);
  });
});

describe('versions', () => {
  test('are one object under several names', async () => {
    const { create, get, list, watch, clock, merge } = await withThings({ versions: ['v1', 'v2'] });
    const seen = watch(newThings, {}, { namespace: 'default' });
    await clock.settle();
    const { object } = await create(newThings, thing('a'), { namespace: 'default' });
    expect(object).toMatchObject({ apiVersion: 'example.com/v2' });
    const old = await get(things, 'a', { namespace: 'default' });
    expect(old).toMatchObject({ apiVersion: 'example.com/v1', metadata: { uid: (object as KubeObject).metadata.uid } });
    await merge(things, 'a', { namespace: 'default', body: { spec: { size: 2 } } });
    await clock.settle();
    expect((await list(newThings)).items).toMatchObject([{ apiVersion: 'example.com/v2', spec: { size: 2 } }]);
    expect(seen.events).toMatchObject([
      { type: 'ADDED', object: { apiVersion: 'example.com/v2' } },
      { type: 'MODIFIED', object: { apiVersion: 'example.com/v2', spec: { size: 2 } } },
    ]);
    seen.stop();
  });

  test('a new stored version reads what the old one left', async () => {
    const { create, update, get } = await withThings({ versions: ['v1', 'v2'] });
    await create(things, thing('a'), { namespace: 'default' });
    const current = (await get(customresourcedefinitions, 'things.example.com')) as KubeObject & {
      readonly spec: { readonly versions: readonly { readonly name: string }[] };
    };
    const versions = current.spec.versions.map((version) => ({ ...version, storage: version.name === 'v2' }));
    const moved = await update(customresourcedefinitions, { ...current, spec: { ...current.spec, versions } });
    expect(moved.object).toMatchObject({ status: { storedVersions: ['v1', 'v2'] } });
    expect(await get(things, 'a', { namespace: 'default' })).toMatchObject({ apiVersion: 'example.com/v1' });
    expect(await get(newThings, 'a', { namespace: 'default' })).toMatchObject({ apiVersion: 'example.com/v2' });
  });
});

describe('deleting a definition', () => {
  test('deletes its objects first, then ends its watches', async () => {
    const { create, delete: remove, get, watch, clock, list } = await withThings();
    for (const name of ['a', 'b']) await create(things, thing(name), { namespace: 'default' });
    const seen = watch(things, {}, { namespace: 'default' });
    await clock.settle();
    await remove(customresourcedefinitions, 'things.example.com');
    await clock.settle();
    await seen.ended;
    expect(seen.lines()).toEqual(['ADDED a', 'ADDED b', 'DELETED a', 'DELETED b']);
    expect((await refusalOf(get(customresourcedefinitions, 'things.example.com'))).code).toBe(404);
    expect((await refusalOf(list(things))).code).toBe(404);
  });

  test('waits for objects that have finalizers, and takes no new ones meanwhile', async () => {
    const { create, delete: remove, get, merge, clock } = await withThings();
    await create(things, thing('a', { size: 1 }, { finalizers: ['example.com/hold'] }), { namespace: 'default' });
    expect((await get(customresourcedefinitions, 'things.example.com')).metadata.finalizers).toBeUndefined();
    await remove(customresourcedefinitions, 'things.example.com');
    await clock.settle();
    expect(await get(customresourcedefinitions, 'things.example.com')).toMatchObject({
      metadata: {
        deletionTimestamp: expect.any(String) as string,
        finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
      },
      status: {
        conditions: [
          { type: 'NamesAccepted' },
          { type: 'Established' },
          { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending' },
        ],
      },
    });
    expect(await refusalOf(create(things, thing('b'), { namespace: 'default' }))).toMatchObject({
      code: 405,
      message: 'create not allowed while custom resource definition is terminating',
    });
    await merge(things, 'a', { namespace: 'default', body: { metadata: { finalizers: null } } });
    await clock.settle();
    expect((await refusalOf(get(customresourcedefinitions, 'things.example.com'))).code).toBe(404);
  });

  test('goes on after a restart', async () => {
    const first = await withThings();
    await first.create(things, thing('a'), { namespace: 'default' });
    const doomed = { ...((await first.get(customresourcedefinitions, 'things.example.com')) as object) } as KubeObject;
    // As a crash between the mark and the cleaning would leave it.
    const stored = first.store.list('/apiextensions.k8s.io/');
    if ('expired' in stored) throw new Error('expired');
    const [kept] = stored.items;
    await first.store.commit({
      key: kept?.key ?? '',
      expect: kept?.revision ?? 0,
      kind: 'put',
      make: (revision) =>
        freeze({
          ...doomed,
          metadata: {
            ...doomed.metadata,
            resourceVersion: String(revision),
            deletionTimestamp: '2026-01-01T00:00:00Z',
            finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
          },
        }),
    });
    await first.store.close();
    const second = await createTestServer({ backend: first.backend });
    await second.clock.settle();
    expect((await second.list(customresourcedefinitions)).items).toEqual([]);
  });
});

test('definitions and objects survive a restart', async () => {
  const first = await withThings();
  await first.create(things, thing('a'), { namespace: 'default' });
  await first.store.close();
  const second = await createTestServer({ backend: first.backend });
  expect(await second.get(things, 'a', { namespace: 'default' })).toMatchObject({ kind: 'Thing', spec: { size: 1 } });
});

test('a name that another definition has is not accepted, and the resource not served', async () => {
  const { create, get, list } = await withThings();
  await create(customresourcedefinitions, crd({ plural: 'objects', kind: 'Thing' }));
  expect(await get(customresourcedefinitions, 'objects.example.com')).toMatchObject({
    status: {
      conditions: [
        { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict' },
        { type: 'Established', status: 'False' },
      ],
    },
  });
  expect((await refusalOf(list({ ...things, resource: 'objects' }))).code).toBe(404);
});

test('a name that comes free goes to the definition that waits for it', async () => {
  const { create, delete: remove, list, clock } = await withThings();
  await create(customresourcedefinitions, crd({ plural: 'objects', kind: 'Thing' }));
  await remove(customresourcedefinitions, 'things.example.com');
  await clock.settle();
  expect(await list({ ...things, resource: 'objects' })).toMatchObject({ kind: 'ThingList', items: [] });
});

test('a definition whose names were never accepted can be deleted', async () => {
  const { create, delete: remove, list, clock } = await withThings();
  await create(customresourcedefinitions, crd({ plural: 'objects', kind: 'Thing' }));
  await remove(customresourcedefinitions, 'objects.example.com');
  await clock.settle();
  expect((await list(customresourcedefinitions)).items).toHaveLength(1);
});

test('creates that race with the end of their definition leave nothing behind', async () => {
  const { create, delete: remove, store, clock } = await withThings();
  const racing = Array.from({ length: 20 }, (_, index) => create(things, thing(`a${index}`), { namespace: 'default' }));
  await Promise.allSettled([...racing, remove(customresourcedefinitions, 'things.example.com')]);
  await clock.settle();
  for (const prefix of ['/example.com/', '/apiextensions.k8s.io/'])
    expect(store.list(prefix)).toMatchObject({ items: [] });
});

test('fields that a definition names are selected by: in lists and watches', async () => {
  const server = await createTestServer();
  const definition = crd() as { readonly spec: { readonly versions: readonly object[] } };
  const versions = definition.spec.versions.map((each) => ({
    ...each,
    selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }],
  }));
  await server.create(customresourcedefinitions, { ...definition, spec: { ...definition.spec, versions } });
  const followed = server.watch(things, { fieldSelector: 'spec.color=blue' });
  for (const [name, color] of [...['a', 'b'].map((each) => [each, 'blue']), ['c', 'red']])
    await server.create(things, thing(name ?? '', { size: 1, color }));
  const names = async (fieldSelector: string): Promise<readonly string[]> => {
    const { items } = (await server.list(things, { fieldSelector })) as { readonly items: readonly KubeObject[] };
    return items.map(({ metadata }) => metadata.name);
  };
  expect(await names('spec.color=blue,metadata.name!=b')).toEqual(['a']);
  expect(await names('spec.size=1,spec.color!=blue')).toEqual(['c']);
  await expect(names('spec.other=1')).rejects.toThrow('field label not supported: spec.other');
  expect(followed.lines()).toEqual(['ADDED a', 'ADDED b']);
  followed.stop();
});
