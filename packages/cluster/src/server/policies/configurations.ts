import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../api/generated/admissionregistration-v1.ts';
import { validatingadmissionpolicies, validatingadmissionpolicybindings } from '../../api/generated/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { WriteListener } from '../context/context.ts';
import { resourcePrefix } from '../context/keys.ts';

/** A policy that somebody has bound. */
export interface BoundPolicy {
  readonly policy: ValidatingAdmissionPolicy;
  readonly bindings: readonly ValidatingAdmissionPolicyBinding[];
}

/** The policies that are bound now, by name. */
export interface Policies extends WriteListener {
  bound(): readonly BoundPolicy[];
  /** Reads what is stored. */
  resume(): void;
}

/** Known by every write of a policy or a binding: it holds from the answer on, and costs others nothing. */
export function createPolicies({ store }: { readonly store: Store }): Policies {
  const policies = new Map<string, ValidatingAdmissionPolicy>();
  const bindings = new Map<string, ValidatingAdmissionPolicyBinding>();
  const [policyPrefix, bindingPrefix] = [validatingadmissionpolicies, validatingadmissionpolicybindings].map(
    resourcePrefix,
  );
  let bound: readonly BoundPolicy[] = [];
  const arrange = (): void => {
    const sorted = [...policies].sort(([a], [b]) => (a < b ? -1 : 1));
    bound = sorted.flatMap(([name, policy]) => {
      const own = [...bindings.values()].filter(({ spec }) => spec.policyName === name);
      return own.length === 0 ? [] : [{ policy, bindings: own }];
    });
  };
  const take = (key: string, value: unknown): void => {
    if (policyPrefix !== undefined && key.startsWith(policyPrefix)) {
      const policy = value as ValidatingAdmissionPolicy;
      policies.set(policy.metadata.name, policy);
    } else if (bindingPrefix !== undefined && key.startsWith(bindingPrefix)) {
      const binding = value as ValidatingAdmissionPolicyBinding;
      bindings.set(binding.metadata.name, binding);
    } else return;
    arrange();
  };
  return {
    bound: () => bound,
    put: ({ key, value }) => take(key, value),
    removed({ key, value }) {
      const { name } = (value as ValidatingAdmissionPolicy).metadata;
      if (policyPrefix !== undefined && key.startsWith(policyPrefix)) policies.delete(name);
      else if (bindingPrefix !== undefined && key.startsWith(bindingPrefix)) bindings.delete(name);
      else return;
      arrange();
    },
    resume() {
      for (const prefix of [policyPrefix, bindingPrefix]) {
        const found = store.list(prefix ?? '');
        if (!('expired' in found)) for (const { key, value } of found.items) take(key, value);
      }
    },
  };
}
