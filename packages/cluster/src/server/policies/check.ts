import type { ValidatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1.ts';
import { validatingadmissionpolicies } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import { expressionChecks } from '../admission/expression-checks.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';

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
  const issues = [...expressionChecks.now().policyIssues(object as ValidatingAdmissionPolicy)];
  if (issues.length > 0) throw new StatusError(invalid(served.definition, object.metadata.name, issues));
}
