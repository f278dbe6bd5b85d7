import type { ValidatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1.ts';
import type { MutatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1beta1.ts';
import { mutatingadmissionpolicies, validatingadmissionpolicies } from '../../api/generated/kinds.ts';
import { isSameResource } from '../../api/gvk.ts';
import { equal } from '../../base/equal.ts';
import { expressionChecks } from '../admission/expression-checks.ts';
import type { AdmissionPlugin } from '../context/admission.ts';

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;

/** Finds mistakes in the expressions of policies. Not the kinds' own to say: clients have those without the language. */
export const policyExpressions: AdmissionPlugin = {
  name: 'AdmissionPolicyExpressions',
  resources: [validatingadmissionpolicies, mutatingadmissionpolicies],
  issues({ next, current }, { definition }) {
    if (current !== undefined && equal((next as Policy).spec, (current as Policy).spec)) return [];
    const checks = expressionChecks.now();
    return isSameResource(definition, mutatingadmissionpolicies)
      ? checks.mutatingPolicyIssues(next as MutatingAdmissionPolicy)
      : checks.policyIssues(next as ValidatingAdmissionPolicy);
  },
};
