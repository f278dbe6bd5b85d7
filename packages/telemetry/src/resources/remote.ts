import type { SecretKeySelector } from '@signalbox/cluster';
import type { BasicAuth, OAuth2, RelabelConfig, TLSConfig } from './fields.ts';

/** Where metrics go (`remoteWrite[]` of GrafanaAgent and MetricsInstance). */
export interface RemoteWrite {
  readonly url: string;
  readonly name?: string;
  readonly remoteTimeout?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly writeRelabelConfigs?: readonly RelabelConfig[];
  readonly basicAuth?: BasicAuth;
  readonly oauth2?: OAuth2;
  /** The token itself: the resource has no reference to a Secret for it. */
  readonly bearerToken?: string;
  readonly bearerTokenFile?: string;
  readonly sigv4?: SigV4;
  readonly tlsConfig?: TLSConfig;
  readonly proxyUrl?: string;
  readonly queueConfig?: QueueConfig;
  readonly metadataConfig?: { readonly send?: boolean; readonly sendInterval?: string };
}

export interface SigV4 {
  readonly region?: string;
  readonly profile?: string;
  readonly roleARN?: string;
  readonly accessKey?: SecretKeySelector;
  readonly secretKey?: SecretKeySelector;
}

export interface QueueConfig {
  readonly capacity?: number;
  readonly minShards?: number;
  readonly maxShards?: number;
  readonly maxSamplesPerSend?: number;
  readonly batchSendDeadline?: string;
  readonly maxRetries?: number;
  readonly minBackoff?: string;
  readonly maxBackoff?: string;
  readonly retryOnRateLimit?: boolean;
}

/** Where logs go (`clients[]` of GrafanaAgent's logs and LogsInstance). */
export interface LogsClient {
  readonly url: string;
  readonly tenantId?: string;
  readonly batchWait?: string;
  readonly batchSize?: number;
  readonly basicAuth?: BasicAuth;
  readonly oauth2?: OAuth2;
  readonly bearerToken?: string;
  readonly bearerTokenFile?: string;
  readonly proxyUrl?: string;
  readonly tlsConfig?: TLSConfig;
  readonly backoffConfig?: { readonly minPeriod?: string; readonly maxPeriod?: string; readonly maxRetries?: number };
  readonly externalLabels?: Readonly<Record<string, string>>;
  readonly timeout?: string;
}
