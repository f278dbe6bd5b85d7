import { clusterroles } from '../../api/generated/kinds.ts';
import type { ClusterRole } from '../../api/generated/rbac-v1.ts';
import { validateSelector } from '../../api/selector/selector.ts';
import { createdAtColumn, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { pathSegmentName } from '../validation/names.ts';
import { ruleIssues } from './rules.ts';

export const clusterroleDefinition: ResourceDefinition<ClusterRole> = defineResource(clusterroles, {
  schema: 'io.k8s.api.rbac.v1.ClusterRole',
  traits: { createsOnUpdate: true },
  columns: [nameColumn(), createdAtColumn()],
  columnsComplete: true,
  validateName: pathSegmentName,
  *validate({ rules, aggregationRule }, at) {
    for (const [index, rule] of (rules ?? []).entries())
      yield* ruleIssues(rule, at('rules', index), { namespaced: false });
    if (aggregationRule === undefined) return;
    const place = at('aggregationRule', 'clusterRoleSelectors');
    const selectors = aggregationRule.clusterRoleSelectors ?? [];
    if (selectors.length === 0)
      yield place.required('at least one clusterRoleSelector required if aggregationRule is non-nil');
    for (const [index, selector] of selectors.entries()) {
      const issues = [...validateSelector(selector, place(index))];
      yield* issues;
      // As upstream, which says so once more of the whole.
      if (issues.length > 0) yield place(index).invalid(null, 'invalid label selector.');
    }
  },
});
