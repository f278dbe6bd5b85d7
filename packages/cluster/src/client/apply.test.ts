import { describe, expect, test } from 'vitest';
import type { ConfigMap } from '../api/generated/core-v1.ts';
import { configmaps } from '../api/generated/kinds.ts';
import type { KubeObject, New } from '../api/meta.ts';
import { createTestPlane } from '../testing/plane.ts';
import { applyObject, inInstallOrder, planApply, withLastApplied } from './apply.ts';
import type { Client } from './client.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

function live(spec: object, lastApplied?: object): KubeObject {
  const annotations = lastApplied === undefined ? {} : { [annotation]: JSON.stringify(lastApplied) };
  const metadata = {
    name: 'x',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations,
  };
  return { apiVersion: 'v1', kind: 'Thing', metadata, spec } as KubeObject;
}

function declared(spec: object): New<KubeObject> {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x' }, spec } as New<KubeObject>;
}

test.each<[string, New<KubeObject>, KubeObject, object | undefined]>([
  ['says nothing when all is as declared', declared({ a: 1 }), live({ a: 1, defaulted: true }), undefined],
  ['changes what differs', declared({ a: 2 }), live({ a: 1, b: 1 }), { spec: { a: 2 } }],
  [
    'removes what only the last declaration named',
    declared({ a: 1 }),
    live({ a: 1, b: 1, c: 1 }, { spec: { a: 1, b: 1 } }),
    { spec: { b: null } },
  ],
  ['does not remove what is gone already', declared({}), live({}, { spec: { b: 1 } }), undefined],
  ['replaces lists as a whole', declared({ list: [1, 2] }), live({ list: [1] }), { spec: { list: [1, 2] } }],
  [
    'survives a last declaration that is no JSON',
    declared({ a: 1 }),
    { ...live({ a: 1 }), metadata: { ...live({}).metadata, annotations: { [annotation]: '{' } } },
    undefined,
  ],
])('%s', (_, next, current, expected) => {
  expect(planApply(next, current)).toEqual(expected);
});

test('the declaration is kept in the letters that kubectl writes, so that neither tool sees a change in the other', () => {
  const object = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'x', labels: { b: '1', a: '2' } },
    data: { z: 'if a < b && c > d', a: [{ y: 1, x: '\u2028' }], 10: 'ten', 9: 'nine' },
  } as unknown as New<KubeObject>;
  const { annotations = {} } = withLastApplied(object).metadata;
  expect(annotations[annotation]).toBe(
    '{"apiVersion":"v1","data":{"10":"ten","9":"nine","a":[{"x":"\\u2028","y":1}],"z":"if a \\u003c b \\u0026\\u0026 c \\u003e d"},' +
      '"kind":"ConfigMap","metadata":{"annotations":{},"labels":{"a":"2","b":"1"},"name":"x"}}\n',
  );
  expect(withLastApplied(withLastApplied(object))).toEqual(withLastApplied(object));
});

test('namespaces and definitions are applied before what needs them', () => {
  const kinds = [
    ['monitoring.grafana.com/v1alpha1', 'GrafanaAgent'],
    ['v1', 'Secret'],
    ['apps/v1', 'Deployment'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
    ['v1', 'Namespace'],
  ].map(([apiVersion = '', kind = '']) => ({ apiVersion, kind }));
  expect(inInstallOrder(kinds).map(({ kind }) => kind)).toEqual([
    'Namespace',
    'CustomResourceDefinition',
    'Secret',
    'GrafanaAgent',
    'Deployment',
  ]);
});

test('two that apply one object at once both have their way', async () => {
  const plane = await createTestPlane();
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', namespace: 'default' },
    data: { a: '1' },
  };
  const apply = (): Promise<string> =>
    applyObject(plane.client, object as New<KubeObject>, { type: configmaps, signal: plane.signal });
  expect((await Promise.all([apply(), apply(), apply()])).sort()).toEqual(['created', 'unchanged', 'unchanged']);
  await plane.close();
});

describe('what was applied before on the client’s side', () => {
  const config = (data: object): New<KubeObject> =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' }, data }) as New<KubeObject>;

  test.each<[string, string | undefined, (client: Client, signal: AbortSignal) => Promise<unknown>]>([
    ['by us', 'signalbox', async () => undefined],
    ['by kubectl', 'kubectl-client-side-apply', async () => undefined],
    [
      'before owners were noted',
      undefined,
      (client, signal) =>
        client.patch(configmaps, {
          ...{ namespace: 'default', name: 'x', patchType: 'merge', signal },
          body: { metadata: { managedFields: [{}] } },
        }),
    ],
  ])('%s is taken over: what is left out goes, what others added stays', async (_who, fieldManager, then) => {
    const plane = await createTestPlane();
    const { client, signal } = plane;
    await client.create(configmaps, withLastApplied(config({ a: '1', b: '1' })) as New<ConfigMap>, {
      signal,
      ...(fieldManager !== undefined && { fieldManager }),
    });
    await then(client, signal);
    const place = { namespace: 'default', name: 'x', patchType: 'merge', signal } as const;
    await client.patch(configmaps, { ...place, body: { data: { other: '1' } }, fieldManager: 'editor' });
    const apply = (data: object): Promise<string> => applyObject(client, config(data), { type: configmaps, signal });
    expect(await apply({ a: '2' })).toBe('configured');
    const { data, metadata } = await client.get(configmaps, { namespace: 'default', name: 'x', signal });
    expect(data).toEqual({ a: '2', other: '1' });
    expect(metadata.annotations).toBeUndefined();
    expect(await apply({ a: '2' })).toBe('unchanged');
    expect(await apply({})).toBe('configured');
    expect((await client.get(configmaps, { namespace: 'default', name: 'x', signal })).data).toEqual({ other: '1' });
    await plane.close();
  });
});
