import { describe, expect, test } from 'vitest';
import { configmaps, namespaces, nodes, pods } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import { configMap, createTestServer, pod, refusalOf } from '../../testing/api-server.ts';

test('the server says what only it knows about a new object', async () => {
  const { create, clock, store } = await createTestServer();
  const { code, object, warnings } = await create(configmaps, {
    ...configMap('a', { data: { k: 'v' } }),
    metadata: {
      name: 'a',
      uid: 'mine',
      generation: 7,
      deletionTimestamp: '2020-01-01T00:00:00Z',
      selfLink: '/x',
      managedFields: [{ manager: 'me' }],
    },
  });
  const { metadata } = object as KubeObject;
  expect({ code, warnings }).toEqual({ code: 201, warnings: [] });
  expect(metadata).toEqual({
    name: 'a',
    namespace: 'default',
    uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    resourceVersion: String(store.revision),
    creationTimestamp: new Date(clock.nowMs()).toISOString().replace('.000Z', 'Z'),
    managedFields: [expect.objectContaining({ manager: 'unknown', operation: 'Update', apiVersion: 'v1' })],
  });
});

test('what is answered is the stored object itself, frozen', async () => {
  const { create, get } = await createTestServer();
  const { object } = await create(configmaps, configMap('a', { data: { k: 'v' } }));
  expect(await get(configmaps, 'a')).toBe(object);
  expect(Object.isFrozen((object as unknown as { data: object }).data)).toBe(true);
});

test('kind and version may be left out of the body', async () => {
  const { create } = await createTestServer();
  const { object } = await create(configmaps, { metadata: { name: 'a' } });
  expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
});

test('pods get a service account, a priority, tolerations and a first status', async () => {
  const { create } = await createTestServer();
  const { object } = await create(pods, pod('p'));
  expect(object).toMatchObject({
    metadata: { generation: 1 },
    spec: {
      serviceAccountName: 'default',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      tolerations: [{ key: 'node.kubernetes.io/not-ready' }, { key: 'node.kubernetes.io/unreachable' }],
      restartPolicy: 'Always',
    },
    status: { phase: 'Pending' },
  });
});

describe('refusals', () => {
  const body = (metadata: object): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  test.each<[string, object, { code: number; reason: string; message: string }]>([
    [
      'another kind',
      { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } },
      { code: 400, reason: 'BadRequest', message: 'Pod in version "v1" cannot be handled as a ConfigMap' },
    ],
    [
      'another version',
      { kind: 'ConfigMap', apiVersion: 'apps/v1', metadata: { name: 'a' } },
      {
        code: 400,
        reason: 'BadRequest',
        message: 'the API version in the data (apps/v1) does not match the expected API version (v1)',
      },
    ],
    [
      'another namespace',
      body({ name: 'a', namespace: 'kube-system' }),
      {
        code: 400,
        reason: 'BadRequest',
        message: 'the namespace of the provided object does not match the namespace sent on the request',
      },
    ],
    [
      'a version on what does not exist',
      body({ name: 'a', resourceVersion: '5' }),
      { code: 400, reason: 'BadRequest', message: 'resourceVersion should not be set on objects to be created' },
    ],
    [
      'no name',
      body({}),
      {
        code: 422,
        reason: 'Invalid',
        message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      },
    ],
    [
      'a list as metadata',
      { kind: 'ConfigMap', apiVersion: 'v1', metadata: [] },
      {
        code: 400,
        reason: 'BadRequest',
        message: expect.stringContaining('into Go struct field ConfigMap.metadata of type v1.ObjectMeta'),
      },
    ],
    [
      'a text as body',
      'x' as unknown as object,
      { code: 400, reason: 'BadRequest', message: 'the body of the request must be an object' },
    ],
    [
      'a name that is no subdomain',
      body({ name: 'Foo' }),
      {
        code: 422,
        reason: 'Invalid',
        message: expect.stringContaining(
          'ConfigMap "Foo" is invalid: metadata.name: Invalid value: "Foo"',
        ) as unknown as string,
      },
    ],
  ])('%s', async (_, object, refusal) => {
    const { create, store } = await createTestServer();
    const before = store.revision;
    expect(await refusalOf(create(configmaps, object))).toMatchObject(refusal);
    expect(store.revision).toBe(before);
  });

  test('a name that is taken', async () => {
    const { create } = await createTestServer();
    await create(configmaps, configMap('a'));
    expect(await refusalOf(create(configmaps, configMap('a')))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('a wrong type names the field', async () => {
    const { create } = await createTestServer();
    const refusal = await refusalOf(create(pods, pod('p', { nodeName: 7 })));
    expect(refusal).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(refusal.message).toContain('Go struct field PodSpec.spec.nodeName of type string');
  });

  test('an object that is too large', async () => {
    const { create } = await createTestServer({ limits: { objectBytesMax: 10_000 } });
    const { code } = await create(configmaps, configMap('small', { data: { k: 'x'.repeat(9_000) } }));
    expect(code).toBe(201);
    expect(await refusalOf(create(configmaps, configMap('a', { data: { k: 'x'.repeat(11_000) } })))).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
    });
  });

  test('size is counted in bytes', async () => {
    const { create } = await createTestServer({ limits: { objectBytesMax: 10_000 } });
    const refusal = await refusalOf(create(configmaps, configMap('a', { data: { k: '€'.repeat(4_000) } })));
    expect(refusal.code).toBe(413);
  });
});

