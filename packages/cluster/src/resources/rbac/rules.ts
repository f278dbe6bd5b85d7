/** What roles and their bindings must hold, whether of one namespace or of the whole cluster. */
import type { PolicyRule, RoleRef, Subject } from '../../api/generated/rbac-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import { column } from '../columns.ts';
import type { Column } from '../resource.ts';
import { dnsSubdomain, pathSegmentName } from '../validation/names.ts';

export const rbacGroup = 'rbac.authorization.k8s.io';

export function* ruleIssues(
  rule: PolicyRule,
  at: FieldPath,
  { namespaced }: { readonly namespaced: boolean },
): Iterable<Issue> {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if ((rule.verbs ?? []).length === 0) yield at('verbs').required('verbs must contain at least one value');
  if (nonResourceURLs.length > 0) {
    if (namespaced)
      yield at('nonResourceURLs').invalid(nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs');
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0)
      yield at('nonResourceURLs').invalid(
        nonResourceURLs,
        'rules cannot apply to both regular resources and non-resource URLs',
      );
    return;
  }
  if (apiGroups.length === 0) yield at('apiGroups').required('resource rules must supply at least one api group');
  if (resources.length === 0) yield at('resources').required('resource rules must supply at least one resource');
}

interface Bound extends KubeObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

export function defaultBinding<T extends Bound>(binding: T): T {
  const { roleRef, subjects } = binding;
  const refDefaulted = (roleRef?.apiGroup ?? '') !== '';
  const subjectsDefaulted = subjects?.every((subject) => subject === defaultSubject(subject)) ?? true;
  if (refDefaulted && subjectsDefaulted) return binding;
  return {
    ...binding,
    roleRef: refDefaulted ? roleRef : { ...roleRef, apiGroup: rbacGroup },
    ...(subjects !== undefined && { subjects: subjects.map(defaultSubject) }),
  };
}

function defaultSubject(subject: Subject): Subject {
  if ((subject.apiGroup ?? '') !== '' || (subject.kind !== 'User' && subject.kind !== 'Group')) return subject;
  return { ...subject, apiGroup: rbacGroup };
}

export function* bindingIssues(
  { roleRef, subjects = [] }: Bound,
  at: FieldPath,
  { roleKinds, isNamespaced }: { readonly roleKinds: readonly string[]; readonly isNamespaced: boolean },
): Iterable<Issue> {
  const refAt = at('roleRef');
  if (roleRef.apiGroup !== rbacGroup) yield refAt('apiGroup').notSupported(roleRef.apiGroup, [rbacGroup]);
  if (!roleKinds.includes(roleRef.kind)) yield refAt('kind').notSupported(roleRef.kind, roleKinds);
  if ((roleRef.name ?? '') === '') yield refAt('name').required();
  else yield* pathSegmentName(roleRef.name, refAt('name'));
  for (const [index, subject] of subjects.entries())
    yield* subjectIssues(subject, at('subjects', index), { isNamespaced });
}

function* subjectIssues(
  subject: Subject,
  at: FieldPath,
  { isNamespaced }: { readonly isNamespaced: boolean },
): Iterable<Issue> {
  const { kind, namespace = '', apiGroup = '' } = subject;
  const name = subject.name ?? '';
  if (name === '') yield at('name').required();
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') yield* dnsSubdomain(name, at('name'));
      if (apiGroup !== '') yield at('apiGroup').notSupported(apiGroup, ['']);
      // Of a binding in a namespace it is that one.
      if (namespace === '' && !isNamespaced) yield at('namespace').required();
      return;
    case 'User':
    case 'Group':
      if (apiGroup !== rbacGroup) yield at('apiGroup').notSupported(apiGroup, [rbacGroup]);
      return;
    default:
      yield at('kind').notSupported(kind, ['ServiceAccount', 'User', 'Group']);
  }
}

/** To whom a binding grants may change; what it grants may not. */
export function* bindingUpdateIssues(next: Bound, current: Bound, at: FieldPath): Iterable<Issue> {
  if (!equal(next.roleRef, current.roleRef)) yield at('roleRef').invalid(next.roleRef, 'cannot change roleRef');
}

export function bindingColumns<T extends Bound>(): readonly Column<T>[] {
  const named = (subjects: readonly Subject[] | undefined, kind: string): string =>
    (subjects ?? [])
      .filter((subject) => subject.kind === kind)
      .map(({ name, namespace }) =>
        namespace === undefined || kind === 'User' || kind === 'Group' ? name : `${namespace}/${name}`,
      )
      .join(', ');
  return [
    column('Role', ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
    column('Users', ({ subjects }) => named(subjects, 'User'), { wide: true }),
    column('Groups', ({ subjects }) => named(subjects, 'Group'), { wide: true }),
    column('ServiceAccounts', ({ subjects }) => named(subjects, 'ServiceAccount'), { wide: true }),
  ];
}
