import { type ResourceType, resourceType } from '@signalbox/cluster';
import type { LogsInstance } from './generated/types.ts';

export type { LogsInstance, LogsInstanceSpec } from './generated/types.ts';

/** Which PodLogs are tailed together and where their lines go. */
export const logsinstances: ResourceType<LogsInstance> = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'logsinstances',
  kind: 'LogsInstance',
  namespaced: true,
});
