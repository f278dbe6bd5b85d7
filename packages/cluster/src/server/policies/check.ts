import type { ValidatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1.ts';
import type { MutatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1beta1.ts';
import { mutatingadmissionpolicies, validatingadmissionpolicies } from '../../api/generated/kinds.ts';
import { isSameResource } from '../../api/gvk.ts';
import type { Issue } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import { expressionChecks } from '../admission/expression-checks.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;

/** Refuses policies whose expressions have mistakes. Not the kinds' own to say: clients have those without the language. */
export const policyExpressions: AdmissionPlugin = {
  name: 'AdmissionPolicyExpressions',
  resources: [validatingadmissionpolicies, mutatingadmissionpolicies],
  checkCreate: refuse,
  checkUpdate(next, current, world) {
    if (!equal((next as Policy).spec, (current as Policy).spec)) refuse(next, world);
  },
};

function refuse(object: KubeObject, { served }: AdmissionWorld): void {
  const checks = expressionChecks.now();
  const found: Iterable<Issue> = isSameResource(served.definition, mutatingadmissionpolicies)
    ? checks.mutatingPolicyIssues(object as MutatingAdmissionPolicy)
    : checks.policyIssues(object as ValidatingAdmissionPolicy);
  const issues = [...found];
  if (issues.length > 0) throw new StatusError(invalid(served.definition, object.metadata.name, issues));
}
