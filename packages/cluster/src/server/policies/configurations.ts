import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../api/generated/admissionregistration-v1.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '../../api/generated/admissionregistration-v1beta1.ts';
import {
  mutatingadmissionpolicies,
  mutatingadmissionpolicybindings,
  validatingadmissionpolicies,
  validatingadmissionpolicybindings,
} from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { Store } from '../../store/store.ts';
import type { WriteListener } from '../context/context.ts';
import { resourcePrefix } from '../context/keys.ts';

/** A policy that somebody has bound. */
export interface Bound<Policy, Binding> {
  readonly policy: Policy;
  readonly bindings: readonly Binding[];
}

export type BoundPolicy = Bound<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding>;
export type BoundMutatingPolicy = Bound<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding>;

interface PolicyKind<Policy, Binding> extends WriteListener {
  /** Those that are bound now, by name. */
  bound(): readonly Bound<Policy, Binding>[];
  resume(): void;
}

export interface Policies extends WriteListener {
  readonly validating: () => readonly BoundPolicy[];
  readonly mutating: () => readonly BoundMutatingPolicy[];
  /** Reads what is stored. */
  resume(): void;
}

export interface PoliciesOptions {
  readonly store: Store;
  /** Kinds that nobody heeds, by upstream's names of what asks them. */
  readonly withoutAdmission?: readonly string[] | undefined;
}

/** Known by every write of a policy or a binding: it holds from the answer on, and costs others nothing. */
export function createPolicies({ store, withoutAdmission: without = [] }: PoliciesOptions): Policies {
  const validating = createKind(store, {
    policies: validatingadmissionpolicies,
    bindings: validatingadmissionpolicybindings,
  });
  const mutating = createKind(store, {
    policies: mutatingadmissionpolicies,
    bindings: mutatingadmissionpolicybindings,
  });
  const kinds = [validating, mutating];
  return {
    validating: without.includes('ValidatingAdmissionPolicy') ? () => [] : validating.bound,
    mutating: without.includes('MutatingAdmissionPolicy') ? () => [] : mutating.bound,
    put(stored, write) {
      for (const kind of kinds) kind.put?.(stored, write);
    },
    removed(stored, write) {
      for (const kind of kinds) kind.removed?.(stored, write);
    },
    resume() {
      for (const kind of kinds) kind.resume();
    },
  };
}

interface BindingObject extends KubeObject {
  readonly spec: { readonly policyName?: string };
}

function createKind<Policy extends KubeObject, Binding extends BindingObject>(
  store: Store,
  types: { readonly policies: ResourceType<Policy>; readonly bindings: ResourceType<Binding> },
): PolicyKind<Policy, Binding> {
  const policies = new Map<string, Policy>();
  const bindings = new Map<string, Binding>();
  const policyPrefix = resourcePrefix(types.policies);
  const bindingPrefix = resourcePrefix(types.bindings);
  let bound: readonly Bound<Policy, Binding>[] = [];
  const arrange = (): void => {
    const sorted = [...policies].sort(([a], [b]) => (a < b ? -1 : 1));
    bound = sorted.flatMap(([name, policy]) => {
      const own = [...bindings.values()].filter(({ spec }) => spec.policyName === name);
      return own.length === 0 ? [] : [{ policy, bindings: own }];
    });
  };
  const take = (key: string, value: unknown): void => {
    if (key.startsWith(policyPrefix)) policies.set((value as Policy).metadata.name, value as Policy);
    else if (key.startsWith(bindingPrefix)) bindings.set((value as Binding).metadata.name, value as Binding);
    else return;
    arrange();
  };
  return {
    bound: () => bound,
    put: ({ key, value }) => take(key, value),
    removed({ key, value }) {
      const { name } = (value as KubeObject).metadata;
      if (key.startsWith(policyPrefix)) policies.delete(name);
      else if (key.startsWith(bindingPrefix)) bindings.delete(name);
      else return;
      arrange();
    },
    resume() {
      for (const prefix of [policyPrefix, bindingPrefix]) {
        const found = store.list(prefix);
        if (!('expired' in found)) for (const { key, value } of found.items) take(key, value);
      }
    },
  };
}
