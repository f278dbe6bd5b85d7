import type { ValidatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1.ts';
import type { MutatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1beta1.ts';
import { type FieldPath, type Issue, root } from '../../api/issue.ts';
import {
  compileMutatingPolicy,
  compilePolicy,
  type Expression,
} from '../../resources/admissionregistration/policy-expressions.ts';

/** What is wrong with the expressions of a policy. */
export function* policyIssues({ spec }: Partial<ValidatingAdmissionPolicy>): Iterable<Issue> {
  if (spec === undefined) return;
  const at = root('spec');
  const { conditions, variables, validations, annotations } = compilePolicy(spec);
  for (const [index, each] of conditions.entries()) yield* issuesOf(each, at('matchConditions', index, 'expression'));
  for (const [index, each] of [...variables.values()].entries())
    yield* issuesOf(each, at('variables', index, 'expression'));
  for (const [index, { expression, message }] of validations.entries()) {
    yield* issuesOf(expression, at('validations', index, 'expression'));
    if (message !== undefined) yield* issuesOf(message, at('validations', index, 'messageExpression'));
  }
  for (const [index, { value }] of annotations.entries())
    yield* issuesOf(value, at('auditAnnotations', index, 'valueExpression'));
}

/** That something is said at all is the kind's own to ask for. */
function* issuesOf({ source, program }: Expression, at: FieldPath): Iterable<Issue> {
  if (!('problem' in program) || source.trim() === '') return;
  yield program.isInternal === true ? at.internal(program.problem) : at.invalid(source, program.problem);
}

export function* mutatingPolicyIssues({ spec }: Partial<MutatingAdmissionPolicy>): Iterable<Issue> {
  if (spec === undefined) return;
  const at = root('spec');
  const { conditions, variables, mutations } = compileMutatingPolicy(spec);
  for (const [index, each] of conditions.entries()) yield* issuesOf(each, at('matchConditions', index, 'expression'));
  for (const [index, each] of [...variables.values()].entries())
    yield* issuesOf(each, at('variables', index, 'expression'));
  for (const [index, { patchType, expression }] of mutations.entries())
    yield* issuesOf(
      expression,
      at('mutations', index, patchType === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration', 'expression'),
    );
}
