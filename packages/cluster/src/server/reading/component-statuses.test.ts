import { expect, test } from 'vitest';
import { type PlanePart, partsWithout, planeParts } from '../../part-names.ts';
import { createTestServer } from '../../testing/api-server.ts';
import { createTestCluster } from '../../testing/test-cluster.ts';
import { createWire } from '../../testing/wire.ts';
import type { HealthCheck } from '../context/served-api.ts';
import { componentstatusDefinition as components } from './component-statuses.ts';

const checks: readonly HealthCheck[] = [
  { name: 'ping' },
  { name: 'etcd' },
  { name: 'component/default-scheduler', failure: 'it died' },
  { name: 'component/deployment' },
];

test('programs of a plane that are parts of this process are as their checks say', async () => {
  const { server, ...plane } = await createTestServer({ checks: () => checks });
  const { items } = await plane.list(components);
  expect(items).toMatchObject([
    { metadata: { name: 'controller-manager' }, conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] },
    {
      metadata: { name: 'scheduler' },
      conditions: [{ status: 'False', error: 'component/default-scheduler: it died' }],
    },
    { metadata: { name: 'etcd-0' }, conditions: [{ status: 'True' }] },
  ]);
  expect(await plane.get(components, 'scheduler')).toEqual(items[1]);
  expect((await plane.list(components, { fieldSelector: 'metadata.name=etcd-0' })).items).toHaveLength(1);
  await expect(plane.get(components, 'kubelet')).rejects.toMatchObject({ status: { code: 404 } });
  const { warnings, json } = await createWire(server)('GET', '/api/v1/componentstatuses');
  expect(warnings).toEqual(['299 - "v1 ComponentStatus is deprecated in v1.19+"']);
  expect(json).toMatchObject({ kind: 'ComponentStatusList', apiVersion: 'v1' });
});

test('they cannot be written', async () => {
  const plane = await createTestServer({ checks: () => checks });
  const refused = plane.create(components, { metadata: { name: 'x' } });
  await expect(refused).rejects.toMatchObject({ status: { code: 405 } });
});

test('of a whole plane they are the programs that it stands for; parts that are left to others are not told of', async () => {
  const named = async (parts: readonly PlanePart[]): Promise<readonly (string | undefined)[]> => {
    const cluster = await createTestCluster({ parts });
    const { items } = await cluster.client.list(components, {});
    await cluster.close();
    return items.map(({ metadata }) => metadata.name);
  };
  expect(await named(planeParts)).toEqual(['controller-manager', 'scheduler', 'etcd-0']);
  expect(await named(partsWithout(['scheduler', 'controllers']))).toEqual(['etcd-0']);
});

test('what runs elsewhere is not told of', async () => {
  const plane = await createTestServer({ checks: () => checks.slice(0, 2) });
  expect((await plane.list(components)).items.map(({ metadata }) => metadata.name)).toEqual(['etcd-0']);
});
