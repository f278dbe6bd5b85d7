import { type ResourceType, resourceType } from '@signalbox/cluster';
import type { PodLogsSpec, PodLogs as StoredPodLogs } from './generated/types.ts';

export type { LogMetric, PipelineStage, PodLogsSpec } from './generated/types.ts';

/** Tails the logs of the Pods that `selector` finds. */
export interface PodLogs extends StoredPodLogs {
  /** The definition demands none; whoever leaves it out is told, and no hierarchy has it. */
  readonly spec: PodLogsSpec;
}

export const podlogs: ResourceType<PodLogs> = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'podlogs',
  kind: 'PodLogs',
  namespaced: true,
});
