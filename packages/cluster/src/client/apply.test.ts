import { expect, test } from 'vitest';
import type { KubeObject, New } from '../api/meta.ts';
import { inInstallOrder, planApply } from './apply.ts';

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

test('namespaces and definitions are applied before what needs them', () => {
  const kinds = ['GrafanaAgent', 'Secret', 'Deployment', 'CustomResourceDefinition', 'Namespace'].map((kind) => ({
    kind,
  }));
  expect(inInstallOrder(kinds).map(({ kind }) => kind)).toEqual([
    'Namespace',
    'CustomResourceDefinition',
    'Secret',
    'GrafanaAgent',
    'Deployment',
  ]);
});
