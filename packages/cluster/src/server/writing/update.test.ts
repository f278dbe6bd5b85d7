import { describe, expect, test } from 'vitest';
import { configmaps, deployments, leases, namespaces, nodes, pods } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { admin, configMap, createTestServer, pod, refusalOf } from '../../testing/api-server.ts';

const modified =
  'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again';

const lease = (more: object = {}): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a', ...more },
  spec: { holderIdentity: 'me' },
});

const deployment = (replicas: number, metadata: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', ...metadata },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'main', image: 'a:1' }] } },
  },
});

describe('update', () => {
  test('replaces the object and keeps what the server owns', async () => {
    const { create, update } = await createTestServer();
    const before = (await create(configmaps, configMap('a', { data: { k: '1' } }))).object as KubeObject;
    const { code, object } = await update(configmaps, configMap('a', { data: { k: '2' } }));
    expect(code).toBe(200);
    expect(object).toMatchObject({
      data: { k: '2' },
      metadata: { uid: before.metadata.uid, creationTimestamp: before.metadata.creationTimestamp },
    });
    expect(Number((object as KubeObject).metadata.resourceVersion)).toBeGreaterThan(
      Number(before.metadata.resourceVersion),
    );
  });

  test('writes nothing when nothing changes', async () => {
    const { create, update, store } = await createTestServer();
    const { object } = await create(configmaps, configMap('a', { data: { k: '1' } }));
    const { revision } = store;
    expect((await update(configmaps, configMap('a', { data: { k: '1' } }))).object).toBe(object);
    expect((await update(configmaps, object)).object).toBe(object);
    expect(store.revision).toBe(revision);
  });

  test('refuses a stale version, whatever it says', async () => {
    const { create, update } = await createTestServer();
    const { object } = await create(configmaps, configMap('a'));
    await update(configmaps, configMap('a', { data: { k: '2' } }));
    const stale = update(configmaps, { ...(object as object), data: { k: '3' } });
    expect(await refusalOf(stale)).toMatchObject({ code: 409, reason: 'Conflict', message: modified });
  });

  test('of two updates from one version one wins', async () => {
    const { create, update } = await createTestServer();
    const { object } = await create(configmaps, configMap('a'));
    const outcomes = await Promise.allSettled(
      ['1', '2'].map((k) => update(configmaps, { ...(object as object), data: { k } })),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('refuses to take a stranger of the same name for the object', async () => {
    const { create, update } = await createTestServer();
    const { object } = await create(configmaps, configMap('a'));
    const other = { ...configMap('a'), metadata: { name: 'a', uid: 'other' } };
    expect((await refusalOf(update(configmaps, other))).message).toBe(
      `Operation cannot be fulfilled on configmaps "a": Precondition failed: UID in precondition: other, UID in object meta: ${(object as KubeObject).metadata.uid}`,
    );
  });

  test('of a missing object is not found, or creates it where upstream does', async () => {
    const { update } = await createTestServer();
    expect((await refusalOf(update(configmaps, configMap('a')))).code).toBe(404);
    expect((await update(leases, lease({ resourceVersion: '7' }))).code).toBe(201);
  });

  test('without a version is refused where upstream wants one', async () => {
    const { create, update } = await createTestServer();
    await create(leases, lease());
    expect(await refusalOf(update(leases, lease({ labels: { a: 'b' } })))).toMatchObject({
      code: 422,
      message:
        'leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    });
  });

  test('refuses another name than the path has', async () => {
    const { create, update } = await createTestServer();
    await create(configmaps, configMap('a'));
    expect((await refusalOf(update(configmaps, configMap('b'), { name: 'a' }))).message).toBe(
      'the name of the object (b) does not match the name on the URL (a)',
    );
  });

  test('in dry run answers what would be', async () => {
    const { create, update, get } = await createTestServer();
    const { object } = await create(configmaps, configMap('a'));
    const done = await update(configmaps, configMap('a', { data: { k: '2' } }), { dryRun: true });
    expect(done.object).toMatchObject({ data: { k: '2' } });
    expect(await get(configmaps, 'a')).toBe(object);
  });
});

describe('generation', () => {
  const generationOf = ({ object }: { readonly object: unknown }): number | undefined =>
    (object as KubeObject).metadata.generation;

  test('counts changes of the spec, not of labels or status', async () => {
    const { create, update, merge } = await createTestServer();
    expect(generationOf(await create(deployments, deployment(1)))).toBe(1);
    expect(generationOf(await update(deployments, deployment(1, { labels: { a: 'b' } })))).toBe(1);
    expect(generationOf(await update(deployments, deployment(2)))).toBe(2);
    const status = { body: { status: { replicas: 2 } }, subresource: 'status' };
    expect(generationOf(await merge(deployments, 'd', status))).toBe(2);
  });

  test('of a Deployment counts its annotations too', async () => {
    const { create, merge } = await createTestServer();
    await create(deployments, deployment(1));
    const body = { metadata: { annotations: { a: 'b' } } };
    expect(generationOf(await merge(deployments, 'd', { body }))).toBe(2);
  });

  test('is absent where upstream keeps none', async () => {
    const { create } = await createTestServer();
    expect(generationOf(await create(configmaps, configMap('a')))).toBeUndefined();
  });
});

describe('status', () => {
  test('has its own door: the main one leaves it alone', async () => {
    const { create, merge, get } = await createTestServer();
    await create(deployments, deployment(1));
    await merge(deployments, 'd', { body: { status: { replicas: 5 } } });
    expect(((await get(deployments, 'd')) as unknown as { status?: { replicas?: number } }).status?.replicas).not.toBe(
      5,
    );
  });
  test('and leaves the spec alone, and of a Deployment the labels', async () => {
    const { create, update, get } = await createTestServer();
    const { object } = await create(deployments, deployment(1));
    const sent = { ...deployment(9, { labels: { a: 'b' } }), status: { replicas: 5 } };
    await update(deployments, sent, { subresource: 'status' });
    expect(await get(deployments, 'd')).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 5 } });
    expect((await get(deployments, 'd')).metadata.labels).toEqual((object as KubeObject).metadata.labels);
  });
  test('is checked for its types', async () => {
    const { create, merge } = await createTestServer();
    await create(deployments, deployment(1));
    const bad = merge(deployments, 'd', { body: { status: { replicas: 'x' } }, subresource: 'status' });
    expect((await refusalOf(bad)).code).toBe(400);
  });
  test.each([
    ['put without one', { ...deployment(1) }, undefined],
    ['patched away', { status: null }, 'merge'],
  ] as const)('of a built-in kind is never missing: %s', async (_, body, patchType) => {
    const { create, update, merge, get } = await createTestServer();
    await create(deployments, deployment(1));
    if (patchType === undefined) await update(deployments, body, { subresource: 'status' });
    else await merge(deployments, 'd', { body, subresource: 'status' });
    expect(await get(deployments, 'd')).toMatchObject({ status: {} });
  });
  test('does not exist where the kind has none', async () => {
    const { create, get } = await createTestServer();
    await create(configmaps, configMap('a'));
    expect((await refusalOf(get(configmaps, 'a', { subresource: 'status' }))).code).toBe(404);
  });
});

describe('patch', () => {
  const { signal } = new AbortController();
  const change = (
    server: Awaited<ReturnType<typeof createTestServer>>['server'],
    patchType: 'json' | 'merge' | 'strategic' | 'apply',
    body: unknown,
  ) =>
    server.perform(
      { verb: 'patch', resource: pods, namespace: 'default', name: 'p', user: admin, patchType, body, options: {} },
      { signal },
    );

  test.each<['json' | 'merge' | 'strategic', unknown]>([
    ['json', [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]],
    ['merge', { metadata: { labels: { a: 'b' } } }],
    ['strategic', { metadata: { labels: { a: 'b' } } }],
  ])('%s changes what it names', async (patchType, body) => {
    const { create, server } = await createTestServer();
    const before = (await create(pods, pod('p'))).object as KubeObject & { readonly spec: object };
    const { object } = await change(server, patchType, body);
    expect((object as KubeObject).metadata.labels).toEqual({ a: 'b' });
    expect((object as typeof before).spec).toEqual(before.spec);
  });

  test('strategic merges lists by their key', async () => {
    const { create, server } = await createTestServer();
    await create(
      pods,
      pod('p', {
        containers: [
          { name: 'a', image: 'a:1' },
          { name: 'b', image: 'b:1' },
        ],
      }),
    );
    const { object } = await change(server, 'strategic', { spec: { containers: [{ name: 'b', image: 'b:2' }] } });
    const { containers } = (object as unknown as { spec: { containers: { name: string; image: string }[] } }).spec;
    expect(containers.map(({ name, image }) => `${name} ${image}`)).toEqual(['a a:1', 'b b:2']);
  });

  test('patches without a version all take effect, however they race', async () => {
    const { create, merge, get } = await createTestServer();
    await create(configmaps, configMap('a', { data: {} }));
    const keys = Array.from({ length: 30 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => merge(configmaps, 'a', { body: { data: { [key]: 'v' } } })));
    expect(Object.keys(((await get(configmaps, 'a')) as unknown as { data: object }).data).sort()).toEqual(keys.sort());
  });

  test('a version in the patch is a precondition', async () => {
    const { create, merge } = await createTestServer();
    await create(configmaps, configMap('a'));
    const stale = merge(configmaps, 'a', { body: { metadata: { resourceVersion: '1' }, data: { a: 'b' } } });
    expect(await refusalOf(stale)).toMatchObject({ code: 409, message: modified });
  });

  test('a uid in the patch is a precondition', async () => {
    const { create, merge } = await createTestServer();
    await create(configmaps, configMap('a'));
    const other = merge(configmaps, 'a', { body: { metadata: { uid: 'other' }, data: { a: 'b' } } });
    expect((await refusalOf(other)).code).toBe(409);
  });

  test('an unknown field in the result is reported as in any other write', async () => {
    const { create, merge } = await createTestServer();
    await create(configmaps, configMap('a'));
    const { warnings } = await merge(configmaps, 'a', { body: { extra: 1 } });
    expect(warnings).toEqual(['unknown field "extra"']);
  });

  test('a patch that changes nothing writes nothing', async () => {
    const { create, merge, store } = await createTestServer();
    const { object } = await create(configmaps, configMap('a', { data: { a: 'b' } }));
    const { revision } = store;
    expect((await merge(configmaps, 'a', { body: { data: { a: 'b' } } })).object).toBe(object);
    expect(store.revision).toBe(revision);
  });

  test.each([
    ['name', { metadata: { name: 'b' } }, 400],
    ['kind', { kind: 'Pod' }, 400],
    ['deletionTimestamp', { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } }, 422],
  ])('cannot change the %s', async (_, body, code) => {
    const { create, merge } = await createTestServer();
    await create(configmaps, configMap('a'));
    expect((await refusalOf(merge(configmaps, 'a', { body }))).code).toBe(code);
  });

  test('of a missing object is not found', async () => {
    const { merge } = await createTestServer();
    expect((await refusalOf(merge(configmaps, 'a', { body: {} }))).message).toBe('configmaps "a" not found');
  });
});

describe('scale', () => {
  test('shows and changes the count through its own kind', async () => {
    const { create, get, merge } = await createTestServer();
    await create(deployments, deployment(1));
    expect(await get(deployments, 'd', { subresource: 'scale' })).toMatchObject({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      spec: { replicas: 1 },
    });
    const { object } = await merge(deployments, 'd', { subresource: 'scale', body: { spec: { replicas: 4 } } });
    expect(object).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } });
    expect(await get(deployments, 'd')).toMatchObject({ spec: { replicas: 4 }, metadata: { generation: 2 } });
  });
});

