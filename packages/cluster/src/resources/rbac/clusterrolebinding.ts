import { clusterrolebindings } from '../../api/generated/kinds.ts';
import type { ClusterRoleBinding } from '../../api/generated/rbac-v1.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { pathSegmentName } from '../validation/names.ts';
import { bindingColumns, bindingIssues, bindingUpdateIssues, defaultBinding } from './rules.ts';

export const clusterrolebindingDefinition: ResourceDefinition<ClusterRoleBinding> = defineResource<ClusterRoleBinding>(
  clusterrolebindings,
  {
    schema: 'io.k8s.api.rbac.v1.ClusterRoleBinding',
    traits: { createsOnUpdate: true },
    columns: bindingColumns(),
    validateName: pathSegmentName,
    defaults: (binding) => defaultBinding(binding),
    validate: (binding, at) => bindingIssues(binding, at, { roleKinds: ['ClusterRole'], isNamespaced: false }),
    validateUpdate: bindingUpdateIssues,
  },
);
