import { type ResourceType, resourceType } from '@signalbox/cluster';
import type { ServiceMonitor } from './generated/types.ts';

export type { ServiceMonitor, ServiceMonitorEndpoint, ServiceMonitorSpec } from './generated/types.ts';

/** Scrapes the endpoints of the Services that `selector` finds. */
export const servicemonitors: ResourceType<ServiceMonitor> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1',
  resource: 'servicemonitors',
  kind: 'ServiceMonitor',
  namespaced: true,
});
