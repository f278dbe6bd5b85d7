import type { MatchCondition } from '../../api/generated/admissionregistration-v1.ts';
import { type FieldPath, type Issue, root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { admission } from '../../cel/admission.ts';
import { compile } from '../../cel/compile.ts';
import { formatType } from '../../cel/types/type.ts';

type Configuration = KubeObject & {
  readonly webhooks?: readonly { readonly matchConditions?: readonly Partial<MatchCondition>[] }[];
};

/** What is wrong with the match conditions of a configuration's webhooks. */
export function* hookIssues(object: KubeObject): Iterable<Issue> {
  const { webhooks = [] } = object as Configuration;
  // That there is one is the kind's own to say.
  for (const [hook, { matchConditions = [] }] of webhooks.entries())
    for (const [index, { expression = '' }] of matchConditions.entries())
      if (expression.trim() !== '')
        yield* conditionIssues(expression, root('webhooks', hook, 'matchConditions', index, 'expression'));
}

function* conditionIssues(expression: string, at: FieldPath): Iterable<Issue> {
  const program = compile(expression.trim(), admission);
  if ('problem' in program)
    yield program.isInstantiation === true
      ? at.internal(`program instantiation failed: ${program.problem}`)
      : at.invalid(expression, `compilation failed: ${program.problem}`);
  else if (program.type.kind !== 'bool')
    yield at.invalid(expression, `must evaluate to bool but got ${formatType(program.type)}`);
}
