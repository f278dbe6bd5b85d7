import type { HorizontalPodAutoscaler, HPAScalingRules, MetricSpec } from '../../api/generated/autoscaling-v2.ts';

const cpuMetric: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

/** Doubles, or adds four pods, every 15 s, without looking back. */
const scaleUpDefaults: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

/** May remove everything at once; the controller's own window of five minutes holds unless one is set. */
const scaleDownDefaults: HPAScalingRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

export function defaultAutoscaler(autoscaler: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { spec } = autoscaler;
  if (spec === undefined) return autoscaler;
  const { behavior } = spec;
  return {
    ...autoscaler,
    spec: {
      ...spec,
      minReplicas: spec.minReplicas ?? 1,
      metrics: spec.metrics === undefined || spec.metrics.length === 0 ? [cpuMetric] : spec.metrics,
      ...(behavior !== undefined && {
        behavior: {
          scaleUp: { ...scaleUpDefaults, ...behavior.scaleUp },
          scaleDown: { ...scaleDownDefaults, ...behavior.scaleDown },
        },
      }),
    },
  };
}
