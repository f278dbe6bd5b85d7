import { describe, expect, test } from 'vitest';
import { configmaps, deployments, jobs, namespaces, pods } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { controllerUser } from '../../api/system-identities.ts';
import { toTimestamp } from '../../base/clock.ts';
import { jobDefinition } from '../../resources/batch/job.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { admin, configMap, createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';

const running = (name: string, more: object = {}): object => pod(name, { nodeName: 'n1', ...more });

describe('delete', () => {
  test('answers with a Status that names what is gone', async () => {
    const { create, delete: remove, get } = await createTestServer();
    const { metadata } = (await create(configmaps, configMap('a'))).object as KubeObject;
    expect(await remove(configmaps, 'a')).toMatchObject({
      code: 200,
      object: { kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps', uid: metadata.uid } },
    });
    expect((await refusalOf(get(configmaps, 'a'))).code).toBe(404);
  });

  test('of a Job says that its pods stay, unless the request says what becomes of them', async () => {
    const {
      create,
      delete: remove,
      server,
    } = await createTestServer({
      definitions: [jobDefinition as unknown as ResourceDefinition],
    });
    const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'i' }] } } };
    for (const name of ['a', 'b']) await create(jobs, { metadata: { name }, spec });
    const told = [
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    ];
    expect((await remove(jobs, 'a', { dryRun: true })).warnings).toEqual(told);
    expect((await remove(jobs, 'a', { delete: { propagationPolicy: 'Orphan' } })).warnings).toEqual([]);
    const all = {
      verb: 'deletecollection',
      resource: jobs,
      user: admin,
      namespace: 'default',
      options: {},
      list: {},
    } as const;
    expect((await server.perform(all, { signal: new AbortController().signal })).warnings).toEqual(told);
    await expect(remove(jobs, 'c')).rejects.toMatchObject({ status: { code: 404 }, warnings: told });
  });

  test('of nothing is not found', async () => {
    const { delete: remove } = await createTestServer();
    expect((await refusalOf(remove(configmaps, 'a'))).message).toBe('configmaps "a" not found');
  });

  test('honours its preconditions', async () => {
    const { create, delete: remove, get } = await createTestServer();
    const { metadata } = (await create(configmaps, configMap('a'))).object as KubeObject;
    for (const preconditions of [{ uid: 'other' }, { resourceVersion: '1' }])
      expect((await refusalOf(remove(configmaps, 'a', { delete: { preconditions } }))).code).toBe(409);
    expect(await get(configmaps, 'a')).toBeDefined();
    const { uid, resourceVersion } = metadata;
    expect((await remove(configmaps, 'a', { delete: { preconditions: { uid, resourceVersion } } })).code).toBe(200);
  });

  test('in dry run leaves everything', async () => {
    const { create, delete: remove, store } = await createTestServer();
    await create(configmaps, configMap('a'));
    await create(pods, running('p'));
    const { revision } = store;
    expect((await remove(configmaps, 'a', { dryRun: true })).object).toMatchObject({
      kind: 'Status',
      status: 'Success',
    });
    expect((await remove(pods, 'p', { dryRun: true })).object).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) },
    });
    expect(store.revision).toBe(revision);
  });

  test('a name used again is another object', async () => {
    const { create, delete: remove } = await createTestServer();
    const first = (await create(configmaps, configMap('a'))).object as KubeObject;
    await remove(configmaps, 'a');
    const second = (await create(configmaps, configMap('a'))).object as KubeObject;
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
  });

  test('does not go through a subresource', async () => {
    const { create, delete: remove } = await createTestServer();
    await create(pods, pod('p'));
    expect((await refusalOf(remove(pods, 'p', { subresource: 'status' }))).code).toBe(405);
  });
});

describe('finalizers', () => {
  const held = { ...configMap('a'), metadata: { name: 'a', finalizers: ['example.com/hold'] } };
  test('hold an object until the last is taken away', async () => {
    const { create, delete: remove, merge, get, clock } = await createTestServer();
    await create(configmaps, held);
    const { code, object } = await remove(configmaps, 'a');
    expect({ code, object }).toMatchObject({
      code: 200,
      object: { metadata: { deletionTimestamp: toTimestamp(clock.nowMs()), deletionGracePeriodSeconds: 0 } },
    });
    expect((await get(configmaps, 'a')).metadata.deletionTimestamp).toBeDefined();
    const done = await merge(configmaps, 'a', { body: { metadata: { finalizers: [] } } });
    expect(done.object).toMatchObject({ metadata: { name: 'a' } });
    expect((await refusalOf(get(configmaps, 'a'))).code).toBe(404);
  });

  test('a second delete changes nothing', async () => {
    const { create, delete: remove, store } = await createTestServer();
    await create(configmaps, held);
    const first = await remove(configmaps, 'a');
    const { revision } = store;
    expect((await remove(configmaps, 'a')).object).toBe(first.object);
    expect(store.revision).toBe(revision);
  });

  test('cannot be added once the object is on its way out', async () => {
    const { create, delete: remove, merge } = await createTestServer();
    await create(configmaps, held);
    await remove(configmaps, 'a');
    const add = merge(configmaps, 'a', {
      body: { metadata: { finalizers: ['example.com/hold', 'example.com/more'] } },
    });
    const refusal = await refusalOf(add);
    expect(refusal.code).toBe(422);
    expect(refusal.message).toContain('no new finalizers can be added if the object is being deleted');
  });
});

