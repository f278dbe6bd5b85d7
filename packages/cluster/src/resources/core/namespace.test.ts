import { expect, test } from 'vitest';
import { root } from '../../api/issue.ts';
import { freeze } from '../../base/freeze.ts';
import { created, createIssues, lines, made, updated } from '../../testing/resources/judge.ts';
import { namespaceDefinition } from './namespace.ts';

test('a new namespace is active, held by its finalizer and labelled with its name', () => {
  const namespace = created(namespaceDefinition, { metadata: { name: 'team-a', labels: { owner: 'x' } } });
  expect(namespace.metadata.labels).toEqual({ owner: 'x', 'kubernetes.io/metadata.name': 'team-a' });
  expect(namespace.spec).toEqual({ finalizers: ['kubernetes'] });
  expect(namespace.status).toEqual({ phase: 'Active' });
});

test('the name label cannot be given another value', () => {
  const body = { metadata: { name: 'team-a', labels: { 'kubernetes.io/metadata.name': 'other' } } };
  expect(created(namespaceDefinition, body).metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'team-a' });
});

test('defaults change nothing the second time', () => {
  const once = created(namespaceDefinition, { metadata: { name: 'a' } });
  expect(namespaceDefinition.defaults?.(once)).toBe(once);
});

test('a namespace is a label, not a subdomain', () => {
  expect(createIssues(namespaceDefinition, { metadata: { name: 'team.a' } })).toHaveLength(1);
});

test('an update leaves the finalizers alone, the finalize door takes them', () => {
  const current = created(namespaceDefinition, { metadata: { name: 'a' } });
  expect(updated(namespaceDefinition, current, { metadata: { name: 'a' }, spec: {} }).spec.finalizers).toEqual([
    'kubernetes',
  ]);
  const [finalize] = namespaceDefinition.subresources;
  expect(finalize?.write?.(current, made(namespaceDefinition, { spec: {} })).spec).toEqual({});
  const kept = { finalizers: ['example.com/mine'] };
  expect(finalize?.write?.(current, made(namespaceDefinition, { spec: kept })).spec).toEqual(kept);
});

test('the phase follows the deletion', () => {
  const active = created(namespaceDefinition, { metadata: { name: 'a' } });
  const dying = freeze({ ...active, metadata: { ...active.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  const issues = (namespace: typeof active): readonly string[] =>
    lines(namespaceDefinition.validateStatusUpdate?.(namespace, active, root) ?? []);
  expect(issues(active)).toEqual([]);
  expect(issues(dying)).toEqual([
    'status.Phase: Invalid value: "Active": may only be \'Terminating\' if `deletionTimestamp` is not empty',
  ]);
});
