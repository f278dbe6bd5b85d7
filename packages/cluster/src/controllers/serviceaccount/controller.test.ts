import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfigMap, Namespace, ServiceAccount } from '../../api/generated/core-v1.ts';
import { configmaps, namespaces, serviceaccounts } from '../../api/generated/kinds.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import type { Action } from '../../runtime/plan.ts';
import { createControllerRunner } from '../../runtime/runner.ts';
import { makeMeta } from '../../testing/makers.ts';
import { createTestPlane, type TestPlane } from '../../testing/plane.ts';
import { serviceaccountController } from './controller.ts';
import { type Observed, plan } from './plan.ts';

const namespace: Namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: makeMeta({ name: 'team' }),
  spec: {},
  status: { phase: 'Active' },
};
const account: ServiceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: makeMeta({ name: 'default', namespace: 'team' }),
};
const published = (text: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: makeMeta({ name: 'kube-root-ca.crt', namespace: 'team' }),
  data: { 'ca.crt': text },
});

const line = (action: Action): string =>
  'object' in action ? `${action.do} ${action.object.kind} ${action.object.metadata.name}` : action.do;

describe('plan', () => {
  const nothing: Observed = {
    namespace,
    account: undefined,
    certificate: undefined,
    authority: undefined,
  };
  test.each<[string, Partial<Observed>, readonly string[]]>([
    ['a new namespace gets its account', {}, ['create ServiceAccount default']],
    [
      'and the certificate, if there is one',
      { authority: 'CA' },
      ['create ServiceAccount default', 'create ConfigMap kube-root-ca.crt'],
    ],
    ['what is there stays', { account, certificate: published('CA'), authority: 'CA' }, []],
    [
      'a changed certificate is put right',
      { account, certificate: published('other'), authority: 'CA' },
      ['update ConfigMap kube-root-ca.crt'],
    ],
    ['without an authority the certificate is nobody’s business', { account, certificate: published('old') }, []],
    [
      'a namespace that ends gets nothing',
      {
        namespace: { ...namespace, metadata: { ...namespace.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
        authority: 'CA',
      },
      [],
    ],
  ])('%s', (_, observed, expected) => expect(plan({ ...nothing, ...observed }).actions.map(line)).toEqual(expected));
});

describe('on a plane', () => {
  let plane: TestPlane;
  let pem: string;
  const wakes = new Set<() => void>();
  const authority = {
    pem: () => pem,
    onChange(wake: () => void) {
      wakes.add(wake);
      return () => wakes.delete(wake);
    },
  };
  beforeEach(async () => {
    pem = 'CA';
    plane = await createTestPlane();
    plane.start(createControllerRunner(serviceaccountController({ authority }), plane.platform));
    await plane.clock.settle();
  });
  afterEach(async () => {
    expect(plane.problems).toEqual([]);
    await plane.close();
    expect(wakes.size).toBe(0);
  });

  test('a renewed authority reaches every namespace', async () => {
    pem = 'CA and its successor';
    for (const wake of wakes) wake();
    await plane.clock.settle();
    const published = await plane.all(configmaps);
    expect(published.length).toBeGreaterThan(1);
    const authorities = published.flatMap(({ data = {} }) =>
      Object.entries(data).flatMap(([key, value]) => (key === 'ca.crt' ? [value] : [])),
    );
    expect(authorities).toHaveLength(published.length);
    expect(new Set(authorities)).toEqual(new Set(['CA and its successor']));
  });

  test('every namespace has both, from the first moment', async () => {
    const count = (await plane.all(namespaces)).length;
    expect(await plane.names(serviceaccounts)).toEqual(Array(count).fill('default'));
    expect(await plane.names(configmaps)).toEqual(Array(count).fill('kube-root-ca.crt'));
  });

  test('a new namespace gets both', async () => {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } } as New<KubeObject>;
    await plane.client.create(namespaces, object, { signal: plane.signal });
    await plane.clock.settle();
    expect(await plane.names(serviceaccounts, 'team')).toEqual(['default']);
    expect((await plane.find(configmaps, 'kube-root-ca.crt', 'team'))?.data).toEqual({ 'ca.crt': 'CA' });
  });

  test('what is deleted comes back, what is changed is put right', async () => {
    const place = { signal: plane.signal, namespace: 'default' };
    await plane.client.delete(serviceaccounts, { ...place, name: 'default' });
    await plane.client.patch(configmaps, {
      ...place,
      name: 'kube-root-ca.crt',
      patchType: 'merge',
      body: { data: { 'ca.crt': 'forged', more: 'x' } },
    });
    await plane.clock.settle();
    expect(await plane.names(serviceaccounts, 'default')).toEqual(['default']);
    expect((await plane.find(configmaps, 'kube-root-ca.crt', 'default'))?.data).toEqual({ 'ca.crt': 'CA' });
    await plane.client.delete(configmaps, { ...place, name: 'kube-root-ca.crt' });
    await plane.clock.settle();
    expect(await plane.names(configmaps, 'default')).toEqual(['kube-root-ca.crt']);
  });
});
