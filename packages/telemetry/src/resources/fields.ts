import type { ConfigMapKeySelector, SecretKeySelector } from '@signalbox/cluster';

/** Field types that the kinds of both operators share, as they stand on the wire. */

/** One of the two; upstream refuses both at once. */
export interface SecretOrConfigMap {
  readonly secret?: SecretKeySelector;
  readonly configMap?: ConfigMapKeySelector;
}

export interface BasicAuth {
  readonly username?: SecretKeySelector;
  readonly password?: SecretKeySelector;
}

export interface OAuth2 {
  readonly clientId: SecretOrConfigMap;
  readonly clientSecret: SecretKeySelector;
  readonly tokenUrl: string;
  readonly scopes?: readonly string[];
  readonly endpointParams?: Readonly<Record<string, string>>;
  readonly tlsConfig?: SafeTLSConfig;
  readonly proxyUrl?: string;
  readonly noProxy?: string;
  readonly proxyFromEnvironment?: boolean;
  readonly proxyConnectHeader?: Readonly<Record<string, readonly SecretKeySelector[]>>;
}

export interface Authorization {
  readonly type?: string;
  readonly credentials?: SecretKeySelector;
  readonly credentialsFile?: string;
}

/** TLS settings that can only point at Secrets and ConfigMaps. */
export interface SafeTLSConfig {
  readonly ca?: SecretOrConfigMap;
  readonly cert?: SecretOrConfigMap;
  readonly keySecret?: SecretKeySelector;
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  /** `TLS10` … `TLS13`. */
  readonly minVersion?: string;
  readonly maxVersion?: string;
}

/** TLS settings that can also point at files of the agent's container. */
export interface TLSConfig extends SafeTLSConfig {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** A relabelling step as the custom resources spell it; `action` in lower or camel case. */
export interface RelabelConfig {
  readonly sourceLabels?: readonly string[];
  readonly separator?: string;
  readonly targetLabel?: string;
  readonly regex?: string;
  readonly modulus?: number;
  readonly replacement?: string;
  readonly action?: string;
}

/** Namespaces by name. Neither set: the namespace of the monitor itself. */
export interface NamespaceSelector {
  readonly any?: boolean;
  readonly matchNames?: readonly string[];
}

/** What the monitors of `monitoring.coreos.com` have in common. Limits: 0 or absent means none. */
export interface MonitorLimits {
  readonly sampleLimit?: number;
  readonly targetLimit?: number;
  readonly labelLimit?: number;
  readonly labelNameLengthLimit?: number;
  readonly labelValueLengthLimit?: number;
  readonly keepDroppedTargets?: number;
  readonly scrapeProtocols?: readonly string[];
  readonly fallbackScrapeProtocol?: string;
  readonly scrapeClass?: string;
  readonly scrapeClassicHistograms?: boolean;
  readonly scrapeNativeHistograms?: boolean;
  readonly nativeHistogramBucketLimit?: number;
  readonly nativeHistogramMinBucketFactor?: number | string;
  readonly convertClassicHistogramsToNHCB?: boolean;
}

/** How one set of targets is scraped: shared by the endpoints of ServiceMonitor and PodMonitor. */
export interface ScrapeEndpoint {
  readonly port?: string;
  readonly targetPort?: number | string;
  readonly path?: string;
  readonly scheme?: string;
  readonly params?: Readonly<Record<string, readonly string[]>>;
  readonly interval?: string;
  readonly scrapeTimeout?: string;
  readonly honorLabels?: boolean;
  readonly honorTimestamps?: boolean;
  readonly trackTimestampsStaleness?: boolean;
  readonly basicAuth?: BasicAuth;
  readonly oauth2?: OAuth2;
  readonly authorization?: Authorization;
  readonly bearerTokenSecret?: SecretKeySelector;
  readonly tlsConfig?: SafeTLSConfig;
  readonly metricRelabelings?: readonly RelabelConfig[];
  readonly relabelings?: readonly RelabelConfig[];
  readonly proxyUrl?: string;
  readonly noProxy?: string;
  readonly proxyFromEnvironment?: boolean;
  readonly proxyConnectHeader?: Readonly<Record<string, readonly SecretKeySelector[]>>;
  readonly followRedirects?: boolean;
  readonly enableHttp2?: boolean;
  readonly filterRunning?: boolean;
}
