import { describe, expect, test } from 'vitest';
import { configmaps, deployments, nodes, pods, secrets } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { admin, createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';
import { showOwners } from '../../testing/owners.ts';

const config = (data: Readonly<Record<string, string>> | undefined, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  ...(data !== undefined && { data }),
});

const deployment = (spec: object, metadata: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', ...metadata },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'main', image: 'a:1' }] } },
    ...spec,
  },
});

/** Somebody takes part of an object. */
const part = (spec: object, metadata: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', ...metadata },
  spec,
});

async function dataOf({ get }: TestServer): Promise<unknown> {
  return ((await get(configmaps, 'a')) as KubeObject & { readonly data?: unknown }).data;
}

describe('apply', () => {
  test('creates what is not there, and then changes nothing', async () => {
    const { apply, get, store } = await createTestServer();
    const first = await apply(configmaps, config({ k: '1' }), { manager: 'me' });
    expect(first.code).toBe(201);
    expect(showOwners(first.object as KubeObject)).toEqual(['me Apply v1: .data.k']);
    const { revision } = store;
    const again = await apply(configmaps, config({ k: '1' }), { manager: 'me' });
    expect(again.code).toBe(200);
    expect(again.object).toBe(await get(configmaps, 'a'));
    expect(store.revision).toBe(revision);
  });

  test('a Node that is applied keeps its status as one that is created', async () => {
    const { apply } = await createTestServer();
    const status = { capacity: { cpu: '4' } };
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, status };
    const { object } = await apply(nodes, node, { manager: 'me' });
    expect(object).toMatchObject({ status: { capacity: { cpu: '4' }, allocatable: { cpu: '4' } } });
  });

  test('a dry run tells what would be, and keeps nothing', async () => {
    const { apply, get } = await createTestServer();
    const { code, object } = await apply(configmaps, config({ k: '1' }), { manager: 'me', dryRun: true });
    expect([code, showOwners(object as KubeObject)]).toEqual([201, ['me Apply v1: .data.k']]);
    await expect(get(configmaps, 'a')).rejects.toThrow('not found');
  });

  test('what is no longer applied goes, what others own or nobody owns stays', async () => {
    const server = await createTestServer();
    const { apply, merge } = server;
    await apply(configmaps, config({ mine: '1', ours: '1' }), { manager: 'me' });
    await apply(configmaps, config({ ours: '1', theirs: '1' }), { manager: 'you' });
    await merge(configmaps, 'a', { body: { data: { other: '1' } }, manager: 'editor' });
    await apply(configmaps, config({ later: '1' }), { manager: 'me' });
    expect(await dataOf(server)).toEqual({ ours: '1', theirs: '1', other: '1', later: '1' });
    expect(showOwners(await server.get(configmaps, 'a'))).toEqual([
      'me Apply v1: .data.later',
      'you Apply v1: .data.ours .data.theirs',
      'editor Update v1: .data.other',
    ]);
  });

  test('two who apply the same value share it; the last that leaves it removes it', async () => {
    const server = await createTestServer();
    await server.apply(configmaps, config({ k: '1' }), { manager: 'me' });
    await server.apply(configmaps, config({ k: '1' }), { manager: 'you' });
    await server.apply(configmaps, config({}), { manager: 'me' });
    expect(await dataOf(server)).toEqual({ k: '1' });
    await server.apply(configmaps, config({}), { manager: 'you' });
    expect(await dataOf(server)).toBeUndefined();
  });

  test('another value of what somebody else owns is a conflict, which force settles', async () => {
    const { apply, update } = await createTestServer();
    await apply(deployments, deployment({ replicas: 1, minReadySeconds: 5 }), { manager: 'me' });
    const refused = await refusalOf(apply(deployments, part({ replicas: 2 }), { manager: 'you' }));
    expect(refused).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "me": .spec.replicas',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "me"', field: '.spec.replicas' }],
      },
    });
    await update(deployments, deployment({ replicas: 1, minReadySeconds: 9 }), { manager: 'editor' });
    expect(
      await refusalOf(apply(deployments, part({ replicas: 2, minReadySeconds: 6 }), { manager: 'you' })),
    ).toMatchObject({
      message:
        'Apply failed with 2 conflicts: conflicts with "editor" using apps/v1:\n- .spec.minReadySeconds\nconflicts with "me":\n- .spec.replicas',
    });
    const { object } = await apply(deployments, part({ replicas: 2 }), { manager: 'you', force: true });
    expect(showOwners(object as KubeObject)[1]).toBe('you Apply apps/v1: .spec.replicas');
    expect(showOwners(object as KubeObject)[0]).not.toContain('.spec.replicas');
    // What was taken from them they leave alone.
    await expect(apply(deployments, deployment({ replicas: 2 }), { manager: 'me' })).resolves.toMatchObject({
      code: 200,
    });
  });

  test('lists are merged by their keys, those of containers and of ports too', async () => {
    const { apply, get } = await createTestServer();
    const ports = (...all: readonly object[]): object => ({
      template: { spec: { containers: [{ name: 'main', ports: all }] } },
    });
    await apply(deployments, deployment({}), { manager: 'me' });
    await apply(deployments, part(ports({ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' })), {
      manager: 'p',
    });
    const side = { template: { spec: { containers: [{ name: 'side', image: 'b:1' }] } } };
    await apply(deployments, part(side), { manager: 'injector' });
    const shown = (await get(deployments, 'd')) as KubeObject & {
      readonly spec: { template: { spec: { containers: unknown[] } } };
    };
    expect(shown.spec.template.spec.containers).toMatchObject([
      {
        name: 'main',
        image: 'a:1',
        ports: [
          { containerPort: 80, protocol: 'TCP' },
          { containerPort: 80, protocol: 'UDP' },
        ],
      },
      { name: 'side', image: 'b:1' },
    ]);
    await apply(deployments, part(ports({ containerPort: 80, protocol: 'UDP' })), { manager: 'p' });
    const left = (await get(deployments, 'd')) as typeof shown;
    expect(left.spec.template.spec.containers).toMatchObject([
      { name: 'main', image: 'a:1', ports: [{ containerPort: 80, protocol: 'UDP' }] },
      { name: 'side' },
    ]);
  });

  test('who applied through the status owns only of that', async () => {
    const { apply } = await createTestServer();
    await apply(deployments, deployment({ replicas: 1 }), { manager: 'me' });
    const { object } = await apply(
      deployments,
      { ...part({ replicas: 7 }, { labels: { not: 'taken' } }), status: { observedGeneration: 3 } },
      { manager: 'c', subresource: 'status' },
    );
    expect(object).toMatchObject({ spec: { replicas: 1 }, status: { observedGeneration: 3 } });
    expect(showOwners(object as KubeObject)[0]).toBe('c Apply/status apps/v1: .status.observedGeneration');
  });

  test('a scale owns the replicas, whoever had them', async () => {
    const { apply, update, get, merge } = await createTestServer();
    const scale = (replicas: number): object => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'd' },
      spec: { replicas },
    });
    await apply(deployments, deployment({ replicas: 1 }), { manager: 'me' });
    await update(deployments, scale(2), { manager: 'hpa', subresource: 'scale' });
    expect(showOwners(await get(deployments, 'd'))).toContain('hpa Update/scale apps/v1: .spec.replicas');
    expect(await refusalOf(apply(deployments, deployment({ replicas: 1 }), { manager: 'me' }))).toMatchObject({
      message:
        'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas',
    });
    expect(await refusalOf(apply(deployments, scale(3), { manager: 'you', subresource: 'scale' }))).toMatchObject({
      message: expect.stringContaining('conflict with "hpa" with subresource "scale"'),
    });
    await apply(deployments, scale(3), { manager: 'you', subresource: 'scale', force: true });
    const owners = showOwners(await get(deployments, 'd'));
    expect(owners).toContain('you Apply/scale apps/v1: .spec.replicas');
    expect(owners.filter((line) => line.includes('.spec.replicas'))).toHaveLength(1);
    await merge(deployments, 'd', { body: { spec: { replicas: 3 } }, manager: 'editor' });
    expect(showOwners(await get(deployments, 'd'))).toEqual(owners);
  });

  test('force is for applies alone', async () => {
    const { create, server } = await createTestServer();
    await create(configmaps, config({}));
    const signal = AbortSignal.timeout(10_000);
    const forced = { verb: 'patch', patchType: 'merge', name: 'a', namespace: 'default', body: {} } as const;
    const asked = server.perform(
      { ...forced, resource: configmaps, user: admin, options: { force: true } },
      { signal },
    );
    expect(await refusalOf(asked)).toMatchObject({
      code: 422,
      message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    });
  });

  test.each([
    [{ data: ['hunter2'] }, '.data: expected map, got something else'],
    [{ stringData: 'hunter2' }, '.stringData: expected map, got something else'],
    [{ stringData: { a: ['hunter2\n hunter2'] } }, '.stringData.a: expected string, got something else'],
  ])('of a Secret repeats nothing: %j', async (fields, words) => {
    const { apply } = await createTestServer();
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, ...fields };
    const status = await refusalOf(apply(secrets, body, { manager: 'me' }));
    expect(status).toMatchObject({ message: expect.stringContaining(words) });
    expect(JSON.stringify(status)).not.toContain('hunter2');
  });

  test('is refused where it is none', async () => {
    const { apply, create } = await createTestServer();
    const refused = async (body: object, options: object = {}): Promise<unknown> => {
      const { code, message } = (await refusalOf(apply(deployments, body, { manager: 'me', ...options }))) as {
        code: number;
        message: string;
      };
      return [code, message];
    };
    expect(await refused(deployment({}), { manager: undefined })).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ]);
    expect(await refused(deployment({}, { managedFields: [] }))).toEqual([400, 'metadata.managedFields must be nil']);
    expect(await refused({ ...deployment({}), apiVersion: 'apps/v2' })).toEqual([
      400,
      'invalid object type: apps/v2, Kind=Deployment',
    ]);
    expect(await refused(deployment({ foo: 1, replicas: 'x' }))).toEqual([
      500,
      'failed to create typed patch object (/d; apps/v1, Kind=Deployment): .spec.foo: field not declared in schema',
    ]);
    const twice = { template: { spec: { containers: [{ name: 'a' }, { name: 'a' }] } } };
    expect(await refused(deployment(twice, { namespace: 'default' }))).toEqual([
      500,
      'failed to create typed patch object (default/d; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="a"]',
    ]);
    expect(await refused(deployment({}, { uid: 'x' }))).toMatchObject([
      409,
      expect.stringContaining('uid mismatch: the provided object specified uid x'),
    ]);
    expect(await refused(deployment({}), { flaws: ['twice'], fieldValidation: 'Strict' })).toEqual([
      400,
      'error strict decoding YAML: twice',
    ]);
    // What fits no schema is told first.
    const twofold = await refused(deployment({ foo: 1 }), { flaws: ['twice'], fieldValidation: 'Strict' });
    expect(twofold).toEqual([500, expect.stringContaining('.spec.foo: field not declared in schema')]);
    await create(deployments, deployment({}));
    expect(await refused(deployment({}, { resourceVersion: '1' }))).toMatchObject([
      409,
      expect.stringContaining('modified'),
    ]);
    expect(await refused(deployment({}, { name: 'other' }), { name: 'd' })).toMatchObject([
      400,
      expect.stringContaining('does not match'),
    ]);
  });
});

