import { type ResourceType, resourceType } from '@signalbox/cluster';
import type { PodMonitor } from './generated/types.ts';

export type { PodMetricsEndpoint, PodMonitor, PodMonitorSpec } from './generated/types.ts';

/** Scrapes the Pods that `selector` finds. */
export const podmonitors: ResourceType<PodMonitor> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1',
  resource: 'podmonitors',
  kind: 'PodMonitor',
  namespaced: true,
});
