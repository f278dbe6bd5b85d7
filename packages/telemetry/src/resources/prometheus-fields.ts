import type { Shared } from './fields.ts';
import type { PrometheusAgentSpec, PrometheusSpec } from './generated/types.ts';

/** Field types that Prometheus and PrometheusAgent share, as they stand on the wire. */

export type { ProxyConfig } from './fields.ts';
export type {
  ObjectReference,
  PrometheusAPIServer,
  PrometheusRemoteWrite,
  PrometheusStatus,
  PrometheusStorage,
  PrometheusWeb,
  ScrapeClass,
  ShardStatus,
  WebHeaders,
  WebTLSConfig,
} from './generated/types.ts';

export type Labels = Readonly<Record<string, string>>;

/** What Prometheus and PrometheusAgent have in common. */
export type CommonPrometheusSpec = Shared<PrometheusSpec, PrometheusAgentSpec>;
