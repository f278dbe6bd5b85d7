import { type ResourceType, resourceType, type StoredMeta } from '@signalbox/cluster';
import type { Authorization, BasicAuth, MonitorLimits, OAuth2, RelabelConfig, SafeTLSConfig } from './fields.ts';
import type { Labels, ProxyConfig } from './prometheus-fields.ts';

export const scrapeconfigs: ResourceType<ScrapeConfig> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1alpha1',
  resource: 'scrapeconfigs',
  kind: 'ScrapeConfig',
  namespaced: true,
});

/** One scrape job, spelled out. */
export interface ScrapeConfig {
  readonly apiVersion: 'monitoring.coreos.com/v1alpha1';
  readonly kind: 'ScrapeConfig';
  readonly metadata: StoredMeta;
  readonly spec: ScrapeConfigSpec;
}

export interface ScrapeConfigSpec extends MonitorLimits, ProxyConfig {
  readonly jobName?: string;
  readonly staticConfigs?: readonly { readonly targets?: readonly string[]; readonly labels?: Labels }[];
  readonly fileSDConfigs?: readonly { readonly files: readonly string[]; readonly refreshInterval?: string }[];
  readonly httpSDConfigs?: readonly HTTPSDConfig[];
  readonly kubernetesSDConfigs?: readonly KubernetesSDConfig[];
  readonly relabelings?: readonly RelabelConfig[];
  readonly metricRelabelings?: readonly RelabelConfig[];
  readonly metricsPath?: string;
  readonly scrapeInterval?: string;
  readonly scrapeTimeout?: string;
  readonly honorLabels?: boolean;
  readonly honorTimestamps?: boolean;
  readonly trackTimestampsStaleness?: boolean;
  readonly params?: Readonly<Record<string, readonly string[]>>;
  readonly scheme?: string;
  readonly enableCompression?: boolean;
  readonly enableHTTP2?: boolean;
  readonly basicAuth?: BasicAuth;
  readonly authorization?: Authorization;
  readonly oauth2?: OAuth2;
  readonly tlsConfig?: SafeTLSConfig;
  readonly bodySizeLimit?: string;
  /** Its own name for `scrapeClass`. */
  readonly scrapeClass?: string;
}

export interface HTTPSDConfig extends ProxyConfig {
  readonly url: string;
  readonly refreshInterval?: string;
  readonly basicAuth?: BasicAuth;
  readonly authorization?: Authorization;
  readonly oauth2?: OAuth2;
  readonly tlsConfig?: SafeTLSConfig;
  readonly followRedirects?: boolean;
  readonly enableHTTP2?: boolean;
}

/** Discovery at the API server of the cluster that Prometheus runs in, or at `apiServer`. */
export interface KubernetesSDConfig extends ProxyConfig {
  readonly role: string;
  readonly apiServer?: string;
  readonly namespaces?: { readonly ownNamespace?: boolean; readonly names?: readonly string[] };
  readonly selectors?: readonly { readonly role: string; readonly label?: string; readonly field?: string }[];
  readonly attachMetadata?: { readonly node?: boolean };
  readonly basicAuth?: BasicAuth;
  readonly authorization?: Authorization;
  readonly oauth2?: OAuth2;
  readonly tlsConfig?: SafeTLSConfig;
  readonly followRedirects?: boolean;
  readonly enableHTTP2?: boolean;
}
