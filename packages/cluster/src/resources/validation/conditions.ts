/** What conditions of newer kinds are held to, with the words clients match on. */
import type { FieldPath, Issue } from '../../api/issue.ts';
import { qualifiedName } from './names.ts';

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

const statuses: readonly string[] = ['False', 'True', 'Unknown'];
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const reasonBytesMax = 1024;
const messageBytesMax = 32 * 1024;

export function* conditionIssues(conditions: readonly Condition[], at: FieldPath): Iterable<Issue> {
  const seen = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const { type = '' } = condition;
    if (seen.has(type)) yield at(index, 'type').duplicate(type);
    seen.add(type);
    yield* issuesOf(condition, at(index));
  }
}

function* issuesOf(condition: Condition, at: FieldPath): Iterable<Issue> {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  yield* qualifiedName(type, at('type'));
  if (!statuses.includes(status)) yield at('status').notSupported(status, statuses);
  if (observedGeneration < 0)
    yield at('observedGeneration').invalid(observedGeneration, 'must be greater than or equal to zero');
  if ((lastTransitionTime ?? '') === '') yield at('lastTransitionTime').required();
  if (reason === '') yield at('reason').required();
  else if (!reasonPattern.test(reason))
    yield at('reason').invalid(
      reason,
      "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')",
    );
  if (Buffer.byteLength(reason) > reasonBytesMax) yield at('reason').tooLong('', reasonBytesMax);
  if (Buffer.byteLength(message) > messageBytesMax) yield at('message').tooLong('', messageBytesMax);
}
