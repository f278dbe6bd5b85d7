import type { MatchCondition } from '../../api/generated/admissionregistration-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { admission } from '../../cel/admission.ts';
import { compile } from '../../cel/compile.ts';
import { isDyn } from '../../cel/types/type.ts';
import { qualifiedName } from '../validation/names.ts';

const conditionsMax = 64;

export function* matchConditionIssues(conditions: readonly MatchCondition[], at: FieldPath): Iterable<Issue> {
  if (conditions.length > conditionsMax) yield at.tooMany(conditions.length, conditionsMax);
  for (const [index, { name = '', expression = '' }] of conditions.entries()) {
    yield* expressionIssues(expression.trim(), at(index, 'expression'));
    if (name === '') yield at(index, 'name').required();
    else yield* qualifiedName(name, at(index, 'name'));
    if (name !== '' && conditions.findIndex((other) => other.name === name) < index)
      yield at(index, 'name').duplicate(name);
  }
}

function* expressionIssues(expression: string, at: FieldPath): Iterable<Issue> {
  if (expression === '') {
    yield at.required();
    return;
  }
  const program = compile(expression, admission);
  if ('problem' in program) yield at.invalid(expression, `compilation failed: ${program.problem}`);
  else if (program.type.kind !== 'bool' && !isDyn(program.type)) yield at.invalid(expression, 'must evaluate to bool');
}