describe('unknown fields', () => {
  const odd = { ...configMap('a'), extra: 1 };
  test('are taken out with a warning by default', async () => {
    const { create } = await createTestServer();
    const { object, warnings } = await create(configmaps, odd);
    expect(object).not.toHaveProperty('extra');
    expect(warnings).toEqual(['unknown field "extra"']);
  });
  test('are taken out silently when asked to be ignored', async () => {
    const { create } = await createTestServer();
    const { object, warnings } = await create(configmaps, odd, { fieldValidation: 'Ignore' });
    expect(object).not.toHaveProperty('extra');
    expect(warnings).toEqual([]);
  });
  test('are refused when strict, all of them at once', async () => {
    const { create } = await createTestServer();
    const strict = create(pods, { ...pod('p', { foo: 1 }), bar: 2 }, { fieldValidation: 'Strict' });
    expect(await refusalOf(strict)).toMatchObject({
      code: 400,
      message:
        'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.foo", unknown field "bar"',
    });
  });
});

describe('generated names', () => {
  test('are the prefix and five characters', async () => {
    const { create } = await createTestServer();
    const { object } = await create(configmaps, { metadata: { generateName: 'a-' } });
    expect((object as KubeObject).metadata.name).toMatch(/^a-[a-z0-9]{5}$/);
  });
  test('are cut to what a name may be', async () => {
    const { create } = await createTestServer();
    const { object } = await create(configmaps, { metadata: { generateName: `${'x'.repeat(70)}-` } });
    expect((object as KubeObject).metadata.name).toMatch(/^x{58}[a-z0-9]{5}$/);
  });
  test('are tried again when taken, and not for ever', async () => {
    const numbers = (draws: number) => ({
      next: () => 0,
      below: () => {
        draws++;
        return 0;
      },
      fork: () => numbers(draws),
    });
    const { create } = await createTestServer({ random: numbers(0) });
    await create(configmaps, { metadata: { generateName: 'a-' } });
    const refusal = await refusalOf(create(configmaps, { metadata: { generateName: 'a-' } }));
    expect(refusal).toMatchObject({ code: 409, reason: 'AlreadyExists', details: { retryAfterSeconds: 1 } });
  });
  test('never overwrite: racing creates each get a name of their own', async () => {
    const { create } = await createTestServer();
    const made = await Promise.all(
      Array.from({ length: 50 }, () => create(configmaps, { metadata: { generateName: 'a-' } })),
    );
    expect(new Set(made.map(({ object }) => (object as KubeObject).metadata.name)).size).toBe(50);
  });
});

test('of racing creates exactly one wins', async () => {
  const { create } = await createTestServer();
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => create(configmaps, configMap('a'))));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

