import type { HorizontalPodAutoscaler } from '../../api/generated/autoscaling-v2.ts';
import { horizontalpodautoscalers } from '../../api/generated/kinds.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { defaultAutoscaler } from './defaults.ts';
import { targetsText } from './targets.ts';
import { validateAutoscaler } from './validation.ts';

export const horizontalpodautoscalerDefinition: ResourceDefinition<HorizontalPodAutoscaler> = defineResource(
  horizontalpodautoscalers,
  {
    schema: 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
    shortNames: ['hpa'],
    categories: ['all'],
    hasStatus: true,
    columns: [
      column('Reference', ({ spec }) => `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`),
      column('Targets', ({ spec, status }) => targetsText(spec.metrics ?? [], status?.currentMetrics ?? [])),
      column('MinPods', ({ spec }) => String(spec.minReplicas ?? '<unset>')),
      column('MaxPods', ({ spec }) => String(spec.maxReplicas)),
      column('Replicas', ({ status }) => String(status?.currentReplicas ?? 0)),
    ],
    defaults: defaultAutoscaler,
    prepareForCreate: (autoscaler) => ({ ...autoscaler, status: { desiredReplicas: 0 } }),
    validate: validateAutoscaler,
  },
);
