import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
} from '../../api/generated/flowcontrol-v1.ts';
import { flowschemas } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { dnsLabelProblems } from '../../api/names.ts';
import { equal } from '../../base/equal.ts';
import { ageColumn, column, countColumn, nameColumn } from '../columns.ts';
import { amendPart, fillZero } from '../core/pod/fill.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { dnsSubdomain, isDnsLabel } from '../validation/names.ts';
import { mandatorySpec } from './builtin.ts';
import { conditionTypes } from './conditions.ts';
import { subjectIssues } from './subject.ts';

const precedenceMax = 10_000;
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const exempt = 'exempt';

export const flowschemaDefinition: ResourceDefinition<FlowSchema> = defineResource(flowschemas, {
  schema: 'io.k8s.api.flowcontrol.v1.FlowSchema',
  traits: { counted: true },
  hasStatus: true,
  statusKeeps: 'metadata',
  columnsComplete: true,
  columns: [
    nameColumn(),
    column('PriorityLevel', ({ spec }) => spec?.priorityLevelConfiguration?.name ?? ''),
    countColumn('MatchingPrecedence', ({ spec }) => spec?.matchingPrecedence ?? 0),
    column('DistinguisherMethod', ({ spec }) => spec?.distinguisherMethod?.type ?? '<none>'),
    ageColumn(),
    column('MissingPL', ({ status }) => status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?'),
  ],
  defaults: (schema) =>
    amendPart(schema, 'spec', (spec) => fillZero<FlowSchemaSpec>(spec, { matchingPrecedence: 1_000 })),
  prepareForCreate: ({ status: _none, ...schema }) => schema as FlowSchema,
  *validate({ metadata, spec, status }, at) {
    yield* specIssues(spec, at('spec'), metadata.name);
    const fixed = mandatorySpec({ kind: flowschemas.kind, name: metadata.name });
    if (fixed !== undefined && !equal(spec, fixed))
      yield at('spec').invalid(spec, `spec of '${metadata.name}' must equal the fixed value`);
    yield* conditionTypes(status, at('status'));
  },
  *validateStatusUpdate({ status }, _current, at) {
    yield* conditionTypes(status, at('status'));
  },
});

function* specIssues(spec: FlowSchemaSpec, at: FieldPath, name: string): Iterable<Issue> {
  const { matchingPrecedence: precedence = 0, distinguisherMethod: method, rules = [] } = spec;
  const place = at('matchingPrecedence');
  if (precedence <= 0) yield place.invalid(precedence, 'must be a positive value');
  if (precedence > precedenceMax) yield place.invalid(precedence, `must not be greater than ${precedenceMax}`);
  if (precedence === 1 && name !== exempt)
    yield place.invalid(precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  if (method !== undefined && method.type !== 'ByNamespace' && method.type !== 'ByUser')
    yield at('distinguisherMethod', 'type').notSupported(method, ['ByNamespace', 'ByUser']);
  const level = spec.priorityLevelConfiguration?.name ?? '';
  const levelAt = at('priorityLevelConfiguration', 'name');
  if (level === '') yield levelAt.required('must reference a priority level');
  else yield* dnsSubdomain(level, levelAt);
  for (const [index, rule] of rules.entries()) yield* ruleIssues(rule, at('rules', index));
}

function* ruleIssues(rule: PolicyRulesWithSubjects, at: FieldPath): Iterable<Issue> {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  if (subjects.length === 0) yield at('subjects').required('subjects must contain at least one value');
  for (const [index, subject] of subjects.entries()) yield* subjectIssues(subject, at('subjects', index));
  if (resourceRules.length + nonResourceRules.length === 0)
    yield at.required('at least one of resourceRules and nonResourceRules has to be non-empty');
  for (const [index, each] of resourceRules.entries()) yield* resourceRuleIssues(each, at('resourceRules', index));
  for (const [index, each] of nonResourceRules.entries()) yield* pathRuleIssues(each, at('nonResourceRules', index));
}

interface Listing {
  readonly at: FieldPath;
  readonly required: string;
  /** What the others are called when the wildcard is not alone. */
  readonly others: string;
}

function* wildcardAlone(list: readonly string[], { at, required, others }: Listing): Iterable<Issue> {
  if (list.length === 0) yield at.required(required);
  else if (list.length > 1 && list.includes('*'))
    yield at.invalid(list, `if '*' is present, must not specify other ${others}`);
}

function* verbIssues(list: readonly string[], at: FieldPath): Iterable<Issue> {
  yield* wildcardAlone(list, { at, required: 'verbs must contain at least one value', others: 'verbs' });
  if (!list.includes('*') && list.some((verb) => !verbs.includes(verb))) yield at.notSupported(list, verbs);
}

function* resourceRuleIssues(rule: ResourcePolicyRule, at: FieldPath): Iterable<Issue> {
  const { namespaces = [], clusterScope } = rule;
  const [apiGroups, resources] = [rule.apiGroups ?? [], rule.resources ?? []];
  yield* verbIssues(rule.verbs ?? [], at('verbs'));
  yield* wildcardAlone(apiGroups, {
    ...{ at: at('apiGroups'), required: 'resource rules must supply at least one api group', others: 'api groups' },
  });
  yield* wildcardAlone(resources, {
    ...{ at: at('resources'), required: 'resource rules must supply at least one resource', others: 'resources' },
  });
  const place = at('namespaces');
  if (clusterScope !== true || namespaces.length > 0) {
    const required = 'resource rules that are not cluster scoped must supply at least one namespace';
    yield* wildcardAlone(namespaces, { at: place, required, others: 'namespaces' });
  }
  if (namespaces.includes('*')) return;
  for (const [index, name] of namespaces.entries())
    if (!isDnsLabel(name))
      for (const problem of dnsLabelProblems(name))
        yield place(index).invalid(name, `each member of this list must be '*' or a DNS-1123 label; ${problem}`);
}

function* pathRuleIssues(
  { verbs: list, nonResourceURLs: paths }: NonResourcePolicyRule,
  at: FieldPath,
): Iterable<Issue> {
  yield* verbIssues(list ?? [], at('verbs'));
  const place = at('nonResourceURLs');
  const required = 'nonResourceURLs must contain at least one value';
  yield* wildcardAlone(paths ?? [], { at: place, required, others: 'non-resource URLs' });
  if (paths?.includes('*') === true) return;
  for (const [index, path] of (paths ?? []).entries()) {
    const fault = pathFault(path);
    if (fault !== undefined) yield place(index).invalid(path, fault);
  }
}

function pathFault(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path === '/') return undefined;
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const wildcards = path.split('*').length - 1;
  const isSuffix = wildcards === 1 && path.endsWith('/*');
  return wildcards > 0 && !isSuffix ? 'wildcard can only do suffix matching' : undefined;
}
