import type { RuleWithOperations } from '../../api/generated/admissionregistration-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { oneOf } from '../validation/fields.ts';

const operations: readonly string[] = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes: readonly string[] = ['*', 'Cluster', 'Namespaced'];

export function defaultRule<T extends RuleWithOperations>(rule: T): T {
  return rule.scope === undefined ? { ...rule, scope: '*' } : rule;
}

export function* ruleIssues(rule: RuleWithOperations, at: FieldPath): Iterable<Issue> {
  yield* listIssues(rule.operations, at('operations'), { others: 'operations' });
  for (const [index, operation] of (rule.operations ?? []).entries())
    yield* oneOf(operation, operations, at('operations', index));
  yield* listIssues(rule.apiGroups, at('apiGroups'), { others: 'API groups' });
  yield* listIssues(rule.apiVersions, at('apiVersions'), { others: 'API versions' });
  for (const [index, version] of (rule.apiVersions ?? []).entries())
    if (version === '') yield at('apiVersions', index).required();
  yield* resourceIssues(rule.resources ?? [], at('resources'));
  yield* oneOf(rule.scope, scopes, at('scope'));
}

function* listIssues(
  list: readonly string[] = [],
  at: FieldPath,
  { others }: { readonly others: string },
): Iterable<Issue> {
  if (list.length === 0) yield at.required();
  if (list.length > 1 && list.includes('*'))
    yield at.invalid(list, `if '*' is present, must not specify other ${others}`);
}

function* resourceIssues(resources: readonly string[], at: FieldPath): Iterable<Issue> {
  if (resources.length === 0) yield at.required();
  const wholes = new Set<string>();
  const parts = new Set<string>();
  for (const [index, resource] of resources.entries()) {
    if (resource === '') yield at(index).required();
    const slash = resource.indexOf('/');
    if (slash < 0) continue;
    const [main, sub] = [resource.slice(0, slash), resource.slice(slash + 1)];
    if (wholes.has(main)) yield at(index).invalid(resource, `if '${main}/*' is present, must not specify ${resource}`);
    if (parts.has(sub)) yield at(index).invalid(resource, `if '*/${sub}' is present, must not specify ${resource}`);
    if (sub === '*') wholes.add(main);
    if (main === '*') parts.add(sub);
  }
  if (resources.length > 1 && resources.includes('*/*'))
    yield at.invalid(resources, "if '*/*' is present, must not specify other resources");
  // As upstream, the last one without a slash counts.
  const plain = resources.filter((resource) => resource !== '' && !resource.includes('/')).at(-1);
  if (resources.includes('*') && plain !== undefined && plain !== '*')
    yield at.invalid(resources, "if '*' is present, must not specify other resources without subresources");
}
