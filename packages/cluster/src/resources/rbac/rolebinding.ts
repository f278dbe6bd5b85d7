import { rolebindings } from '../../api/generated/kinds.ts';
import type { RoleBinding } from '../../api/generated/rbac-v1.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { pathSegmentName } from '../validation/names.ts';
import { bindingColumns, bindingIssues, bindingUpdateIssues, defaultBinding } from './rules.ts';

export const rolebindingDefinition: ResourceDefinition<RoleBinding> = defineResource<RoleBinding>(rolebindings, {
  schema: 'io.k8s.api.rbac.v1.RoleBinding',
  traits: { createsOnUpdate: true },
  columns: bindingColumns(),
  validateName: pathSegmentName,
  defaults: (binding) => defaultBinding(binding),
  validate: (binding, at) => bindingIssues(binding, at, { roleKinds: ['Role', 'ClusterRole'], isNamespaced: true }),
  validateUpdate: bindingUpdateIssues,
});
