import type {
  AuditAnnotation,
  MatchResources,
  ValidatingAdmissionPolicy,
  Validation,
  Variable,
} from '../../api/generated/admissionregistration-v1.ts';
import { validatingadmissionpolicies } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { validateSelector } from '../../api/selector/selector.ts';
import { column, integerColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { oneOf } from '../validation/fields.ts';
import { qualifiedName } from '../validation/names.ts';
import { matchConditionIssues } from './match-conditions.ts';
import { defaultRule, ruleIssues } from './rules.ts';

export const validatingadmissionpolicyDefinition: ResourceDefinition<ValidatingAdmissionPolicy> = defineResource(
  validatingadmissionpolicies,
  {
    schema: 'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy',
    categories: ['api-extensions'],
    hasStatus: true,
    traits: { counted: true, updatesUnconditionally: false },
    columns: [
      integerColumn('Validations', ({ spec }) => spec?.validations?.length ?? 0),
      column('ParamKind', ({ spec }) => {
        const { apiVersion, kind } = spec?.paramKind ?? {};
        return kind === undefined ? '<unset>' : `${apiVersion}/${kind}`;
      }),
    ],
    defaults(policy) {
      if (policy.spec === undefined) return policy;
      const { matchConstraints, failurePolicy = 'Fail' } = policy.spec;
      return {
        ...policy,
        spec: {
          ...policy.spec,
          failurePolicy,
          ...(matchConstraints !== undefined && { matchConstraints: defaultMatchResources(matchConstraints) }),
        },
      };
    },
    *validate(policy, root) {
      const at = root('spec');
      const given: Partial<ValidatingAdmissionPolicy> = policy;
      const { spec = {} } = given;
      const { matchConstraints, validations = [], auditAnnotations = [], paramKind } = spec;
      yield* oneOf(spec.failurePolicy, ['Fail', 'Ignore'], at('failurePolicy'));
      if (paramKind !== undefined && (paramKind.apiVersion ?? '') === '')
        yield at('paramKind', 'apiVersion').required();
      if (paramKind !== undefined && (paramKind.kind ?? '') === '') yield at('paramKind', 'kind').required();
      if (matchConstraints === undefined) yield at('matchConstraints').required();
      else {
        if ((matchConstraints.resourceRules ?? []).length === 0)
          yield at('matchConstraints', 'resourceRules').required();
        yield* matchResourcesIssues(matchConstraints, at('matchConstraints'));
      }
      yield* matchConditionIssues(spec.matchConditions ?? [], at('matchConditions'));
      yield* variableIssues(spec.variables ?? [], at('variables'));
      if (validations.length === 0 && auditAnnotations.length === 0) {
        yield at('validations').required('validations or auditAnnotations must contain at least one item');
        yield at('auditAnnotations').required('validations or auditAnnotations must contain at least one item');
      }
      for (const [index, validation] of validations.entries())
        yield* validationIssues(validation, at('validations', index));
      yield* annotationIssues(auditAnnotations, at('auditAnnotations'));
    },
  },
);

export function defaultMatchResources(resources: MatchResources): MatchResources {
  const { resourceRules, excludeResourceRules } = resources;
  return {
    ...resources,
    matchPolicy: resources.matchPolicy ?? 'Equivalent',
    namespaceSelector: resources.namespaceSelector ?? {},
    objectSelector: resources.objectSelector ?? {},
    ...(resourceRules !== undefined && { resourceRules: resourceRules.map(defaultRule) }),
    ...(excludeResourceRules !== undefined && { excludeResourceRules: excludeResourceRules.map(defaultRule) }),
  };
}

export function* matchResourcesIssues(resources: MatchResources, at: FieldPath): Iterable<Issue> {
  yield* oneOf(resources.matchPolicy, ['Equivalent', 'Exact'], at('matchPolicy'));
  yield* validateSelector(resources.namespaceSelector, at('namespaceSelector'));
  yield* validateSelector(resources.objectSelector, at('objectSelector'));
  for (const name of ['resourceRules', 'excludeResourceRules'] as const)
    for (const [index, rule] of (resources[name] ?? []).entries()) yield* ruleIssues(rule, at(name, index));
}

function* variableIssues(variables: readonly Variable[], at: FieldPath): Iterable<Issue> {
  for (const [index, { name = '', expression = '' }] of variables.entries()) {
    if (name === '') yield at(index, 'name').required('name is not specified');
    else if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      yield at(index, 'name').invalid(name, 'name is not a valid CEL identifier');
    if (name !== '' && variables.findIndex((other) => other.name === name) < index)
      yield at(index, 'name').duplicate(name);
    if (expression.trim() === '') yield at(index, 'expression').required('expression is not specified');
  }
}

const reasons: readonly string[] = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'];

function* validationIssues(
  { expression = '', message = '', messageExpression = '', reason }: Partial<Validation>,
  at: FieldPath,
): Iterable<Issue> {
  if (expression.trim() === '') yield at('expression').required('expression is not specified');
  if (messageExpression !== '' && messageExpression.trim() === '')
    yield at('messageExpression').invalid(messageExpression, 'must be non-empty if specified');
  if (message !== '' && message.trim() === '')
    yield at('message').invalid(message, 'message must be non-empty if specified');
  else if (message.trim().includes('\n')) yield at('message').invalid(message, 'message must not contain line breaks');
  else if (expression.trim().includes('\n') && message.trim() === '')
    yield at('message').required('message must be specified if expression contains line breaks');
  yield* oneOf(reason, reasons, at('reason'));
}

function* annotationIssues(annotations: readonly AuditAnnotation[], at: FieldPath): Iterable<Issue> {
  if (annotations.length > 20) yield at.tooMany(annotations.length, 20);
  for (const [index, { key = '', valueExpression = '' }] of annotations.entries()) {
    yield* qualifiedName(key, at(index, 'key'));
    if (valueExpression.trim() === '') yield at(index, 'valueExpression').required();
    if (annotations.findIndex((other) => other.key === key) < index) yield at(index, 'key').duplicate(key);
  }
}
