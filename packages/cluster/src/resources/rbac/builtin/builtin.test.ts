import { describe, expect, test } from 'vitest';
import type { ClusterRole, ClusterRoleBinding } from '../../../api/generated/rbac-v1.ts';
import { serviceAccount } from '../../../api/identities.ts';
import { createIssues } from '../../../testing/resources/judge.ts';
import { clusterroleDefinition } from '../clusterrole.ts';
import { clusterrolebindingDefinition } from '../clusterrolebinding.ts';
import { autoUpdate, builtinPolicy } from './builtin.ts';
import { reconciledBinding, reconciledRole } from './reconcile.ts';

const { roles, bindings } = builtinPolicy();
const role = (name: string): ClusterRole => roles.find(({ metadata }) => metadata.name === name) as ClusterRole;
const binding = (name: string): ClusterRoleBinding =>
  bindings.find(({ metadata }) => metadata.name === name) as ClusterRoleBinding;

describe('the built-in roles', () => {
  // They are written without being judged.
  test.each(roles.map((each) => [each.metadata.name, each] as const))('%s is valid', (_, each) => {
    expect(createIssues(clusterroleDefinition, { ...each })).toEqual([]);
  });
  test.each(bindings.map((each) => [each.metadata.name, each] as const))('the binding %s is valid', (_, each) => {
    expect(createIssues(clusterrolebindingDefinition, { ...each })).toEqual([]);
    expect(role(each.roleRef.name)).toBeDefined();
  });

  test('are each there once', () => {
    const names = roles.map(({ metadata }) => metadata.name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('are those that people and manifests name', () => {
    const people = ['cluster-admin', 'admin', 'edit', 'view', 'system:basic-user', 'system:discovery'];
    const others = ['system:public-info-viewer', 'system:monitoring', 'system:auth-delegator', 'system:node'];
    const parts = [
      'system:kube-scheduler',
      'system:kube-controller-manager',
      'system:controller:replicaset-controller',
    ];
    for (const name of [...people, ...others, ...parts]) expect(role(name)?.metadata.labels).toBeDefined();
  });

  test('whoever edits may view, whoever administers may edit', () => {
    const may = (resource: string, verb: string, group?: string) =>
      ['view', 'edit', 'admin'].filter((name) =>
        (role(name).rules ?? []).some(
          ({ apiGroups, resources, verbs }) =>
            resources?.includes(resource) &&
            verbs.includes(verb) &&
            (group === undefined ? !apiGroups?.includes('metrics.k8s.io') : apiGroups?.includes(group)),
        ),
      );
    expect(may('pods', 'get')).toEqual(['view', 'edit', 'admin']);
    expect(may('pods', 'delete')).toEqual(['edit', 'admin']);
    // Whoever reads secrets acts for their service accounts.
    expect(may('secrets', 'get')).toEqual(['edit', 'admin']);
    expect(may('rolebindings', 'create')).toEqual(['admin']);
    expect(may('nodes', 'get')).toEqual([]);
    expect(may('nodes', 'list', 'metrics.k8s.io')).toEqual(['view', 'edit', 'admin']);
  });

  test('strangers are given no more than health and version', () => {
    const strangers = bindings.filter(({ subjects }) =>
      subjects?.some(({ name }) => name === 'system:unauthenticated'),
    );
    expect(strangers.map(({ metadata }) => metadata.name)).toEqual(['system:public-info-viewer']);
  });

  test('parts that somebody brings along have theirs', () => {
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    const more = builtinPolicy([{ user: serviceAccount('ops', 'robot'), role: 'ops:robot', rules }]);
    expect(more.roles.find(({ metadata }) => metadata.name === 'ops:robot')?.rules).toEqual(rules);
    expect(more.bindings.find(({ metadata }) => metadata.name === 'ops:robot')?.subjects).toEqual([
      { kind: 'ServiceAccount', namespace: 'ops', name: 'robot' },
    ]);
    expect(more.roles).toHaveLength(roles.length + 1);
  });
});

describe('at a start', () => {
  const discovery = role('system:discovery');
  const kept = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

  test('what is as it should be stays the same object', () => {
    for (const each of roles) expect(reconciledRole(each, each)).toBe(each);
    for (const each of bindings) expect(reconciledBinding(each, each)).toBe(each);
  });
  test('missing rules come back, others stay', () => {
    const next = reconciledRole({ ...discovery, rules: [kept] }, discovery);
    expect(next.rules?.[0]).toBe(kept);
    expect(next.rules?.flatMap(({ nonResourceURLs = [] }) => nonResourceURLs)).toContain('/apis/*');
  });
  test('labels that others select by come back', () => {
    const edit = role('edit');
    const next = reconciledRole({ ...edit, metadata: { ...edit.metadata, labels: { own: 'x' } } }, edit);
    expect(next.metadata.labels).toEqual({ own: 'x', ...edit.metadata.labels });
  });
  test('the rules of a role that gathers others are left to who gathers them', () => {
    const view = role('view');
    const stored = { ...view, rules: [kept] };
    expect(reconciledRole(stored, view)).toBe(stored);
  });
  test('whoever wants theirs left alone says so', () => {
    const annotations = { [autoUpdate]: 'false' };
    const stored = { ...discovery, rules: [], metadata: { ...discovery.metadata, annotations } };
    expect(reconciledRole(stored, discovery)).toBe(stored);
  });
  test('missing subjects come back, others stay', () => {
    const expected = binding('system:basic-user');
    const jane = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' };
    const next = reconciledBinding({ ...expected, subjects: [jane] }, expected);
    expect(next?.subjects?.map(({ name }) => name)).toEqual(['jane', 'system:authenticated']);
  });
  test('a binding to another role has to be made anew', () => {
    const expected = binding('system:basic-user');
    const stored = { ...expected, roleRef: { ...expected.roleRef, name: 'cluster-admin' } };
    expect(reconciledBinding(stored, expected)).toBeUndefined();
  });
});
