import {
  type LabelSelector,
  type ResourceType,
  resourceType,
  type SecretKeySelector,
  type StoredMeta,
} from '@signalbox/cluster';
import type { LogsClient } from './remote.ts';

export const logsinstances: ResourceType<LogsInstance> = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'logsinstances',
  kind: 'LogsInstance',
  namespaced: true,
});

/** Which PodLogs are tailed together and where their lines go. */
export interface LogsInstance {
  readonly apiVersion: 'monitoring.grafana.com/v1alpha1';
  readonly kind: 'LogsInstance';
  readonly metadata: StoredMeta;
  readonly spec?: LogsInstanceSpec;
}

export interface LogsInstanceSpec {
  /** None: the root's. */
  readonly clients?: readonly LogsClient[];
  readonly podLogsSelector?: LabelSelector;
  readonly podLogsNamespaceSelector?: LabelSelector;
  readonly additionalScrapeConfigs?: SecretKeySelector;
  readonly targetConfig?: { readonly syncPeriod?: string };
}
