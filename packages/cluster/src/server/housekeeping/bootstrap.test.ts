import { expect, test } from 'vitest';
import { configmaps, namespaces, priorityclasses, services } from '../../api/generated/kinds.ts';
import { InvariantError } from '../../base/assert.ts';
import { admin, configMap, createTestServer, refusalOf } from '../../testing/api-server.ts';

test('a new cluster has its namespaces, priority classes and the service of its API', async () => {
  const { list } = await createTestServer();
  const names = async (resource: Parameters<typeof list>[0]): Promise<readonly string[]> =>
    (await list(resource)).items.map(({ metadata }) => metadata.name);
  expect(await names(namespaces)).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  expect(await names(priorityclasses)).toEqual(['system-cluster-critical', 'system-node-critical']);
  expect(await names(services)).toEqual(['kubernetes']);
});

test('namespaces carry their own name as a label', async () => {
  const { get } = await createTestServer();
  expect((await get(namespaces, 'default')).metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'default' });
});

test('a restart writes nothing', async () => {
  const first = await createTestServer();
  const { revision } = first.store;
  await first.store.close();
  const second = await createTestServer({ backend: first.backend });
  expect(second.store.revision).toBe(revision);
});

test('a bug or a broken disk is a 500, not the end', async () => {
  const { server, create, store } = await createTestServer();
  const broken = {
    ...store,
    get revision() {
      return store.revision;
    },
    get compactedRevision() {
      return store.compactedRevision;
    },
    get: () => {
      throw new InvariantError('the disk is there');
    },
  };
  void server;
  await create(configmaps, configMap('a'));
  const other = createTestServer({ store: broken });
  expect(await refusalOf(other)).toMatchObject({ code: 500, reason: 'InternalError' });
});

test('nothing begins for a request that was given up', async () => {
  const { server } = await createTestServer();
  const signal = AbortSignal.abort(new Error('gone'));
  const work = server.perform({ verb: 'list', resource: namespaces, user: admin, options: {} }, { signal });
  await expect(work).rejects.toThrow('gone');
});

test('an alive server says so', async () => {
  const { server } = await createTestServer();
  expect(server.checks('livez').every(({ failure }) => failure === undefined)).toBe(true);
});
