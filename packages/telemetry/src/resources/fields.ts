import type {
  PodMetricsEndpoint,
  PodMonitorSpec,
  ProbeSpec,
  ScrapeConfigSpec,
  ServiceMonitorEndpoint,
  ServiceMonitorSpec,
} from './generated/types.ts';

/** Field types that several kinds share, as they stand on the wire. */

export type {
  Authorization,
  BasicAuth,
  NamespaceSelector,
  OAuth2,
  RelabelConfig,
  SafeTLSConfig,
  SecretOrConfigMap,
  TLSConfig,
} from './generated/types.ts';

/** The fields that all of several kinds have. */
export type Shared<A, B> = Pick<A, keyof A & keyof B>;

/** What the monitors of `monitoring.coreos.com` have in common. Limits: 0 or absent means none. */
export type MonitorLimits = Shared<Shared<ServiceMonitorSpec, PodMonitorSpec>, Shared<ProbeSpec, ScrapeConfigSpec>>;

/** How one set of targets is scraped: shared by the endpoints of ServiceMonitor and PodMonitor. */
export type ScrapeEndpoint = Shared<PodMetricsEndpoint, ServiceMonitorEndpoint>;

/** How an HTTP request reaches a server through others. */
export type ProxyConfig = Pick<
  ScrapeConfigSpec,
  'noProxy' | 'proxyConnectHeader' | 'proxyFromEnvironment' | 'proxyUrl'
>;
