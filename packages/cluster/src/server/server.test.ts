import { describe, expect, test } from 'vitest';
import { configmaps, namespaces, pods } from '../api/generated/kinds.ts';
import type { KubeObject } from '../api/meta.ts';
import { configMap, createTestServer, pod, refusalOf } from './test-server.ts';

describe('create', () => {
  test('fills in what the server says about an object', async () => {
    const { create, clock } = await createTestServer();
    const { code, object } = await create(configmaps, configMap('a', { data: { k: 'v' } }));
    expect(code).toBe(201);
    const { metadata } = object as KubeObject;
    expect(metadata).toMatchObject({ name: 'a', namespace: 'default' });
    expect(metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(metadata.creationTimestamp).toBe(new Date(clock.nowMs()).toISOString().replace('.000', ''));
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(0);
    expect(Object.isFrozen(object) && Object.isFrozen(metadata)).toBe(true);
  });
  test('pods', async () => {
    const { create } = await createTestServer();
    const { object, warnings } = await create(pods, pod('p'));
    expect(object).toMatchObject({
      spec: { serviceAccountName: 'default', priority: 0 },
      status: { phase: 'Pending' },
    });
    expect(warnings).toEqual([]);
  });
  test('refuses', async () => {
    const { create } = await createTestServer();
    expect(await refusalOf(create(configmaps, configMap('a'), { namespace: 'nowhere' }))).toMatchObject({
      code: 404,
      message: 'namespaces "nowhere" not found',
    });
  });
  test('namespaces', async () => {
    const { list } = await createTestServer();
    expect((await list(namespaces)).items.map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
  });
});
