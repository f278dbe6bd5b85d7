import type { ValidatingAdmissionPolicyBinding } from '../../api/generated/admissionregistration-v1.ts';
import { validatingadmissionpolicybindings } from '../../api/generated/kinds.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { oneOf } from '../validation/fields.ts';
import { dnsSubdomain } from '../validation/names.ts';
import { defaultMatchResources, matchResourcesIssues, paramRefIssues } from './policy-parts.ts';

const actions: readonly string[] = ['Audit', 'Deny', 'Warn'];

export const validatingadmissionpolicybindingDefinition: ResourceDefinition<ValidatingAdmissionPolicyBinding> =
  defineResource(validatingadmissionpolicybindings, {
    schema: 'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding',
    categories: ['api-extensions'],
    traits: { counted: true, updatesUnconditionally: false, qualifiesFinalizers: false },
    columns: [
      column('PolicyName', ({ spec }) => spec?.policyName ?? ''),
      column('ParamRef', ({ spec }) => {
        const { name = '*', namespace } = spec?.paramRef ?? {};
        if (spec?.paramRef === undefined) return '<unset>';
        return namespace === undefined ? name : `${namespace}/${name}`;
      }),
    ],
    defaults(binding) {
      const { matchResources } = binding.spec ?? {};
      if (matchResources === undefined) return binding;
      return { ...binding, spec: { ...binding.spec, matchResources: defaultMatchResources(matchResources) } };
    },
    *validate(binding, root) {
      const at = root('spec');
      const given: Partial<ValidatingAdmissionPolicyBinding> = binding;
      const { spec = {} } = given;
      const { policyName = '', paramRef, matchResources, validationActions = [] } = spec;
      if (policyName === '') yield at('policyName').required();
      else yield* dnsSubdomain(policyName, at('policyName'));
      if (paramRef !== undefined) yield* paramRefIssues(paramRef, at('paramRef'));
      if (matchResources !== undefined) yield* matchResourcesIssues(matchResources, at('matchResources'));
      if (validationActions.length === 0)
        yield at('validationActions').required('at least one validation action is required');
      for (const [index, action] of validationActions.entries()) {
        yield* oneOf(action, actions, at('validationActions', index));
        if (validationActions.indexOf(action) < index) yield at('validationActions', index).duplicate(action);
      }
      if (validationActions.includes('Deny') && validationActions.includes('Warn'))
        yield at('validationActions').invalid(
          validationActions,
          'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
        );
    },
  });
