import { expect, test } from 'vitest';
import { root } from '../api/issue.ts';
import { createIssues, made } from '../testing/resources/judge.ts';
import { persistentvolumeDefinition } from './core/persistentvolume.ts';
import { ingressDefinition } from './networking/ingress.ts';
import { poddisruptionbudgetDefinition } from './policy/poddisruptionbudget.ts';
import { bindingColumns } from './rbac/rules.ts';
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
    const budget = made(poddisruptionbudgetDefinition, { spec: {}, status: { conditions: [{ type: 'A', status }] } });
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
