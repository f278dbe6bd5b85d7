import { roles } from '../../api/generated/kinds.ts';
import type { Role } from '../../api/generated/rbac-v1.ts';
import { createdAtColumn, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { pathSegmentName } from '../validation/names.ts';
import { ruleIssues } from './rules.ts';

export const roleDefinition: ResourceDefinition<Role> = defineResource(roles, {
  schema: 'io.k8s.api.rbac.v1.Role',
  traits: { createsOnUpdate: true },
  columns: [nameColumn(), createdAtColumn()],
  columnsComplete: true,
  validateName: pathSegmentName,
  *validate({ rules = [] }, at) {
    for (const [index, rule] of (rules ?? []).entries())
      yield* ruleIssues(rule, at('rules', index), { namespaced: true });
  },
});
