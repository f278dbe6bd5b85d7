import type {
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicyBindingSpec,
} from '../../api/generated/admissionregistration-v1beta1.ts';
import { mutatingadmissionpolicybindings } from '../../api/generated/kinds.ts';
import { resourceType } from '../../api/gvk.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition, type ResourceOptions } from '../resource.ts';
import { dnsSubdomain } from '../validation/names.ts';
import { olderFace } from './older-face.ts';
import { defaultMatchResources, matchResourcesIssues, mutableOperations, paramRefIssues } from './policy-parts.ts';

const particulars: ResourceOptions<MutatingAdmissionPolicyBinding> & { readonly schema: string } = {
  schema: 'io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicyBinding',
  categories: ['api-extensions'],
  traits: { counted: true, updatesUnconditionally: false, qualifiesFinalizers: false },
  columns: [
    column('PolicyName', ({ spec }) => spec?.policyName ?? ''),
    column('ParamRef', ({ spec }) => {
      const { name, namespace = '*' } = spec?.paramRef ?? {};
      if (spec?.paramRef === undefined) return '<unset>';
      return name === undefined ? '' : `${namespace}/${name}`;
    }),
  ],
  defaults(binding) {
    const { matchResources } = binding.spec ?? {};
    if (matchResources === undefined) return binding;
    return { ...binding, spec: { ...binding.spec, matchResources: defaultMatchResources(matchResources) } };
  },
  *validate(given, root) {
    const sent: Partial<MutatingAdmissionPolicyBinding> = given;
    const { spec = {} }: { readonly spec?: Partial<MutatingAdmissionPolicyBindingSpec> } = sent;
    const at = root('spec');
    const { policyName = '', paramRef, matchResources } = spec;
    if (policyName === '') yield at('policyName').required();
    else yield* dnsSubdomain(policyName, at('policyName'));
    if (paramRef !== undefined) yield* paramRefIssues(paramRef, at('paramRef'));
    if (matchResources === undefined) return;
    yield* matchResourcesIssues(matchResources, at('matchResources'));
    yield* mutableOperations(matchResources, at('matchResources'));
  },
};

export const mutatingadmissionpolicybindingDefinition: ResourceDefinition<MutatingAdmissionPolicyBinding> =
  defineResource(mutatingadmissionpolicybindings, particulars);

export const mutatingadmissionpolicybindingAlphaDefinition: ResourceDefinition<MutatingAdmissionPolicyBinding> =
  defineResource(
    resourceType<MutatingAdmissionPolicyBinding>({ ...mutatingadmissionpolicybindings, version: 'v1alpha1' }),
    olderFace(mutatingadmissionpolicybindings, {
      ...particulars,
      defaults: (binding) => withNotFoundAction(particulars.defaults?.(binding) ?? binding),
    }),
  );

/** Only the first version says by itself what missing parameters come to. */
function withNotFoundAction(binding: MutatingAdmissionPolicyBinding): MutatingAdmissionPolicyBinding {
  const { paramRef } = binding.spec ?? {};
  if (paramRef === undefined || paramRef.parameterNotFoundAction !== undefined) return binding;
  return { ...binding, spec: { ...binding.spec, paramRef: { ...paramRef, parameterNotFoundAction: 'Deny' } } };
}
