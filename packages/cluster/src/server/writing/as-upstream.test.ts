/** What a comparison with a real API server has found at its doors. */
import { describe, expect, test } from 'vitest';
import { configmaps, customresourcedefinitions, leases, limitranges, nodes, pods } from '../../api/generated/kinds.ts';
import { resourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { limitrangeDefinition } from '../../resources/core/limitrange.ts';
import { createTestServer, pod, refusalOf } from '../../testing/api-server.ts';
import { crdBody, version } from '../../testing/resources/crd-bodies.ts';

const lease = (metadata: object): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a', ...metadata },
});

const config = (metadata: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
});

describe('an update of what is not there', () => {
  test('is about another object where it names a uid', async () => {
    const { update } = await createTestServer();
    expect(await refusalOf(update(leases, lease({ uid: 'x' })))).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on leases.coordination.k8s.io "a": Precondition failed: UID in precondition: x, UID in object meta: ',
    });
  });

  test('makes one, whatever version it was made from', async () => {
    const { update } = await createTestServer();
    expect((await update(leases, lease({ resourceVersion: '5' }))).code).toBe(201);
  });
});

test('who says that an object is gone is not heard', async () => {
  const { create, merge, delete: remove } = await createTestServer();
  await create(configmaps, config({ finalizers: ['a.b/c'] }));
  await remove(configmaps, 'a');
  const other = { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z', labels: { a: 'b' } } };
  const { code, object } = await merge(configmaps, 'a', { body: other });
  expect(code).toBe(200);
  expect((object as KubeObject).metadata.deletionTimestamp).not.toBe('2020-01-01T00:00:00Z');
});

test('a generation below nothing is refused where none is counted', async () => {
  const { create } = await createTestServer();
  const refused = create(configmaps, config({ generation: -1 }));
  expect(await refusalOf(refused)).toMatchObject({ code: 422 });
  expect((await create(configmaps, config({ generation: 1 }))).object).not.toHaveProperty('metadata.generation');
});

test('limits without a name get one', async () => {
  const { create } = await createTestServer({ definitions: [limitrangeDefinition] });
  const body = { apiVersion: 'v1', kind: 'LimitRange', metadata: {}, spec: { limits: [] } };
  const { code, object } = await create(limitranges, body);
  expect([code, (object as KubeObject).metadata.name]).toEqual([201, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
});

test('a new name is warned about, an old one not', async () => {
  const { create, merge } = await createTestServer();
  expect((await create(pods, pod('a.b'))).warnings).toEqual([expect.stringContaining('must not contain dots')]);
  expect((await merge(pods, 'a.b', { body: { metadata: { labels: { a: 'b' } } } })).warnings ?? []).toEqual([]);
});

test('what has no namespace is not selected by it where it has fields of its own', async () => {
  const { list } = await createTestServer();
  expect(await refusalOf(list(nodes, { fieldSelector: 'metadata.namespace=a' }))).toMatchObject({
    code: 400,
    message: 'field label not supported: metadata.namespace',
  });
});

describe('a custom resource', () => {
  const things = resourceType({
    group: 'example.com',
    version: 'v1',
    resource: 'agents',
    kind: 'Agent',
    namespaced: true,
  });
  const made = async (): ReturnType<typeof createTestServer> => {
    const server = await createTestServer();
    await server.create(customresourcedefinitions, crdBody({ versions: [version('v1')] }));
    return server;
  };
  const agent = (more: object): object => ({
    apiVersion: 'example.com/v1',
    kind: 'Agent',
    metadata: { name: 'a' },
    ...more,
  });

  test.each<[object, number, string | RegExp]>([
    [{ kind: 'Other' }, 422, 'Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Agent'],
    [{ kind: '' }, 400, /Object 'Kind' is missing$/],
    [{ apiVersion: 'v1', kind: 'Pod' }, 400, /^the API version in the data \(v1\) does not match/],
    [{ metadata: 'a' }, 400, /cannot unmarshal string into Go value of type v1\.ObjectMeta$/],
    [{ metadata: { name: 'a', resourceVersion: 5 } }, 400, /resourceVersion of type string$/],
    [{ metadata: { name: 'a', namespace: 5 } }, 400, /namespace of type string$/],
  ])('is refused as %j', async (more, code, message) => {
    const { create } = await made();
    const refusal = await refusalOf(create(things, agent(more)));
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(message) as unknown });
  });
});
