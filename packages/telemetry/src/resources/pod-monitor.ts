import { type LabelSelector, type ResourceType, resourceType, type StoredMeta } from '@signalbox/cluster';
import type { MonitorLimits, NamespaceSelector, ScrapeEndpoint } from './fields.ts';

export const podmonitors: ResourceType<PodMonitor> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1',
  resource: 'podmonitors',
  kind: 'PodMonitor',
  namespaced: true,
});

/** Scrapes the Pods that `selector` finds. */
export interface PodMonitor {
  readonly apiVersion: 'monitoring.coreos.com/v1';
  readonly kind: 'PodMonitor';
  readonly metadata: StoredMeta;
  readonly spec: PodMonitorSpec;
}

export interface PodMonitorSpec extends MonitorLimits {
  readonly selector: LabelSelector;
  readonly namespaceSelector?: NamespaceSelector;
  readonly podMetricsEndpoints?: readonly PodMetricsEndpoint[];
  /** The Pod's label whose value becomes the `job` label. */
  readonly jobLabel?: string;
  readonly podTargetLabels?: readonly string[];
  readonly attachMetadata?: { readonly node?: boolean };
  readonly bodySizeLimit?: string;
  /** `RelabelConfig` (default) or `RoleSelector`. */
  readonly selectorMechanism?: string;
}

export interface PodMetricsEndpoint extends ScrapeEndpoint {
  readonly portNumber?: number;
}
