/** Objects without what their kind needs most: refused with the fields that are missing, or taken and lived with. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject, New } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import { createTestCluster, type TestCluster } from '../testing/test-cluster.ts';

const { signal } = new AbortController();
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await createTestCluster({ nodes: 1 });
});
afterAll(() => cluster.close());

/** The fields that a create is refused for; empty when it is taken. */
async function missing(apiVersion: string, kind: string, content: object): Promise<readonly string[]> {
  const type = cluster.typeOf({ apiVersion, kind }) as ResourceType;
  const metadata = { name: 'hole', ...(type.namespaced && { namespace: 'default' }) };
  const object = { apiVersion, kind, metadata, ...content } as New<KubeObject>;
  try {
    await cluster.during(cluster.client.create(type, object, { signal }));
    return [];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, details } = error.status;
    return [String(code), ...(details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)];
  }
}

const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const noNames = [
  '422',
  'spec.group: Required value',
  'spec.scope: Required value',
  'spec.versions: Invalid value: []: must have exactly one version marked as storage version',
  'spec.names.plural: Required value',
  'spec.names.singular: Required value',
  'spec.names.kind: Required value',
  'spec.names.listKind: Required value',
  'status.storedVersions: Invalid value: null: must have at least one stored version',
  'metadata.name: Invalid value: "hole": must be spec.names.plural+"."+spec.group',
];
const noTarget = [
  '422',
  'spec.maxReplicas: Invalid value: 0: must be greater than 0',
  'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
  'spec.scaleTargetRef.kind: Required value',
  'spec.scaleTargetRef.name: Required value',
  'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
];

test.each<[string, string, object, readonly string[]]>([
  ['v1', 'PersistentVolume', { spec: { ...volume, hostPath: {} } }, ['422', 'spec.hostPath.path: Required value']],
  [
    'v1',
    'PersistentVolume',
    { spec: { ...volume, hostPath: null } },
    ['422', 'spec: Required value: must specify a volume type'],
  ],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', {}, noTarget],
  ['autoscaling/v1', 'HorizontalPodAutoscaler', { spec: null }, noTarget],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', {}, noNames],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', { spec: {} }, noNames],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', { spec: { names: {} } }, noNames],
  [
    'apps/v1',
    'Deployment',
    {},
    [
      '422',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
      'spec.template.spec.containers: Required value',
    ],
  ],
  [
    'v1',
    'Pod',
    { spec: { containers: [null] } },
    ['422', 'spec.containers[0].name: Required value', 'spec.containers[0].image: Required value'],
  ],
  ['policy/v1', 'PodDisruptionBudget', {}, []],
  ['coordination.k8s.io/v1', 'Lease', {}, []],
  ['v1', 'ResourceQuota', {}, []],
])('%s %s %o', async (apiVersion, kind, content, expected) => {
  expect(await missing(apiVersion, kind, content)).toEqual(expected);
});

test('a definition does not lose its spec', async () => {
  const type = cluster.typeOf({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
  }) as ResourceType;
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
  const spec = { group: 'example.com', scope: 'Namespaced', names: { plural: 'holes', kind: 'Hole' }, versions };
  const name = 'holes.example.com';
  const object = { apiVersion: 'apiextensions.k8s.io/v1', kind: type.kind, metadata: { name }, spec };
  await cluster.during(cluster.client.create(type, object as New<KubeObject>, { signal }));
  const without = cluster.client.patch(type, { name, patchType: 'merge', body: { spec: null }, signal });
  await expect(cluster.during(without)).rejects.toMatchObject({ status: { code: 422 } });
});

test('and no controller minds what was taken', async () => {
  await cluster.advance(60_000);
  expect(cluster.problems).toEqual([]);
});