describe('binding', () => {
  const binding = (node: string): object => ({
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'p' },
    target: { kind: 'Node', name: node },
  });
  test('gives a pod its node, once', async () => {
    const { create, get } = await createTestServer();
    await create(pods, pod('p'));
    const done = await create(pods, binding('n1'), { name: 'p', subresource: 'binding' });
    expect(done).toMatchObject({ code: 201, object: { kind: 'Status', status: 'Success' } });
    expect(await get(pods, 'p')).toMatchObject({ spec: { nodeName: 'n1' } });
    const again = create(pods, binding('n2'), { name: 'p', subresource: 'binding' });
    expect(await refusalOf(again)).toMatchObject({ code: 409, reason: 'Conflict' });
  });
  test('also comes through the collection of bindings', async () => {
    const { create, get } = await createTestServer();
    await create(pods, pod('p'));
    await create({ group: '', version: 'v1', resource: 'bindings' }, binding('n1'));
    expect(await get(pods, 'p')).toMatchObject({ spec: { nodeName: 'n1' } });
  });
});

test('an update cannot smuggle a namespace past its finalizers', async () => {
  const { create, merge, get } = await createTestServer();
  await create(namespaces, { metadata: { name: 'n' } });
  await merge(namespaces, 'n', { body: { spec: { finalizers: [] } } });
  expect(await get(namespaces, 'n')).toMatchObject({ spec: { finalizers: ['kubernetes'] } });
});

test('an unknown resource and an unknown subresource are not found', async () => {
  const { get, create } = await createTestServer();
  await create(nodes, { metadata: { name: 'n' } });
  const unknown = { group: 'example.com', version: 'v1', resource: 'things' };
  for (const work of [get(unknown, 'a'), get(nodes, 'n', { subresource: 'nope' })])
    expect(await refusalOf(work)).toMatchObject({
      code: 404,
      message: 'the server could not find the requested resource',
    });
});
