import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  Validation,
} from '../../api/generated/admissionregistration-v1.ts';
import { validatingadmissionpolicies } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { column, integerColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { conditionIssues } from '../validation/conditions.ts';
import { oneOf } from '../validation/fields.ts';
import { qualifiedName } from '../validation/names.ts';
import { matchConditionIssues } from './match-conditions.ts';
import {
  defaultPolicySpec,
  matchResourcesIssues,
  paramKindIssues,
  shownParamKind,
  variableIssues,
} from './policy-parts.ts';

export const validatingadmissionpolicyDefinition: ResourceDefinition<ValidatingAdmissionPolicy> = defineResource(
  validatingadmissionpolicies,
  {
    schema: 'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy',
    categories: ['api-extensions'],
    hasStatus: true,
    statusKeeps: 'metadata',
    traits: { counted: true, updatesUnconditionally: false, qualifiesFinalizers: false },
    columns: [
      integerColumn('Validations', ({ spec }) => spec?.validations?.length ?? 0),
      column('ParamKind', ({ spec }) => shownParamKind(spec?.paramKind)),
    ],
    defaults: (policy) => (policy.spec === undefined ? policy : { ...policy, spec: defaultPolicySpec(policy.spec) }),
    *validateStatusUpdate({ status }, _current, at) {
      yield* conditionIssues(status?.conditions ?? [], at('status', 'conditions'));
    },
    *validate(policy, root) {
      const at = root('spec');
      const given: Partial<ValidatingAdmissionPolicy> = policy;
      const { spec = {} } = given;
      const { matchConstraints, validations = [], auditAnnotations = [], paramKind } = spec;
      yield* oneOf(spec.failurePolicy, ['Fail', 'Ignore'], at('failurePolicy'));
      if (paramKind !== undefined) yield* paramKindIssues(paramKind, at('paramKind'));
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
      yield* annotationIssues(auditAnnotations, { policy: policy.metadata.name, at: at('auditAnnotations') });
    },
  },
);

const reasons: readonly string[] = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

function* validationIssues(
  { expression = '', message = '', messageExpression = '', reason }: Partial<Validation>,
  at: FieldPath,
): Iterable<Issue> {
  if (expression.trim() === '') yield at('expression').required('expression is not specified');
  if (messageExpression !== '' && messageExpression.trim() === '')
    yield at('messageExpression').invalid(messageExpression, 'must be non-empty if specified');
  if (message !== '' && message.trim() === '') yield at('message').invalid(message, 'must be non-empty if specified');
  else if (message.trim().includes('\n')) yield at('message').invalid(message, 'must not contain line breaks');
  yield* oneOf(reason, reasons, at('reason'));
}

function* annotationIssues(
  annotations: readonly AuditAnnotation[],
  { policy, at }: { readonly policy: string; readonly at: FieldPath },
): Iterable<Issue> {
  if (annotations.length > 20) yield at.tooMany(annotations.length, 20);
  for (const [index, { key = '', valueExpression = '' }] of annotations.entries()) {
    // As it will stand in the audit log.
    yield* qualifiedName(policy === '' ? key : `${policy}/${key}`, at(index, 'key'));
    if (valueExpression.trim() === '') yield at(index, 'valueExpression').required();
    if (annotations.findIndex((other) => other.key === key) < index) yield at(index, 'key').duplicate(key);
  }
}
