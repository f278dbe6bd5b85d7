import type { ExpressionWarning, ValidatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1.ts';
import { validatingadmissionpolicies } from '../../api/generated/kinds.ts';
import { nothingToDo, type Plan } from '../../runtime/plan.ts';

/** Whether a policy as it is has been looked at. Kinds that come later are no reason to look again, as upstream has it. */
export function isChecked({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  const given: Partial<ValidatingAdmissionPolicy['status']> | undefined = status;
  return (given?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/** Says in the status what was found. */
export function plan(policy: ValidatingAdmissionPolicy, warnings: readonly ExpressionWarning[]): Plan {
  const { metadata } = policy;
  if (metadata.deletionTimestamp !== undefined || isChecked(policy)) return nothingToDo;
  const given: Partial<ValidatingAdmissionPolicy['status']> | undefined = policy.status;
  const status = {
    ...given,
    observedGeneration: metadata.generation ?? 0,
    typeChecking: warnings.length === 0 ? {} : { expressionWarnings: warnings },
  };
  const object: ValidatingAdmissionPolicy = { ...policy, status };
  return { actions: [{ do: 'setStatus', type: validatingadmissionpolicies, object }] };
}
