import { describe, expect, test } from 'vitest';
import { created, createIssues, row, updateIssues } from '../../testing/resources/judge.ts';
import { clusterroleDefinition } from './clusterrole.ts';
import { clusterrolebindingDefinition } from './clusterrolebinding.ts';
import { roleDefinition } from './role.ts';
import { rolebindingDefinition } from './rolebinding.ts';

const read = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const metrics = { nonResourceURLs: ['/metrics'], verbs: ['get'] };

describe('roles', () => {
  test.each([
    [read, []],
    [{ ...read, verbs: [] }, ['rules[0].verbs: Required value: verbs must contain at least one value']],
    [
      { verbs: ['get'] },
      [
        'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
        'rules[0].resources: Required value: resource rules must supply at least one resource',
      ],
    ],
    [
      metrics,
      ['rules[0].nonResourceURLs: Invalid value: ["/metrics"]: namespaced rules cannot apply to non-resource URLs'],
    ],
  ])('in a namespace: %j', (rule, expected) =>
    expect(createIssues(roleDefinition, { rules: [rule] })).toEqual(expected),
  );

  test('of the cluster may name paths, but not together with resources', () => {
    expect(createIssues(clusterroleDefinition, { rules: [metrics] })).toEqual([]);
    expect(createIssues(clusterroleDefinition, { rules: [{ ...metrics, ...read }] })).toEqual([
      'rules[0].nonResourceURLs: Invalid value: ["/metrics"]: rules cannot apply to both regular resources and non-resource URLs',
    ]);
  });

  test('of the cluster may gather others by label', () => {
    const issues = createIssues(clusterroleDefinition, { aggregationRule: {} });
    expect(issues).toEqual([
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ]);
  });

  test('names may hold colons', () => {
    expect(createIssues(clusterroleDefinition, { metadata: { name: 'system:node' } })).toEqual([]);
    expect(createIssues(clusterroleDefinition, { metadata: { name: 'a/b' } })).toHaveLength(1);
  });

  test('the table tells when they were made', () => {
    expect(row(roleDefinition, {})).toEqual({ Name: 'web', 'Created At': '2026-01-01T00:00:00Z' });
  });
});

describe('bindings', () => {
  const roleRef = { kind: 'ClusterRole', name: 'view' };
  const account = { kind: 'ServiceAccount', name: 'bot', namespace: 'ops' };

  test('groups are filled in', () => {
    const subjects = [{ kind: 'User', name: 'ann' }, { kind: 'Group', name: 'dev' }, account];
    const binding = created(rolebindingDefinition, { roleRef, subjects });
    expect(binding.roleRef.apiGroup).toBe('rbac.authorization.k8s.io');
    expect(binding.subjects?.map(({ apiGroup }) => apiGroup)).toEqual([
      'rbac.authorization.k8s.io',
      'rbac.authorization.k8s.io',
      undefined,
    ]);
    expect(rolebindingDefinition.defaults?.(binding)).toBe(binding);
  });

  test.each([
    [{ roleRef, subjects: [account] }, []],
    [{ roleRef: { ...roleRef, name: '' } }, ['roleRef.name: Required value']],
    [
      { roleRef: { ...roleRef, kind: 'User' } },
      ['roleRef.kind: Unsupported value: "User": supported values: "Role", "ClusterRole"'],
    ],
    [{ roleRef, subjects: [{ kind: 'ServiceAccount', name: 'bot' }] }, []],
    [
      { roleRef, subjects: [{ kind: 'Robot', name: 'r' }] },
      ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
    ],
    [{ roleRef, subjects: [{ kind: 'User', name: '' }] }, ['subjects[0].name: Required value']],
  ])('%j', (body, expected) => expect(createIssues(rolebindingDefinition, body)).toEqual(expected));

  test('of the cluster grant cluster roles alone', () => {
    const issues = createIssues(clusterrolebindingDefinition, { roleRef: { kind: 'Role', name: 'r' } });
    expect(issues).toEqual(['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"']);
    const nowhere = { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'bot' }] };
    expect(createIssues(clusterrolebindingDefinition, nowhere)).toEqual(['subjects[0].namespace: Required value']);
  });

  test('what is granted stays', () => {
    const after = { roleRef: { ...roleRef, name: 'edit' } };
    expect(updateIssues(rolebindingDefinition, { before: { roleRef }, after })).toEqual([
      'roleRef: Invalid value: {"kind":"ClusterRole","name":"edit","apiGroup":"rbac.authorization.k8s.io"}: cannot change roleRef',
    ]);
    expect(
      updateIssues(rolebindingDefinition, { before: { roleRef }, after: { roleRef, subjects: [account] } }),
    ).toEqual([]);
  });

  test('columns tell who got what', () => {
    const subjects = [account, { kind: 'User', name: 'ann' }, { kind: 'User', name: 'bob' }];
    expect(row(rolebindingDefinition, { roleRef, subjects })).toEqual({
      Role: 'ClusterRole/view',
      Users: 'ann, bob',
      Groups: '',
      ServiceAccounts: 'ops/bot',
    });
  });
});
