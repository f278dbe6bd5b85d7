import type { HorizontalPodAutoscaler } from '../../api/generated/autoscaling-v2.ts';
import { horizontalpodautoscalers } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { column, countColumn } from '../columns.ts';
import { type Column, defineResource, type ResourceDefinition } from '../resource.ts';
import { defaultAutoscaler } from './defaults.ts';
import { targetsText } from './targets.ts';
import { validateAutoscaler, validateAutoscalerStatus } from './validation.ts';

export const horizontalpodautoscalerDefinition: ResourceDefinition<HorizontalPodAutoscaler> = defineResource(
  horizontalpodautoscalers,
  {
    schema: 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
    shortNames: ['hpa'],
    categories: ['all'],
    hasStatus: true,
    columns: autoscalerColumns((autoscaler) => autoscaler),
    defaults: defaultAutoscaler,
    prepareForCreate: (autoscaler) => ({ ...autoscaler, status: { desiredReplicas: 0 } }),
    validate: validateAutoscaler,
    validateStatusUpdate: (next, _current, at) => validateAutoscalerStatus(next, at),
  },
);

/** The columns of autoscalers, whichever version they are shown in. */
export function autoscalerColumns<T extends KubeObject>(
  of: (object: T) => HorizontalPodAutoscaler,
): readonly Column<T>[] {
  return [
    column('Reference', (object) => `${of(object).spec.scaleTargetRef.kind}/${of(object).spec.scaleTargetRef.name}`),
    column('Targets', (object) => targetsText(of(object).spec.metrics ?? [], of(object).status?.currentMetrics ?? [])),
    column('MinPods', (object) => String(of(object).spec.minReplicas ?? '<unset>')),
    countColumn('MaxPods', (object) => of(object).spec.maxReplicas),
    countColumn('Replicas', (object) => of(object).status?.currentReplicas ?? 0),
  ];
}
