import { expect, test } from 'vitest';
import type { PersistentVolume } from '../api/generated/core-v1.ts';
import { root } from '../api/issue.ts';
import { type Body, created, createIssues, made } from '../testing/resources/judge.ts';
import { customresourcedefinitionDefinition } from './apiextensions/customresourcedefinition.ts';
import { endpointsDefinition } from './core/endpoints.ts';
import { persistentvolumeDefinition } from './core/persistentvolume.ts';
import { endpointsliceDefinition } from './discovery/endpointslice.ts';
import { ingressDefinition } from './networking/ingress.ts';
import { poddisruptionbudgetDefinition } from './policy/poddisruptionbudget.ts';
import { bindingColumns } from './rbac/rules.ts';
import { resourcesliceDefinition } from './resource/resourceslice.ts';
import type { ResourceDefinition } from './resource.ts';
import { storageclassDefinition } from './storage/storageclass.ts';
import { volumeattachmentDefinition } from './storage/volumeattachment.ts';

const pathOf = (issue: string): string => issue.split(':')[0] ?? '';

test('the backend of an Ingress names a group that can be one', () => {
  const of = (apiGroup: string) => ({ spec: { defaultBackend: { resource: { apiGroup, kind: 'A', name: 'a' } } } });
  expect(createIssues(ingressDefinition, of('example.com'))).toEqual([]);
  expect(createIssues(ingressDefinition, of('Never')).map(pathOf)).toEqual(['spec.defaultBackend.resource.apiGroup']);
});

test('a volume of a class of attributes is of a driver', () => {
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } };
  const issues = createIssues(persistentvolumeDefinition, { spec: { ...spec, volumeAttributesClassName: '../a' } });
  expect(issues.map(pathOf)).toEqual(['spec.volumeAttributesClassName', 'spec.csi']);
  expect(createIssues(persistentvolumeDefinition, { spec })).toEqual([]);
});

test('a condition of a budget holds, does not, or is unknown', () => {
  const of = (status: string): readonly string[] => {
    const condition = { type: 'A', status, reason: 'B', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const budget = made(poddisruptionbudgetDefinition, { spec: {}, status: { conditions: [condition] } });
    const issues = poddisruptionbudgetDefinition.validateStatusUpdate?.(budget, budget, root) ?? [];
    return [...issues].map(({ field }) => field);
  };
  expect([of('True'), of('a')]).toEqual([[], ['status.conditions[0].status']]);
});

test('users of a binding have no namespace', () => {
  const subjects = ['User', 'ServiceAccount'].map((kind) => ({ kind, name: 'a', namespace: 'b' }));
  const roleRef = { apiGroup: 'a', kind: 'Role', name: 'r' };
  const binding = { apiVersion: 'a/v1', kind: 'B', metadata: made(ingressDefinition, {}).metadata, roleRef, subjects };
  expect(bindingColumns<typeof binding>().map(({ of }) => of(binding, 0))).toEqual(['Role/r', 'a', '', 'b/a']);
});

test('the attacher is the second name in the head of a table', () => {
  expect(volumeattachmentDefinition.columns.find(({ name }) => name === 'Attacher')?.format).toBe('name');
});

const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const hostPath = { path: '/a' };
const slice = {
  ...{ driver: 'example.com', devices: [{ name: 'a' }] },
  pool: { name: 'a', generation: 1, resourceSliceCount: 1 },
};
const named = (name: string): Body => ({
  metadata: { generateName: 'a-', name },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'as', kind: 'A' }, versions: [] },
});

test.each<[string, ResourceDefinition, Body, readonly string[]]>([
  [
    'a local volume has a place',
    persistentvolumeDefinition,
    { spec: { ...volume, local: { path: '/a' } } },
    ['spec.nodeAffinity'],
  ],
  [
    'a place of a volume is said',
    persistentvolumeDefinition,
    { spec: { ...volume, local: { path: '/a' }, nodeAffinity: {} } },
    ['spec.nodeAffinity.required'],
  ],
  [
    'the secret of a source that does not count is not looked at',
    persistentvolumeDefinition,
    { spec: { ...volume, hostPath, storageos: { volumeName: 'a', secretRef: { name: 'a' } } } },
    ['spec.storageos'],
  ],
  [
    'a class of attributes has a name',
    persistentvolumeDefinition,
    { spec: { ...volume, hostPath, volumeAttributesClassName: '' } },
    ['spec.volumeAttributesClassName', 'spec.csi'],
  ],
  [
    'a policy of nothing is none',
    persistentvolumeDefinition,
    { spec: { ...volume, hostPath, persistentVolumeReclaimPolicy: '' } },
    [],
  ],
  [
    'a class of storage may say nothing of its end',
    storageclassDefinition,
    { provisioner: 'a', reclaimPolicy: '' },
    [],
  ],
  [
    'what a port speaks has a name',
    endpointsDefinition,
    { subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80, appProtocol: '/a' }] }] },
    ['subsets[0].ports[0].appProtocol'],
  ],
  [
    'one term says where devices are',
    resourcesliceDefinition,
    { spec: { ...slice, nodeSelector: {} } },
    ['spec.nodeSelector.nodeSelectorTerms', 'spec.nodeSelector.nodeSelectorTerms'],
  ],
  [
    'a definition is called by its names, also before it has one',
    customresourcedefinitionDefinition,
    named('as.example.com'),
    ['metadata.generateName'],
  ],
] as const)('%s', (_, definition, body, paths) => {
  const issues = createIssues(definition as ResourceDefinition, body).map(pathOf);
  expect(issues.filter((path) => !path.startsWith('spec.versions') && !path.startsWith('status'))).toEqual(paths);
});

test('names that were accepted have the form of names', () => {
  const definition = made(customresourcedefinitionDefinition, {
    ...named('as.example.com'),
    status: { acceptedNames: { plural: 'A!', kind: 'A' }, storedVersions: ['v1'] },
  });
  const issues = customresourcedefinitionDefinition.validateStatusUpdate?.(definition, definition, root) ?? [];
  expect([...issues].map(({ field }) => field)).toContain('status.acceptedNames.plural');
});

test('since when a volume is what it is counts for as long as it is so', () => {
  const since = '2026-01-01T00:00:00Z';
  const of = (status: object): PersistentVolume => made(persistentvolumeDefinition, { spec: volume, status });
  const current = of({ phase: 'Bound', lastPhaseTransitionTime: since });
  const after = (phase: string): unknown =>
    persistentvolumeDefinition.defaultsByStatus?.(of({ phase }), current).status?.lastPhaseTransitionTime;
  expect([after('Bound'), after('Failed')]).toEqual([since, undefined]);
});

test('an endpoint says in no words of older versions where it is', () => {
  const slice = created(endpointsliceDefinition, {
    ...{ addressType: 'IPv4', ports: [] },
    endpoints: [{ addresses: ['10.1.2.3'], deprecatedTopology: { a: 'b' } }],
  });
  expect(slice.endpoints.map((endpoint) => Object.keys(endpoint).sort())).toEqual([['addresses', 'conditions']]);
});
