import { type ResourceType, resourceType } from '@signalbox/cluster';
import type { PrometheusAgent } from './generated/types.ts';

export type { PrometheusAgent, PrometheusAgentSpec } from './generated/types.ts';

/** A sharded Prometheus that only scrapes and passes on. */
export const prometheusagents: ResourceType<PrometheusAgent> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1alpha1',
  resource: 'prometheusagents',
  kind: 'PrometheusAgent',
  namespaced: true,
});
