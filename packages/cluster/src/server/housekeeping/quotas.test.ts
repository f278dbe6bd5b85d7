/** What quotas leave room for, as clients see it. */
import { expect, test } from 'vitest';
import type { Pod, ResourceQuota } from '../../api/generated/core-v1.ts';
import { configmaps, pods, resourcequotas, services } from '../../api/generated/kinds.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { createMemoryBackend } from '../../store/backends/memory.ts';
import { createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';

type Amounts = Readonly<Record<string, string>>;

/** A server with a quota whose controller has counted. */
async function start(hard: Amounts, used: Amounts, name = 'q'): Promise<TestServer> {
  const server = await createTestServer({ definitions: builtinDefinitions });
  await putQuota(server, { hard, used, name });
  return server;
}

async function putQuota(
  server: TestServer,
  { hard, used, name }: { readonly hard: Amounts; readonly used: Amounts; readonly name: string },
): Promise<void> {
  const { object } = await server.create(resourcequotas, { metadata: { name }, spec: { hard } });
  await server.update(resourcequotas, { ...object, status: { hard, used } }, { subresource: 'status' });
}

async function usedOf(server: TestServer, name = 'q'): Promise<unknown> {
  return ((await server.get(resourcequotas, name)) as ResourceQuota).status?.used;
}

const full = {
  code: 403,
  reason: 'Forbidden',
  message: 'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
};

test('the last place is given once, and the status says so at once', async () => {
  const server = await start({ pods: '1' }, { pods: '0' });
  const { warnings } = await server.create(pods, pod('a'));
  expect(warnings).toEqual([]);
  expect(await usedOf(server)).toEqual({ pods: '1' });
  expect(await refusalOf(server.create(pods, pod('b')))).toMatchObject(full);
  // Before it is found that the name is taken.
  expect((await refusalOf(server.create(pods, pod('a')))).code).toBe(403);
  await server.create(pods, pod('b'), { namespace: 'kube-system' });
});

test('of many at once none gets what another has', async () => {
  const server = await start({ pods: '7' }, { pods: '0' });
  const tries = Array.from({ length: 40 }, (_, index) =>
    server.create(pods, pod(`p${index}`)).then(
      () => 'created',
      () => 'refused',
    ),
  );
  const came = await Promise.all(tries);
  expect(came.filter((each) => each === 'created')).toHaveLength(7);
  expect(await usedOf(server)).toEqual({ pods: '7' });
});

test('who changes the status meanwhile loses nothing', async () => {
  const server = await start({ pods: '9' }, { pods: '0' });
  const setUsed = (amount: string): Promise<unknown> =>
    server.merge(resourcequotas, 'q', { subresource: 'status', body: { status: { used: { pods: amount } } } });
  await Promise.all([server.create(pods, pod('a')), setUsed('3'), server.create(pods, pod('b'))]);
  expect(await usedOf(server)).toEqual({ pods: '5' });
});

test('what comes to nothing takes nothing', async () => {
  const server = await start({ pods: '2' }, { pods: '0' });
  await server.create(pods, pod('a'), { dryRun: true });
  await server.create(pods, pod('a'));
  expect((await refusalOf(server.create(pods, pod('a')))).code).toBe(409);
  expect((await refusalOf(server.create(pods, pod('b', { containers: [] })))).code).toBe(422);
  expect(await usedOf(server)).toEqual({ pods: '1' });
  await server.create(pods, pod('b'));
  expect((await refusalOf(server.create(pods, pod('c'), { dryRun: true }))).message).toContain('exceeded quota');
});

test('every quota has to agree', async () => {
  const server = await start({ pods: '5' }, { pods: '0' });
  await putQuota(server, { name: 'r', hard: { 'count/pods': '1' }, used: { 'count/pods': '0' } });
  await server.create(pods, pod('a'));
  expect((await refusalOf(server.create(pods, pod('b')))).message).toContain('exceeded quota: r');
  expect([await usedOf(server), await usedOf(server, 'r')]).toEqual([{ pods: '1' }, { 'count/pods': '1' }]);
});

test('a service that becomes more takes more', async () => {
  const server = await start(
    { 'services.nodeports': '1', services: '5' },
    { 'services.nodeports': '0', services: '0' },
  );
  const service = (type: string, ...ports: readonly number[]): object => ({
    metadata: { name: 's' },
    spec: { type, ports: ports.map((port) => ({ name: `p${port}`, port })) },
  });
  await server.create(services, service('ClusterIP', 80));
  await server.merge(services, 's', { body: service('NodePort', 80) });
  expect(await usedOf(server)).toEqual({ services: '1', 'services.nodeports': '1' });
  expect((await refusalOf(server.merge(services, 's', { body: service('NodePort', 80, 81) }))).message).toBe(
    'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1',
  );
});

test('other changes are free, and so is what ends', async () => {
  const server = await start({ 'count/configmaps': '0', pods: '1' }, { 'count/configmaps': '0', pods: '0' });
  const { object } = await server.create(pods, pod('a'));
  await server.merge(resourcequotas, 'q', { subresource: 'status', body: { status: { used: { pods: '1' } } } });
  await server.update(pods, { ...object, metadata: { ...(object as Pod).metadata, labels: { a: 'b' } } });
  await server.delete(pods, 'a');
  expect((await refusalOf(server.create(configmaps, { metadata: { name: 'c' } }))).message).toContain(
    'count/configmaps=1',
  );
});

test('a new process knows the quotas; one that ended limits nothing', async () => {
  const backend = createMemoryBackend();
  const first = await createTestServer({ definitions: builtinDefinitions, backend });
  await putQuota(first, { name: 'q', hard: { pods: '0' }, used: { pods: '0' } });
  const second = await createTestServer({ definitions: builtinDefinitions, backend });
  expect((await refusalOf(second.create(pods, pod('b')))).code).toBe(403);
  await second.delete(resourcequotas, 'q');
  await second.create(pods, pod('b'));
});

test('it can be left out', async () => {
  const server = await createTestServer({ definitions: builtinDefinitions, withoutAdmission: ['ResourceQuota'] });
  await putQuota(server, { name: 'q', hard: { pods: '0' }, used: { pods: '0' } });
  await server.create(pods, pod('a'));
});
