import type { MatchCondition } from '../../api/generated/admissionregistration-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { qualifiedName } from '../validation/names.ts';

const conditionsMax = 64;

/** Names and number. What expressions say is judged by the server, which alone has their language. */
export function* matchConditionIssues(conditions: readonly MatchCondition[], at: FieldPath): Iterable<Issue> {
  if (conditions.length > conditionsMax) yield at.tooMany(conditions.length, conditionsMax);
  for (const [index, { name = '', expression = '' }] of conditions.entries()) {
    if (expression.trim() === '') yield at(index, 'expression').required();
    if (name === '') yield at(index, 'name').required();
    else yield* qualifiedName(name, at(index, 'name'));
    if (name !== '' && conditions.findIndex((other) => other.name === name) < index)
      yield at(index, 'name').duplicate(name);
  }
}
