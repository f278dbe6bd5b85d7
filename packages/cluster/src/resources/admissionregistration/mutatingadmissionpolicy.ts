import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  Mutation,
} from '../../api/generated/admissionregistration-v1beta1.ts';
import { mutatingadmissionpolicies } from '../../api/generated/kinds.ts';
import { resourceType } from '../../api/gvk.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { column, integerColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition, type ResourceOptions } from '../resource.ts';
import { oneOf, requiredOneOf } from '../validation/fields.ts';
import { matchConditionIssues } from './match-conditions.ts';
import { olderFace } from './older-face.ts';
import {
  defaultPolicySpec,
  matchResourcesIssues,
  mutableOperations,
  paramKindIssues,
  shownParamKind,
  variableIssues,
} from './policy-parts.ts';

const particulars: ResourceOptions<MutatingAdmissionPolicy> & { readonly schema: string } = {
  schema: 'io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicy',
  categories: ['api-extensions'],
  traits: { counted: true, updatesUnconditionally: false, qualifiesFinalizers: false },
  columns: [
    integerColumn('Mutations', ({ spec }) => spec?.mutations?.length ?? 0),
    column('ParamKind', ({ spec }) => shownParamKind(spec?.paramKind)),
  ],
  defaults: (policy) => (policy.spec === undefined ? policy : { ...policy, spec: defaultPolicySpec(policy.spec) }),
  *validate(given, root) {
    const sent: Partial<MutatingAdmissionPolicy> = given;
    const { spec = {} }: { readonly spec?: Partial<MutatingAdmissionPolicySpec> } = sent;
    const at = root('spec');
    const { matchConstraints, mutations = [], paramKind } = spec;
    yield* oneOf(spec.failurePolicy, ['Fail', 'Ignore'], at('failurePolicy'));
    if (paramKind !== undefined) yield* paramKindIssues(paramKind, at('paramKind'));
    if (matchConstraints === undefined) yield at('matchConstraints').required();
    else {
      yield* matchResourcesIssues(matchConstraints, at('matchConstraints'));
      if ((matchConstraints.resourceRules ?? []).length === 0) yield at('matchConstraints', 'resourceRules').required();
      yield* mutableOperations(matchConstraints, at('matchConstraints'));
    }
    yield* matchConditionIssues(spec.matchConditions ?? [], at('matchConditions'));
    yield* variableIssues(spec.variables ?? [], at('variables'));
    if (mutations.length === 0) yield at('mutations').required('mutations must contain at least one item');
    for (const [index, mutation] of mutations.entries()) yield* mutationIssues(mutation, at('mutations', index));
    yield* requiredOneOf(spec.reinvocationPolicy, ['IfNeeded', 'Never'], at('reinvocationPolicy'));
  },
};

export const mutatingadmissionpolicyDefinition: ResourceDefinition<MutatingAdmissionPolicy> = defineResource(
  mutatingadmissionpolicies,
  particulars,
);

export const mutatingadmissionpolicyAlphaDefinition: ResourceDefinition<MutatingAdmissionPolicy> = defineResource(
  resourceType<MutatingAdmissionPolicy>({ ...mutatingadmissionpolicies, version: 'v1alpha1' }),
  olderFace(mutatingadmissionpolicies, particulars),
);

const parts = { JSONPatch: 'jsonPatch', ApplyConfiguration: 'applyConfiguration' } as const;

function* mutationIssues(mutation: Mutation, at: FieldPath): Iterable<Issue> {
  const { patchType } = mutation;
  yield* requiredOneOf(patchType, ['ApplyConfiguration', 'JSONPatch'], at('patchType'));
  if (patchType !== 'JSONPatch' && patchType !== 'ApplyConfiguration') return;
  const wanted = parts[patchType];
  const other = wanted === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch';
  const own = mutation[wanted];
  if (own === undefined) yield at(wanted).required(`must be specified when patchType is ${patchType}`);
  else if ((own.expression ?? '').trim() === '') yield at(wanted, 'expression').required();
  if (mutation[other] !== undefined)
    yield at(other).invalid(`{${other}}`, `must not be specified when patchType is ${patchType}`);
}
