import { type LabelSelector, type ResourceType, resourceType, type StoredMeta } from '@signalbox/cluster';
import type { MonitorLimits, NamespaceSelector, ScrapeEndpoint, TLSConfig } from './fields.ts';

export const servicemonitors: ResourceType<ServiceMonitor> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1',
  resource: 'servicemonitors',
  kind: 'ServiceMonitor',
  namespaced: true,
});

/** Scrapes the endpoints of the Services that `selector` finds. */
export interface ServiceMonitor {
  readonly apiVersion: 'monitoring.coreos.com/v1';
  readonly kind: 'ServiceMonitor';
  readonly metadata: StoredMeta;
  readonly spec: ServiceMonitorSpec;
}

export interface ServiceMonitorSpec extends MonitorLimits {
  readonly selector: LabelSelector;
  readonly namespaceSelector?: NamespaceSelector;
  readonly endpoints: readonly ServiceMonitorEndpoint[];
  /** The Service's label whose value becomes the `job` label. */
  readonly jobLabel?: string;
  readonly targetLabels?: readonly string[];
  readonly podTargetLabels?: readonly string[];
  readonly attachMetadata?: { readonly node?: boolean };
  readonly bodySizeLimit?: string;
  /** `RelabelConfig` (default) or `RoleSelector`. */
  readonly selectorMechanism?: string;
  /** `Endpoints` (default) or `EndpointSlice`. */
  readonly serviceDiscoveryRole?: string;
}

export interface ServiceMonitorEndpoint extends ScrapeEndpoint {
  readonly bearerTokenFile?: string;
  readonly tlsConfig?: TLSConfig;
}
