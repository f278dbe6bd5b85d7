import {
  type LabelSelector,
  type ResourceType,
  resourceType,
  type SecretKeySelector,
  type StoredMeta,
} from '@signalbox/cluster';
import type {
  Authorization,
  BasicAuth,
  MonitorLimits,
  NamespaceSelector,
  OAuth2,
  RelabelConfig,
  SafeTLSConfig,
} from './fields.ts';

export const probes: ResourceType<Probe> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1',
  resource: 'probes',
  kind: 'Probe',
  namespaced: true,
});

/** Asks a prober (such as the blackbox exporter) about static targets or about Ingresses. */
export interface Probe {
  readonly apiVersion: 'monitoring.coreos.com/v1';
  readonly kind: 'Probe';
  readonly metadata: StoredMeta;
  readonly spec: ProbeSpec;
}

export interface ProbeSpec extends MonitorLimits {
  readonly jobName?: string;
  readonly prober?: Prober;
  readonly module?: string;
  /** `staticConfig` wins when both are given. */
  readonly targets?: { readonly staticConfig?: ProbeStaticTargets; readonly ingress?: ProbeIngressTargets };
  readonly interval?: string;
  readonly scrapeTimeout?: string;
  readonly tlsConfig?: SafeTLSConfig;
  readonly bearerTokenSecret?: SecretKeySelector;
  readonly basicAuth?: BasicAuth;
  readonly oauth2?: OAuth2;
  readonly authorization?: Authorization;
  readonly metricRelabelings?: readonly RelabelConfig[];
  readonly params?: readonly { readonly name: string; readonly values?: readonly string[] }[];
  readonly enableHttp2?: boolean;
  readonly followRedirects?: boolean;
}

export interface Prober {
  readonly url: string;
  readonly scheme?: string;
  /** `/probe` when absent. */
  readonly path?: string;
  readonly proxyUrl?: string;
  readonly noProxy?: string;
  readonly proxyFromEnvironment?: boolean;
  readonly proxyConnectHeader?: Readonly<Record<string, readonly SecretKeySelector[]>>;
}

export interface ProbeStaticTargets {
  readonly static?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly relabelingConfigs?: readonly RelabelConfig[];
}

export interface ProbeIngressTargets {
  readonly selector?: LabelSelector;
  readonly namespaceSelector?: NamespaceSelector;
  readonly relabelingConfigs?: readonly RelabelConfig[];
}
