import { type ResourceType, resourceType } from '@signalbox/cluster';
import type { MetricsInstance } from './generated/types.ts';

export type { MetricsInstance, MetricsInstanceSpec } from './generated/types.ts';

/** Which monitors are scraped together and where their samples go. */
export const metricsinstances: ResourceType<MetricsInstance> = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'metricsinstances',
  kind: 'MetricsInstance',
  namespaced: true,
});