describe('propagation', () => {
  const finalizersAfter = async (
    { create, delete: remove }: TestServer,
    {
      before,
      policy,
    }: { readonly before?: readonly string[]; readonly policy?: 'Orphan' | 'Background' | 'Foreground' },
  ): Promise<readonly string[] | undefined> => {
    await create(configmaps, { metadata: { name: 'a', ...(before !== undefined && { finalizers: before }) } });
    const { object } = await remove(configmaps, 'a', {
      delete: { ...(policy !== undefined && { propagationPolicy: policy }) },
    });
    return object.kind === 'Status' ? undefined : (object as KubeObject).metadata.finalizers;
  };

  test.each<[string, Parameters<typeof finalizersAfter>[1], readonly string[] | undefined]>([
    ['background removes at once', { policy: 'Background' }, undefined],
    ['foreground waits for the dependents', { policy: 'Foreground' }, ['foregroundDeletion']],
    ['orphan waits until the dependents are let go', { policy: 'Orphan' }, ['orphan']],
    [
      'a policy replaces the finalizer of another',
      { before: ['orphan'], policy: 'Foreground' },
      ['foregroundDeletion'],
    ],
    ['background takes them away', { before: ['orphan', 'example.com/a'], policy: 'Background' }, ['example.com/a']],
    [
      'other finalizers stay',
      { before: ['example.com/a'], policy: 'Foreground' },
      ['example.com/a', 'foregroundDeletion'],
    ],
    ['without a policy the finalizer that is there counts', { before: ['orphan'] }, ['orphan']],
  ])('%s', async (_, request, expected) => {
    expect(await finalizersAfter(await createTestServer(), request)).toEqual(expected);
  });
});

describe('grace', () => {
  test('a pod on a node is marked, and removed when the node says so', async () => {
    const { create, delete: remove, get, clock } = await createTestServer();
    await create(pods, running('p'));
    const { object } = await remove(pods, 'p');
    expect(object).toMatchObject({
      metadata: {
        deletionGracePeriodSeconds: 30,
        deletionTimestamp: toTimestamp(clock.nowMs() + 30_000),
        generation: 2,
      },
    });
    const gone = await remove(pods, 'p', { delete: { gracePeriodSeconds: 0 } });
    expect(gone.object).toMatchObject({ kind: 'Pod', metadata: { name: 'p' } });
    expect((await refusalOf(get(pods, 'p'))).code).toBe(404);
  });

  test('can be cut short but not made longer', async () => {
    const { create, delete: remove, clock } = await createTestServer();
    await create(pods, running('p'));
    await remove(pods, 'p', { delete: { gracePeriodSeconds: 20 } });
    const longer = await remove(pods, 'p', { delete: { gracePeriodSeconds: 60 } });
    expect(longer.object).toMatchObject({ metadata: { deletionGracePeriodSeconds: 20 } });
    const shorter = await remove(pods, 'p', { delete: { gracePeriodSeconds: 5 } });
    expect(shorter.object).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 5, deletionTimestamp: toTimestamp(clock.nowMs() + 5_000), generation: 2 },
    });
  });

  test('a pod without a node goes at once', async () => {
    const { create, delete: remove, get } = await createTestServer();
    await create(pods, pod('p'));
    await remove(pods, 'p', { delete: { gracePeriodSeconds: 30 } });
    expect((await refusalOf(get(pods, 'p'))).code).toBe(404);
  });

  test('the node’s last word waits for finalizers', async () => {
    const { create, delete: remove, merge, get } = await createTestServer();
    await create(pods, { ...running('p'), metadata: { name: 'p', finalizers: ['example.com/hold'] } });
    await remove(pods, 'p');
    await remove(pods, 'p', { delete: { gracePeriodSeconds: 0 } });
    expect((await get(pods, 'p')).metadata.deletionGracePeriodSeconds).toBe(0);
    await merge(pods, 'p', { body: { metadata: { finalizers: null } } });
    expect((await refusalOf(get(pods, 'p'))).code).toBe(404);
  });

  test('taking the last finalizer away does not cut the grace short', async () => {
    const { create, delete: remove, merge, get } = await createTestServer();
    await create(pods, { ...running('p'), metadata: { name: 'p', finalizers: ['example.com/hold'] } });
    await remove(pods, 'p');
    await merge(pods, 'p', { body: { metadata: { finalizers: null } } });
    expect((await get(pods, 'p')).metadata.deletionGracePeriodSeconds).toBe(30);
  });
});

