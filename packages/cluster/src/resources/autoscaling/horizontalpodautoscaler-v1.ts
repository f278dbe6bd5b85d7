import type { HorizontalPodAutoscaler as AutoscalerV1 } from '../../api/generated/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  MetricStatus,
} from '../../api/generated/autoscaling-v2.ts';
import { horizontalpodautoscalers } from '../../api/generated/kinds.ts';
import { type ResourceType, resourceType } from '../../api/gvk.ts';
import type { StoredMeta } from '../../api/meta.ts';
import { checkSchema } from '../../api/schema/check.ts';
import { schemaOf } from '../../api/schema/node.ts';
import { equal } from '../../base/equal.ts';
import { formatExactJson, parseExactJson } from '../../base/exact-json.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { defaultAutoscaler } from './defaults.ts';
import { autoscalerColumns } from './horizontalpodautoscaler.ts';
import { validateAutoscaler, validateAutoscalerStatus } from './validation.ts';

const horizontalpodautoscalersV1: ResourceType<AutoscalerV1> = resourceType({
  group: 'autoscaling',
  version: 'v1',
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
});

/**
 * The older face of autoscalers, which `kubectl autoscale` before 1.33 writes. It has one field for the CPU; what else the
 * stored form says travels in annotations under upstream's keys, as JSON in the form of autoscaling/v2, so that a client
 * which reads and writes this version loses nothing.
 */
export const horizontalpodautoscalerV1Definition: ResourceDefinition<AutoscalerV1> = defineResource(
  horizontalpodautoscalersV1,
  {
    schema: 'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler',
    shortNames: ['hpa'],
    categories: ['all'],
    hasStatus: true,
    columns: autoscalerColumns(toStored),
    storedAs: {
      resource: horizontalpodautoscalers,
      toStored,
      fromStored: (stored) => fromStored(stored as HorizontalPodAutoscaler),
    },
    defaults: (autoscaler) => (autoscaler.spec === undefined ? autoscaler : fromStored(toStored(autoscaler))),
    // What annotations say of the spec does not come in by the door of the status.
    defaultsByStatus: withSpecTold,
    prepareForCreate: (autoscaler) => ({ ...autoscaler, status: { currentReplicas: 0, desiredReplicas: 0 } }),
    validate: (autoscaler, at) => validateAutoscaler(toStored(autoscaler), at),
    validateStatusUpdate: (next, _current, at) => validateAutoscalerStatus(toStored(next), at),
  },
);

const prefix = 'autoscaling.alpha.kubernetes.io/';
const keys = {
  metrics: `${prefix}metrics`,
  behavior: `${prefix}behavior`,
  currentMetrics: `${prefix}current-metrics`,
  conditions: `${prefix}conditions`,
} as const;

function toStored(autoscaler: AutoscalerV1): HorizontalPodAutoscaler {
  const { metadata, spec, status } = autoscaler;
  const { targetCPUUtilizationPercentage: utilization, ...shared } = spec ?? {};
  const { currentCPUUtilizationPercentage: current, ...sharedStatus } = status ?? {};
  const more = told<HorizontalPodAutoscalerSpec>(metadata, ['metrics', 'behavior'], 'HorizontalPodAutoscalerSpec');
  const seen = told<HorizontalPodAutoscalerStatus>(
    metadata,
    ['currentMetrics', 'conditions'],
    'HorizontalPodAutoscalerStatus',
  );
  const metrics = [...(utilization === undefined ? [] : [cpuMetric(utilization)]), ...(more.metrics ?? [])];
  const currentMetrics = [...(current === undefined ? [] : [cpuStatus(current)]), ...(seen.currentMetrics ?? [])];
  return defaultAutoscaler({
    ...autoscaler,
    apiVersion: 'autoscaling/v2',
    metadata: withoutTold(metadata),
    spec: { ...shared, ...more, metrics } as HorizontalPodAutoscalerSpec,
    status: {
      ...sharedStatus,
      ...seen,
      ...(currentMetrics.length > 0 && { currentMetrics }),
    } as HorizontalPodAutoscalerStatus,
  });
}

function fromStored(autoscaler: HorizontalPodAutoscaler): AutoscalerV1 {
  const { metadata, spec, status } = autoscaler;
  // Of what somebody owns there may be no spec.
  const { metrics = [], behavior, ...shared } = spec ?? ({} as HorizontalPodAutoscalerSpec);
  const { currentMetrics = [], conditions, ...sharedStatus } = status ?? {};
  const cpu = metrics.find(isCpuUtilization);
  const cpuNow = currentMetrics.find(isCpuNow);
  const annotations = {
    ...metadata.annotations,
    ...written(
      keys.metrics,
      metrics.filter((metric) => metric !== cpu),
    ),
    ...written(keys.behavior, behavior),
    ...written(
      keys.currentMetrics,
      currentMetrics.filter((metric) => metric !== cpuNow),
    ),
    ...written(keys.conditions, conditions),
  };
  const utilization = cpu?.resource?.target.averageUtilization;
  const current = cpuNow?.resource?.current.averageUtilization;
  return {
    ...autoscaler,
    apiVersion: 'autoscaling/v1',
    metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations },
    spec: { ...shared, ...(utilization !== undefined && { targetCPUUtilizationPercentage: utilization }) },
    status: {
      ...sharedStatus,
      currentReplicas: sharedStatus.currentReplicas ?? 0,
      desiredReplicas: sharedStatus.desiredReplicas ?? 0,
      ...(current !== undefined && { currentCPUUtilizationPercentage: current }),
    },
  };
}

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function cpuStatus(averageUtilization: number): MetricStatus {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } };
}

function isCpuUtilization({ type, resource }: MetricSpec): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target?.averageUtilization !== undefined;
}

/** With more than a percentage the value does not fit into the field. */
function isCpuNow({ type, resource }: MetricStatus): boolean {
  return (
    type === 'Resource' &&
    resource?.name === 'cpu' &&
    resource.current?.averageUtilization !== undefined &&
    resource.current.averageValue === undefined
  );
}

/** What the annotations say. Text that is no such thing says nothing: people can write annotations, too. */
function told<T>(metadata: StoredMeta, fields: readonly (keyof typeof keys)[], kind: string): Partial<T> {
  const found: Record<string, unknown> = {};
  for (const field of fields) {
    const text = metadata.annotations?.[keys[field]];
    if (text === undefined) continue;
    try {
      found[field] = parseExactJson(text) as unknown;
    } catch {
      // Left out.
    }
  }
  const schema = schemaOf(`io.k8s.api.autoscaling.v2.${kind}`);
  const { object, typeErrors } = checkSchema(found, schema, { unknownFields: 'prune', isPart: true });
  return typeErrors.length === 0 ? (object as Partial<T>) : {};
}

function withSpecTold(next: AutoscalerV1, current: AutoscalerV1): AutoscalerV1 {
  const annotations: Record<string, string> = { ...next.metadata.annotations };
  for (const key of [keys.metrics, keys.behavior]) {
    const before = current.metadata.annotations?.[key];
    if (before === undefined) delete annotations[key];
    else annotations[key] = before;
  }
  if (equal(annotations, next.metadata.annotations ?? {})) return next;
  const { annotations: _others, ...metadata } = next.metadata;
  return { ...next, metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations } };
}

function withoutTold(metadata: StoredMeta): StoredMeta {
  const { annotations, ...rest } = metadata;
  if (annotations === undefined) return metadata;
  const own = Object.entries(annotations).filter(([key]) => !Object.values<string>(keys).includes(key));
  return own.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(own) };
}

function written(key: string, value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return {};
  return { [key]: formatExactJson(value) };
}