describe('owners', () => {
  test('every write notes whose fields it set', async () => {
    const { create, merge, get, update } = await createTestServer();
    const { object } = await create(configmaps, config({ a: '1', b: '1' }), { manager: 'creator' });
    expect(showOwners(object as KubeObject)).toEqual(['creator Update v1: .data .data.a .data.b']);
    await merge(configmaps, 'a', { body: { data: { a: '2' }, metadata: { labels: { x: 'y' } } }, manager: 'patcher' });
    expect(showOwners(await get(configmaps, 'a'))).toEqual([
      'creator Update v1: .data .data.b',
      'patcher Update v1: .data.a .metadata.labels .metadata.labels.x',
    ]);
    await update(configmaps, config({ a: '2' }, { labels: { x: 'y' } }), { manager: 'updater' });
    expect(showOwners(await get(configmaps, 'a'))).toEqual([
      'creator Update v1: .data',
      'patcher Update v1: .data.a .metadata.labels .metadata.labels.x',
    ]);
  });

  test('nobody is noted for what has not changed, and its time stands', async () => {
    const { create, update, get, clock } = await createTestServer();
    await create(configmaps, config({ a: '1' }), { manager: 'me' });
    await clock.advance(5_000);
    const before = await get(configmaps, 'a');
    expect((await update(configmaps, config({ a: '1' }), { manager: 'you' })).object).toBe(before);
    await update(configmaps, config({ a: '1', b: '1' }), { manager: 'you' });
    const times = (await get(configmaps, 'a')).metadata.managedFields?.map(({ manager, time }) => [manager, time]);
    expect(times).toEqual([
      ['me', '2026-01-01T00:00:00Z'],
      ['you', '2026-01-01T00:00:05Z'],
    ]);
  });

  test('a client that leaves them out cannot take them away, one that empties them can', async () => {
    const { create, update, merge, get, apply } = await createTestServer();
    await create(configmaps, config({ a: '1' }), { manager: 'me' });
    await update(configmaps, config({ a: '2' }), { manager: 'me' });
    expect(showOwners(await get(configmaps, 'a'))).toHaveLength(1);
    await update(configmaps, config({ a: '2' }, { managedFields: [{ manager: 'x', operation: 'Wrong' }] }), {
      manager: 'me',
    });
    expect(showOwners(await get(configmaps, 'a'))).toEqual(['me Update v1: .data .data.a']);
    await merge(configmaps, 'a', { body: { metadata: { managedFields: [{}] } }, manager: 'me' });
    expect(showOwners(await get(configmaps, 'a'))).toEqual([]);
    await create(configmaps, config({}, { name: 'b' }), { manager: 'me' });
    await update(configmaps, config({ k: '1' }, { name: 'b', managedFields: [] }), { manager: 'me' });
    expect(showOwners(await get(configmaps, 'b'))).toEqual([]);
    await merge(configmaps, 'a', { body: { data: { b: '1' } }, manager: 'me' });
    expect(showOwners(await get(configmaps, 'a'))).toEqual([]);
    const { object } = await apply(configmaps, config({ c: '1' }), { manager: 'you' });
    expect(showOwners(object as KubeObject)).toEqual([
      'you Apply v1: .data.c',
      'before-first-apply Update v1: .data .data.a .data.b',
    ]);
  });

  test('a client may correct them, as kubectl does for whoever applied by hand before', async () => {
    const { create, update, get } = await createTestServer();
    const { object } = await create(configmaps, config({ a: '1' }), { manager: 'kubectl-client-side-apply' });
    const { metadata } = object as KubeObject;
    const [entry] = metadata.managedFields ?? [];
    const managedFields = [{ ...entry, manager: 'kubectl', operation: 'Apply' }];
    await update(configmaps, { ...object, metadata: { ...metadata, managedFields } }, { manager: 'kubectl' });
    expect(showOwners(await get(configmaps, 'a'))).toEqual(['kubectl Apply v1: .data .data.a']);
  });

  test('of more than ten that update, the oldest become one', async () => {
    const { create, merge, get, clock } = await createTestServer();
    await create(configmaps, config({ a: '1' }), { manager: 'm0' });
    for (let index = 1; index <= 12; index++) {
      await clock.advance(1_000);
      await merge(configmaps, 'a', { body: { data: { [`k${index}`]: '1' } }, manager: `m${index}` });
    }
    const owners = showOwners(await get(configmaps, 'a'));
    expect(owners).toHaveLength(10);
    expect(owners[0]).toBe('ancient-changes Update v1: .data .data.a .data.k1 .data.k2 .data.k3');
  });

  test('what kubectl had applied by hand is its own when it applies here', async () => {
    const { create, apply, get } = await createTestServer();
    const key = 'kubectl.kubernetes.io/last-applied-configuration';
    const text = `${JSON.stringify(config({ a: '1' }))}\n`;
    await create(configmaps, config({ a: '1' }, { annotations: { [key]: text } }), {
      manager: 'kubectl-client-side-apply',
    });
    expect(await refusalOf(apply(configmaps, config({ a: '2' }), { manager: 'me' }))).toMatchObject({ code: 409 });
    await apply(configmaps, config({ a: '2' }), { manager: 'kubectl' });
    const { metadata } = await get(configmaps, 'a');
    expect(metadata.annotations?.[key]).toBe(
      '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
    );
  });

  test('what the server adds of itself is nobody’s', async () => {
    const { create } = await createTestServer();
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    };
    const { object } = await create(pods, body, { manager: 'me' });
    const [line = ''] = showOwners(object as KubeObject);
    expect(line).toContain('.spec.containers[name="c"].resources');
    expect(line).not.toContain('tolerations');
    expect(line).not.toContain('.status');
  });
});
