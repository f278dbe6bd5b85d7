import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clusterroles } from '../../api/generated/kinds.ts';
import type { ClusterRole, PolicyRule } from '../../api/generated/rbac-v1.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import { createControllerRunner } from '../../runtime/runner.ts';
import { createTestPlane, type TestPlane } from '../../testing/plane.ts';
import { clusterroleAggregation } from './controller.ts';

const read: PolicyRule = { apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] };
const write: PolicyRule = { apiGroups: ['example.com'], resources: ['things'], verbs: ['create'] };
let plane: TestPlane;

beforeEach(async () => {
  plane = await createTestPlane();
  await plane.server.writeRoles();
  plane.start(createControllerRunner(clusterroleAggregation, plane.platform));
  await plane.clock.settle();
});
afterEach(() => plane.close());

async function put(name: string, rules: readonly PolicyRule[], to?: string): Promise<void> {
  const labels = to === undefined ? {} : { [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true' };
  const metadata = { name, labels };
  const object = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules };
  await plane.client.create(clusterroles, object as New<KubeObject>, { signal: plane.signal });
  await plane.clock.settle();
}

const rulesOf = async (name: string): Promise<readonly PolicyRule[]> =>
  ((await plane.find<ClusterRole>(clusterroles, name)) as ClusterRole).rules ?? [];
const having = async (rule: PolicyRule): Promise<readonly string[]> => {
  const names = ['view', 'edit', 'admin'];
  const all = await Promise.all(names.map(rulesOf));
  return names.filter((_, index) => all[index]?.some((each) => JSON.stringify(each) === JSON.stringify(rule)));
};

describe('roles that gather others', () => {
  test('are whole from the start: nothing is written', async () => {
    const all = await plane.all<ClusterRole>(clusterroles);
    expect(all.find(({ metadata }) => metadata.name === 'admin')?.rules?.length).toBeGreaterThan(10);
    expect(all.filter(({ metadata }) => Number(metadata.resourceVersion) > 100)).toEqual([]);
  });
  test('take in what a label gives them, and pass it on', async () => {
    await put('things-view', [read], 'view');
    expect(await having(read)).toEqual(['view', 'edit', 'admin']);
    await put('things-edit', [write], 'edit');
    expect(await having(write)).toEqual(['edit', 'admin']);
    await put('unlabelled', [{ ...read, verbs: ['watch'] }]);
    expect(await having({ ...read, verbs: ['watch'] })).toEqual([]);
  });
  test('lose it with the label, and with the role', async () => {
    await put('things-view', [read], 'view');
    const place = { signal: plane.signal, name: 'things-view' };
    const body = { metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-view': null } } };
    await plane.client.patch(clusterroles, { ...place, patchType: 'merge', body });
    await plane.clock.settle();
    expect(await having(read)).toEqual([]);
    await put('things-edit', [write], 'edit');
    await plane.client.delete(clusterroles, { ...place, name: 'things-edit' });
    await plane.clock.settle();
    expect(await having(write)).toEqual([]);
  });
  test('are put right when somebody writes into them', async () => {
    const before = await rulesOf('view');
    await plane.client.patch(clusterroles, {
      signal: plane.signal,
      name: 'view',
      patchType: 'merge',
      body: { rules: [write] },
    });
    await plane.clock.settle();
    expect(await rulesOf('view')).toEqual(before);
    expect(plane.problems).toEqual([]);
  });
});