describe('namespaces', () => {
  test('must exist', async () => {
    const { create } = await createTestServer();
    expect(await refusalOf(create(configmaps, configMap('a'), { namespace: 'nowhere' }))).toMatchObject({
      code: 404,
      message: 'namespaces "nowhere" not found',
    });
  });
  test('take nothing new once they end', async () => {
    const { create, delete: remove } = await createTestServer();
    await create(namespaces, { metadata: { name: 'old' } });
    await remove(namespaces, 'old');
    expect(await refusalOf(create(configmaps, configMap('a'), { namespace: 'old' }))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps "a" is forbidden: unable to create new content in namespace old because it is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
    });
  });
  test('are no place for cluster-scoped objects', async () => {
    const { create } = await createTestServer();
    const refusal = await refusalOf(create(nodes, { metadata: { name: 'n' } }, { namespace: 'default' }));
    expect(refusal).toMatchObject({ code: 404, message: 'the server could not find the requested resource' });
  });
  test('a namespace in the body of a cluster-scoped object is dropped', async () => {
    const { create } = await createTestServer();
    const { object } = await create(nodes, { metadata: { name: 'n', namespace: 'default' } });
    expect((object as KubeObject).metadata.namespace).toBeUndefined();
  });
});

describe('dry run', () => {
  test('answers what would be, and writes nothing', async () => {
    const { create, store } = await createTestServer();
    const before = store.revision;
    const { code, object } = await create(pods, pod('p'), { dryRun: true });
    expect(code).toBe(201);
    expect(object).toMatchObject({ metadata: { name: 'p', uid: expect.any(String) }, status: { phase: 'Pending' } });
    expect((object as KubeObject).metadata.resourceVersion).toBeUndefined();
    expect(store.revision).toBe(before);
  });
  test('takes a version along, which a create that is meant refuses', async () => {
    const { create } = await createTestServer();
    const body = { ...configMap('a'), metadata: { name: 'a', resourceVersion: '5' } };
    expect((await create(configmaps, body, { dryRun: true })).code).toBe(201);
    expect((await refusalOf(create(configmaps, body))).code).toBe(400);
  });

  test('refuses what would be refused', async () => {
    const { create } = await createTestServer();
    await create(configmaps, configMap('a'));
    expect((await refusalOf(create(configmaps, configMap('a'), { dryRun: true }))).code).toBe(409);
  });
});

test('the sender’s object is not copied for its own sake', async () => {
  const { create } = await createTestServer();
  const data = { k: 'v' };
  const { object } = await create(configmaps, configMap('a', { data }));
  expect(equal((object as unknown as { data: object }).data, data)).toBe(true);
  expect((object as unknown as { data: object }).data).toBe(data);
});

describe('of many mistakes the first hundred are named', () => {
  const many = <T>(each: (index: number) => T): T[] => Array.from({ length: 5_000 }, (_, index) => each(index));
  const entries = (each: (index: number) => readonly [string, unknown]): object => Object.fromEntries(many(each));

  test.each<[string, object]>([
    ['invalid values', { data: entries((index) => [`k ${index}`, 'v']) }],
    ['wrong types', { data: entries((index) => [`k${index}`, 1]) }],
    ['wrong labels', { metadata: { name: 'a', labels: entries((index) => [`k${index}`, 'v v']) } }],
  ])('%s', async (_, rest) => {
    const { create } = await createTestServer();
    const { code, message, details } = await refusalOf(
      create(configmaps, { ...configMap('a'), ...rest } as unknown as KubeObject),
    );
    expect([400, 422]).toContain(code);
    expect(details?.causes).toHaveLength(100);
    expect(message?.length).toBeLessThan(50_000);
    if (code === 422) expect(message).toMatch(/, and more\]$/);
  });

  test('mistakes elsewhere do not hide those in the metadata', async () => {
    const { create } = await createTestServer();
    const { message, details } = await refusalOf(
      create(configmaps, {
        ...configMap('a', { data: entries((index) => [`k${index}`, 1]) as never }),
        metadata: { name: 'a', labels: { a: 1 } },
      } as unknown as KubeObject),
    );
    expect(message).toContain('cannot unmarshal');
    expect(details?.causes?.some(({ field }) => field?.startsWith('metadata.labels'))).toBe(true);
  });
});
