import { poddisruptionbudgets } from '../../api/generated/kinds.ts';
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import { validateSelector } from '../../api/selector/selector.ts';
import { column, integerColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { conditionIssues } from '../validation/conditions.ts';
import { countOrPercent, oneOf } from '../validation/fields.ts';
import { pathSegmentName } from '../validation/names.ts';

export const poddisruptionbudgetDefinition: ResourceDefinition<PodDisruptionBudget> = defineResource(
  poddisruptionbudgets,
  {
    schema: 'io.k8s.api.policy.v1.PodDisruptionBudget',
    traits: { counted: true, updatesUnconditionally: false, qualifiesFinalizers: false },
    shortNames: ['pdb'],
    hasStatus: true,
    validateName: pathSegmentName,
    columns: [
      column('Min Available', ({ spec }) => String(spec?.minAvailable ?? 'N/A')),
      column('Max Unavailable', ({ spec }) => String(spec?.maxUnavailable ?? 'N/A')),
      integerColumn('Allowed Disruptions', ({ status }) => status?.disruptionsAllowed ?? 0),
    ],
    prepareForCreate: (budget) => ({
      ...budget,
      status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
    }),
    *validate(budget, root) {
      const spec = budget.spec ?? {};
      const at = root('spec');
      if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined)
        yield at.invalid(spec, 'minAvailable and maxUnavailable cannot be both set');
      if (spec.minAvailable !== undefined) yield* countOrPercent(spec.minAvailable, at('minAvailable'));
      if (spec.maxUnavailable !== undefined) yield* countOrPercent(spec.maxUnavailable, at('maxUnavailable'));
      yield* validateSelector(spec.selector, at('selector'));
      yield* oneOf(
        spec.unhealthyPodEvictionPolicy,
        ['AlwaysAllow', 'IfHealthyBudget'],
        at('unhealthyPodEvictionPolicy'),
      );
    },
    *validateStatusUpdate({ status }, _current, root) {
      for (const field of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const) {
        const count = status?.[field] ?? 0;
        if (count < 0) yield root('status', field).invalid(count, 'must be greater than or equal to 0');
      }
      yield* conditionIssues(status?.conditions ?? [], root('status', 'conditions'));
    },
  },
);
