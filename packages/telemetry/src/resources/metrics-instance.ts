import {
  type LabelSelector,
  type ResourceType,
  resourceType,
  type SecretKeySelector,
  type StoredMeta,
} from '@signalbox/cluster';
import type { RemoteWrite } from './remote.ts';

export const metricsinstances: ResourceType<MetricsInstance> = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'metricsinstances',
  kind: 'MetricsInstance',
  namespaced: true,
});

/** Which monitors are scraped together and where their samples go. */
export interface MetricsInstance {
  readonly apiVersion: 'monitoring.grafana.com/v1alpha1';
  readonly kind: 'MetricsInstance';
  readonly metadata: StoredMeta;
  readonly spec?: MetricsInstanceSpec;
}

export interface MetricsInstanceSpec {
  readonly walTruncateFrequency?: string;
  readonly minWALTime?: string;
  readonly maxWALTime?: string;
  readonly remoteFlushDeadline?: string;
  readonly writeStaleOnShutdown?: boolean;
  readonly serviceMonitorSelector?: LabelSelector;
  readonly serviceMonitorNamespaceSelector?: LabelSelector;
  readonly podMonitorSelector?: LabelSelector;
  readonly podMonitorNamespaceSelector?: LabelSelector;
  readonly probeSelector?: LabelSelector;
  readonly probeNamespaceSelector?: LabelSelector;
  /** None: the root's. */
  readonly remoteWrite?: readonly RemoteWrite[];
  readonly additionalScrapeConfigs?: SecretKeySelector;
}
