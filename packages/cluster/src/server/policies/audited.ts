import type { ValidatingAdmissionPolicyBinding } from '../../api/generated/admissionregistration-v1.ts';
import type { Denial } from './evaluate.ts';

export type Annotate = (key: string, value: string) => void;

const failureKey = 'validation.policy.admission.k8s.io/validation_failure';

/** Notes what a policy has against a request whose binding asks for that, as JSON in upstream's form. */
export function noteFailure(
  annotate: Annotate,
  { metadata, spec }: ValidatingAdmissionPolicyBinding,
  { message, index }: Pick<Denial, 'message' | 'index'>,
): void {
  const { policyName: policy, validationActions } = spec;
  annotate(
    failureKey,
    JSON.stringify([{ message, policy, binding: metadata.name, expressionIndex: index, validationActions }]),
  );
}

/** The audit annotations of one policy: what its bindings say alike is noted once. */
export interface Notes {
  add(key: string, value: string): void;
  publish(annotate: Annotate): void;
}

export function createNotes(policy: string): Notes {
  const values = new Map<string, Set<string>>();
  return {
    add(key, value) {
      values.set(key, (values.get(key) ?? new Set()).add(value));
    },
    publish(annotate) {
      for (const [key, found] of values) annotate(`${policy}/${key}`, [...found].join(', '));
    },
  };
}
