import { expect, test } from 'vitest';
import { clusterrolebindings, clusterroles, configmaps } from '../../api/generated/kinds.ts';
import type { ClusterRole, ClusterRoleBinding } from '../../api/generated/rbac-v1.ts';
import { serviceAccount } from '../../api/identities.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { builtinPolicy } from '../../resources/rbac/builtin/builtin.ts';
import { NothingWrittenError } from '../../store/backend.ts';
import { createMemoryBackend } from '../../store/backends/memory.ts';
import { configMap, createTestServer } from '../../testing/api-server.ts';
import { createTestCluster } from '../../testing/test-cluster.ts';

const definitions = builtinDefinitions;

test('every built-in role and binding is there, whole', async () => {
  const { server, list } = await createTestServer({ definitions });
  await server.writeRoles();
  const { roles, bindings } = builtinPolicy();
  const names = (items: readonly { readonly metadata: { readonly name: string } }[]): readonly string[] =>
    items.map(({ metadata }) => metadata.name).sort();
  const found = (await list(clusterroles)).items as readonly ClusterRole[];
  expect(names(found)).toEqual(names(roles));
  expect(names((await list(clusterrolebindings)).items)).toEqual(names(bindings));
  expect(new Set(found.map(({ metadata }) => metadata.uid)).size).toBe(roles.length);
  expect(found[0]?.metadata).toMatchObject({
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    creationTimestamp: expect.stringMatching(/Z$/),
  });
});

test('a restart writes nothing', async () => {
  const { server, store } = await createTestServer({ definitions });
  await server.writeRoles();
  const { revision } = store;
  await server.writeRoles();
  expect(store.revision).toBe(revision);
});

test('a start makes good what is missing, and leaves what is more', async () => {
  const { server, get, merge, delete: remove } = await createTestServer({ definitions });
  await server.writeRoles();
  const own = { apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] };
  await merge(clusterroles, 'system:basic-user', { body: { rules: [own] } });
  await merge(clusterrolebindings, 'system:discovery', { body: { subjects: null } });
  await remove(clusterroles, 'view');
  await server.writeRoles();
  const basic = (await get(clusterroles, 'system:basic-user')) as ClusterRole;
  expect(basic.rules?.[0]).toEqual(own);
  expect(basic.rules?.length).toBeGreaterThan(1);
  const discovery = (await get(clusterrolebindings, 'system:discovery')) as ClusterRoleBinding;
  expect(discovery.subjects?.map(({ name }) => name)).toEqual(['system:authenticated']);
  expect((await get(clusterroles, 'view')).metadata.name).toBe('view');
});

test('a binding to another role gives way', async () => {
  const { server, get, create } = await createTestServer({ definitions });
  const apiGroup = 'rbac.authorization.k8s.io';
  const stale = { metadata: { name: 'system:basic-user' }, roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' } };
  const before = (await create(clusterrolebindings, stale)).object as ClusterRoleBinding;
  await server.writeRoles();
  const binding = (await get(clusterrolebindings, 'system:basic-user')) as ClusterRoleBinding;
  expect(binding.roleRef.name).toBe('system:basic-user');
  expect(binding.metadata.uid).not.toBe(before.metadata.uid);
});

test('no start waits for them: they hold, and are written a moment later', async () => {
  const cluster = await createTestCluster({ nodes: 0 });
  const { signal } = new AbortController();
  const written = async (): Promise<number> => (await cluster.client.list(clusterroles, { signal })).items.length;
  expect(await written()).toBe(0);
  await cluster.advance(1_000);
  expect(await written()).toBe(builtinPolicy().roles.length);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

test('a cluster that cannot write them runs on, and says so once', async () => {
  const backend = createMemoryBackend();
  let isFull = false;
  const write: typeof backend.write = (batch) =>
    isFull ? Promise.reject(new NothingWrittenError('no space left on device')) : backend.write(batch);
  const cluster = await createTestCluster({ nodes: 0, backend: { ...backend, write } });
  isFull = true;
  await cluster.advance(1_000);
  isFull = false;
  const told = cluster.problems.filter(({ component }) => component === 'roles');
  expect(told.map(({ message }) => message)).toEqual([
    'cannot write what every cluster has of roles, flow schemas and APIServices; it holds, but nobody sees it',
  ]);
  await cluster.close();
});

test('parts that somebody brings along have a role', async () => {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const identities = [{ user: serviceAccount('ops', 'robot'), role: 'ops:robot', rules }];
  const { server, get } = await createTestServer({ definitions, identities });
  await server.writeRoles();
  expect((await get(clusterroles, 'ops:robot')) as ClusterRole).toMatchObject({ rules });
});

test('what is named later is called the same with and without them', async () => {
  const uidOf = async (written: boolean): Promise<unknown> => {
    const { server, create } = await createTestServer({ definitions });
    if (written) await server.writeRoles();
    return (await create(configmaps, configMap('a'))).object;
  };
  const [without, having] = [await uidOf(false), await uidOf(true)] as {
    readonly metadata: { readonly uid: string };
  }[];
  expect(having?.metadata.uid).toBe(without?.metadata.uid);
});
