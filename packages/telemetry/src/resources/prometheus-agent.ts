import { type ResourceType, resourceType, type StoredMeta } from '@signalbox/cluster';
import type { CommonPrometheusSpec, PrometheusStatus } from './prometheus-fields.ts';

export const prometheusagents: ResourceType<PrometheusAgent> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1alpha1',
  resource: 'prometheusagents',
  kind: 'PrometheusAgent',
  namespaced: true,
});

/** A sharded Prometheus that only scrapes and passes on. */
export interface PrometheusAgent {
  readonly apiVersion: 'monitoring.coreos.com/v1alpha1';
  readonly kind: 'PrometheusAgent';
  readonly metadata: StoredMeta;
  readonly spec: PrometheusAgentSpec;
  readonly status?: PrometheusStatus;
}

export interface PrometheusAgentSpec extends CommonPrometheusSpec {
  /** `StatefulSet` (default) or `DaemonSet`. */
  readonly mode?: string;
}
