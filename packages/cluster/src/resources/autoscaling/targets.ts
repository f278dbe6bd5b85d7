/** The TARGETS column: what is measured against what is wanted. */
import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from '../../api/generated/autoscaling-v2.ts';

const shownMax = 2;
const unknown = '<unknown>';

/** `cpu: 12%/80%, memory: 10Mi/64Mi + 1 more...` */
export function targetsText(metrics: readonly MetricSpec[], current: readonly MetricStatus[]): string {
  if (metrics.length === 0) return '<none>';
  const texts = metrics.map((metric, index) => metricText(metric, current[index]));
  const shown = texts.slice(0, shownMax).join(', ');
  return texts.length > shownMax ? `${shown} + ${texts.length - shownMax} more...` : shown;
}

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  switch (metric.type) {
    case 'Resource':
      return metric.resource === undefined
        ? unknown
        : `${metric.resource.name}: ${resourceText(metric.resource.target, status?.resource?.current)}`;
    case 'ContainerResource':
      return metric.containerResource === undefined
        ? unknown
        : `${metric.containerResource.name}: ${resourceText(metric.containerResource.target, status?.containerResource?.current)}`;
    case 'Pods':
      return `${status?.pods?.current.averageValue ?? unknown}/${metric.pods?.target.averageValue ?? ''}`;
    case 'Object':
      return valueText(metric.object?.target, status?.object?.current);
    case 'External':
      return valueText(metric.external?.target, status?.external?.current);
    default:
      return '<unknown type>';
  }
}

function resourceText(target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue}`;
  return `${percent(current?.averageUtilization, unknown)}/${percent(target.averageUtilization, '<auto>')}`;
}

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current?.value ?? unknown}/${target?.value ?? ''}`;
}

function percent(value: number | undefined, absent: string): string {
  return value === undefined ? absent : `${value}%`;
}
