import type { ValidatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1.ts';
import { validatingadmissionpolicies } from '../../api/generated/kinds.ts';
import { type FieldPath, type Issue, root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';
import { compilePolicy, type Expression } from './expressions.ts';

/** Refuses policies whose expressions have mistakes. Not the kind's own to say: clients have that without the language. */
export const policyExpressions: AdmissionPlugin = {
  name: 'ValidatingAdmissionPolicyExpressions',
  resources: [validatingadmissionpolicies],
  checkCreate: refuse,
  checkUpdate(next, current, world) {
    const [after, before] = [next, current].map((object) => (object as ValidatingAdmissionPolicy).spec);
    if (!equal(after, before)) refuse(next, world);
  },
};

function refuse(object: KubeObject, { served }: AdmissionWorld): void {
  const issues = [...policyIssues(object as ValidatingAdmissionPolicy)];
  if (issues.length > 0) throw new StatusError(invalid(served.definition, object.metadata.name, issues));
}

function* policyIssues({ spec }: ValidatingAdmissionPolicy): Iterable<Issue> {
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

function* issuesOf({ source, program }: Expression, at: FieldPath): Iterable<Issue> {
  if ('problem' in program) yield at.invalid(source, program.problem);
}