describe('namespaces', () => {
  const emptier = controllerUser('namespace-controller');
  const finalize = ({ get, update }: TestServer, name: string, user = emptier): Promise<unknown> =>
    get(namespaces, name).then((namespace) =>
      update(namespaces, { ...namespace, spec: { finalizers: [] } }, { subresource: 'finalize', user }),
    );

  test('end when they are finalized, not before', async () => {
    const server = await createTestServer();
    await server.create(namespaces, { metadata: { name: 'n' } });
    const { object } = await server.delete(namespaces, 'n');
    expect(object).toMatchObject({
      status: { phase: 'Terminating' },
      metadata: { deletionTimestamp: expect.any(String) },
    });
    expect((object as KubeObject).metadata.deletionGracePeriodSeconds).toBeUndefined();
    await server.delete(namespaces, 'n');
    expect(await server.get(namespaces, 'n')).toMatchObject({ spec: { finalizers: ['kubernetes'] } });
    await finalize(server, 'n');
    expect((await refusalOf(server.get(namespaces, 'n'))).code).toBe(404);
  });

  test('cannot end while something is in them', async () => {
    const server = await createTestServer();
    await server.create(namespaces, { metadata: { name: 'n' } });
    await server.create(configmaps, configMap('a'), { namespace: 'n' });
    await server.delete(namespaces, 'n');
    expect(await refusalOf(finalize(server, 'n'))).toMatchObject({
      code: 409,
      message: expect.stringContaining('configmaps are left in it') as unknown as string,
    });
  });

  test('end at once when somebody else than their controller says so', async () => {
    const server = await createTestServer();
    await server.create(namespaces, { metadata: { name: 'n' } });
    await server.create(configmaps, configMap('a'), { namespace: 'n' });
    await server.delete(namespaces, 'n');
    await finalize(server, 'n', admin);
    expect((await refusalOf(server.get(namespaces, 'n'))).code).toBe(404);
    expect(await server.get(configmaps, 'a', { namespace: 'n' })).toBeDefined();
  });

  test('cannot end while something is on its way into them', async () => {
    const server = await createTestServer();
    await server.create(namespaces, { metadata: { name: 'n' } });
    const racing = server.create(configmaps, configMap('a'), { namespace: 'n' });
    const ending = server.delete(namespaces, 'n').then(() => finalize(server, 'n'));
    const [, ended] = await Promise.allSettled([racing, ending]);
    expect(ended.status).toBe('rejected');
    expect(await server.get(configmaps, 'a', { namespace: 'n' })).toBeDefined();
  });

  test('that a cluster needs cannot be deleted', async () => {
    const { delete: remove } = await createTestServer();
    for (const name of ['default', 'kube-system', 'kube-public'])
      expect(await refusalOf(remove(namespaces, name))).toMatchObject({
        code: 403,
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      });
  });
});

describe('delete collection', () => {
  test('deletes what the selector chooses and answers with what it was', async () => {
    const { create, list, server } = await createTestServer();
    for (const [name, app] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
    ] as const)
      await create(configmaps, configMap(name, { labels: { app } }));
    const { object } = await server.perform(
      {
        verb: 'deletecollection',
        resource: configmaps,
        namespace: 'default',
        user: admin,
        options: {},
        list: { labelSelector: 'app=x' },
      },
      { signal: new AbortController().signal },
    );
    expect((object as { items: readonly KubeObject[] }).items.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
    expect((await list(configmaps)).items.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  test('ends with the first that a precondition refuses', async () => {
    const { create, get, list, server } = await createTestServer();
    await create(configmaps, configMap('a'));
    await create(configmaps, configMap('b'));
    const { resourceVersion } = (await get(configmaps, 'b')).metadata;
    const options = { preconditions: { resourceVersion } };
    const work = server.perform(
      { verb: 'deletecollection', resource: configmaps, namespace: 'default', user: admin, options, list: {} },
      { signal: new AbortController().signal },
    );
    expect(await refusalOf(work)).toMatchObject({ code: 409 });
    expect((await list(configmaps)).items).toHaveLength(2);
  });

  test('is not for all namespaces at once', async () => {
    const { server, create, list } = await createTestServer();
    await create(configmaps, configMap('kept'));
    const work = server.perform(
      { verb: 'deletecollection', resource: configmaps, user: admin, options: {}, list: {} },
      { signal: new AbortController().signal },
    );
    expect(await refusalOf(work)).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
    expect((await list(configmaps)).items).toHaveLength(1);
  });

  test('is not for namespaces', async () => {
    const { server } = await createTestServer();
    const work = server.perform(
      { verb: 'deletecollection', resource: namespaces, user: admin, options: {}, list: {} },
      { signal: new AbortController().signal },
    );
    expect(await refusalOf(work)).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
  });
});

test('a delete that races with updates wins in the end', async () => {
  const { create, delete: remove, merge, get } = await createTestServer();
  await create(deployments, {
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { app: 'd' } },
      template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'main', image: 'a:1' }] } },
    },
  });
  const patches = Array.from({ length: 10 }, (_, index) =>
    merge(deployments, 'd', { body: { metadata: { labels: { a: String(index) } } } }),
  );
  await Promise.allSettled([...patches, remove(deployments, 'd')]);
  expect((await refusalOf(get(deployments, 'd'))).code).toBe(404);
});
