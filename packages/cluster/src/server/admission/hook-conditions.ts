import type { MatchCondition } from '../../api/generated/admissionregistration-v1.ts';
import { mutatingwebhookconfigurations, validatingwebhookconfigurations } from '../../api/generated/kinds.ts';
import { type FieldPath, type Issue, root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { admission } from '../../cel/admission.ts';
import { compile } from '../../cel/compile.ts';
import { formatType, isDyn } from '../../cel/types/type.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';

/** What is wrong with an expression that says whether something is wanted. */
export function* conditionIssues(expression: string, at: FieldPath): Iterable<Issue> {
  const program = compile(expression.trim(), admission);
  if ('problem' in program) yield at.invalid(expression, `compilation failed: ${program.problem}`);
  else if (program.type.kind !== 'bool' && !isDyn(program.type))
    yield at.invalid(expression, `must evaluate to bool but got ${formatType(program.type)}`);
}

type Configuration = KubeObject & {
  readonly webhooks?: readonly { readonly matchConditions?: readonly MatchCondition[] }[];
};

/** Refuses match conditions of webhooks that could never be told. Not the kinds' own to say: clients have those without the language. */
export const hookConditions: AdmissionPlugin = {
  name: 'WebhookMatchConditions',
  resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations],
  checkCreate: refuse,
  checkUpdate: (next, _current, world) => refuse(next, world),
};

function refuse(object: KubeObject, { served }: AdmissionWorld): void {
  const { webhooks = [] } = object as Configuration;
  const issues = webhooks.flatMap(({ matchConditions = [] }, hook) =>
    matchConditions.flatMap(({ expression }, index) => [
      ...conditionIssues(expression, root('webhooks', hook, 'matchConditions', index, 'expression')),
    ]),
  );
  if (issues.length > 0) throw new StatusError(invalid(served.definition, object.metadata.name, issues));
}
