import type {
  Affinity,
  Container,
  HostAlias,
  LabelSelector,
  LocalObjectReference,
  PersistentVolumeClaimSpec,
  PodDNSConfig,
  PodSecurityContext,
  ResourceRequirements,
  SecretKeySelector,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetUpdateStrategy,
  Toleration,
  TopologySpreadConstraint,
  Volume,
  VolumeMount,
} from '@signalbox/cluster';
import type { Condition } from './condition.ts';
import type { Authorization, BasicAuth, OAuth2, RelabelConfig, SecretOrConfigMap, TLSConfig } from './fields.ts';

/** Field types that Prometheus and PrometheusAgent share, as they stand on the wire. */

export type Labels = Readonly<Record<string, string>>;

/** How an HTTP request reaches a server through others. */
export interface ProxyConfig {
  readonly proxyUrl?: string;
  readonly noProxy?: string;
  readonly proxyFromEnvironment?: boolean;
  readonly proxyConnectHeader?: Readonly<Record<string, readonly SecretKeySelector[]>>;
}

export interface PrometheusRemoteWrite extends ProxyConfig {
  readonly url: string;
  readonly name?: string;
  /** `V1.0` (default) or `V2.0`. */
  readonly messageVersion?: string;
  readonly sendExemplars?: boolean;
  readonly sendNativeHistograms?: boolean;
  readonly remoteTimeout?: string;
  readonly headers?: Labels;
  readonly writeRelabelConfigs?: readonly RelabelConfig[];
  readonly basicAuth?: BasicAuth;
  readonly oauth2?: OAuth2;
  readonly bearerToken?: string;
  readonly bearerTokenFile?: string;
  readonly authorization?: Authorization;
  readonly sigv4?: {
    readonly region?: string;
    readonly accessKey?: SecretKeySelector;
    readonly secretKey?: SecretKeySelector;
    readonly profile?: string;
    readonly roleArn?: string;
    readonly externalId?: string;
    readonly useFIPSSTSEndpoint?: boolean;
  };
  readonly azureAd?: {
    /** `AzurePublic` (default), `AzureChina` or `AzureGovernment`. */
    readonly cloud?: string;
    readonly managedIdentity?: { readonly clientId?: string };
    readonly oauth?: { readonly clientId: string; readonly clientSecret: SecretKeySelector; readonly tenantId: string };
    readonly sdk?: { readonly tenantId?: string };
    readonly workloadIdentity?: { readonly clientId: string; readonly tenantId: string };
    readonly scope?: string;
  };
  readonly tlsConfig?: TLSConfig;
  readonly followRedirects?: boolean;
  readonly enableHTTP2?: boolean;
  readonly roundRobinDNS?: boolean;
  readonly queueConfig?: {
    readonly capacity?: number;
    readonly minShards?: number;
    readonly maxShards?: number;
    readonly maxSamplesPerSend?: number;
    readonly batchSendDeadline?: string;
    readonly maxRetries?: number;
    readonly minBackoff?: string;
    readonly maxBackoff?: string;
    readonly retryOnRateLimit?: boolean;
    readonly sampleAgeLimit?: string;
  };
  readonly metadataConfig?: {
    readonly send?: boolean;
    readonly sendInterval?: string;
    readonly maxSamplesPerSend?: number;
  };
}

/** How service discovery reaches the API server; absent: from inside the cluster. */
export interface PrometheusAPIServer extends ProxyConfig {
  readonly host: string;
  readonly basicAuth?: BasicAuth;
  readonly bearerToken?: string;
  readonly bearerTokenFile?: string;
  readonly authorization?: Authorization;
  readonly tlsConfig?: TLSConfig;
}

/** Settings that monitors take over by naming the class. */
export interface ScrapeClass {
  readonly name: string;
  /** For monitors that name none. At most one class may say so. */
  readonly default?: boolean;
  readonly fallbackScrapeProtocol?: string;
  readonly tlsConfig?: TLSConfig;
  readonly authorization?: Authorization;
  readonly relabelings?: readonly RelabelConfig[];
  readonly metricRelabelings?: readonly RelabelConfig[];
  readonly attachMetadata?: { readonly node?: boolean };
}

/** An object, or with an empty name all objects of a namespace, that the enforced namespace label spares. */
export interface ObjectReference {
  /** Plural, such as `servicemonitors`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name?: string;
}

export interface PrometheusStorage {
  readonly disableMountSubPath?: boolean;
  readonly emptyDir?: NonNullable<Volume['emptyDir']>;
  readonly ephemeral?: NonNullable<Volume['ephemeral']>;
  readonly volumeClaimTemplate?: {
    readonly metadata?: { readonly name?: string; readonly labels?: Labels; readonly annotations?: Labels };
    readonly spec?: PersistentVolumeClaimSpec;
  };
}

export interface PrometheusWeb {
  readonly pageTitle?: string;
  readonly maxConnections?: number;
  readonly httpConfig?: { readonly http2?: boolean; readonly headers?: WebHeaders };
  readonly tlsConfig?: WebTLSConfig;
}

export interface WebHeaders {
  readonly contentSecurityPolicy?: string;
  readonly xFrameOptions?: string;
  readonly xContentTypeOptions?: string;
  readonly xXSSProtection?: string;
  readonly strictTransportSecurity?: string;
}

export interface WebTLSConfig {
  readonly cert?: SecretOrConfigMap;
  readonly keySecret?: SecretKeySelector;
  readonly client_ca?: SecretOrConfigMap;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly clientCAFile?: string;
  readonly clientAuthType?: string;
  readonly minVersion?: string;
  readonly maxVersion?: string;
  readonly cipherSuites?: readonly string[];
  readonly curvePreferences?: readonly string[];
  readonly preferServerCipherSuites?: boolean;
}

/** What Prometheus and PrometheusAgent have in common. */
export interface CommonPrometheusSpec {
  readonly podMetadata?: { readonly name?: string; readonly labels?: Labels; readonly annotations?: Labels };
  readonly serviceMonitorSelector?: LabelSelector;
  readonly serviceMonitorNamespaceSelector?: LabelSelector;
  readonly podMonitorSelector?: LabelSelector;
  readonly podMonitorNamespaceSelector?: LabelSelector;
  readonly probeSelector?: LabelSelector;
  readonly probeNamespaceSelector?: LabelSelector;
  readonly scrapeConfigSelector?: LabelSelector;
  readonly scrapeConfigNamespaceSelector?: LabelSelector;
  readonly version?: string;
  readonly paused?: boolean;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  /** Pods per shard. */
  readonly replicas?: number;
  readonly shards?: number;
  readonly shardingStrategy?: { readonly mode?: string };
  /** Absent: `prometheus_replica`; empty: no such label. */
  readonly replicaExternalLabelName?: string;
  /** Absent: `prometheus`; empty: no such label. */
  readonly prometheusExternalLabelName?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
  readonly scrapeInterval?: string;
  readonly scrapeTimeout?: string;
  readonly scrapeProtocols?: readonly string[];
  readonly externalLabels?: Labels;
  readonly enableRemoteWriteReceiver?: boolean;
  readonly remoteWriteReceiverMessageVersions?: readonly string[];
  readonly enableOTLPReceiver?: boolean;
  /** Only whether it is there matters so far: then the receiver is on. */
  readonly otlp?: object;
  readonly enableFeatures?: readonly string[];
  readonly externalUrl?: string;
  readonly routePrefix?: string;
  readonly storage?: PrometheusStorage;
  readonly volumes?: readonly Volume[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly web?: PrometheusWeb;
  readonly resources?: ResourceRequirements;
  readonly nodeSelector?: Labels;
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly secrets?: readonly string[];
  readonly configMaps?: readonly string[];
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly topologySpreadConstraints?: readonly (TopologySpreadConstraint & {
    readonly additionalLabelSelectors?: string;
  })[];
  readonly remoteWrite?: readonly PrometheusRemoteWrite[];
  readonly securityContext?: PodSecurityContext;
  readonly dnsPolicy?: string;
  readonly dnsConfig?: PodDNSConfig;
  readonly listenLocal?: boolean;
  readonly podManagementPolicy?: string;
  readonly updateStrategy?: StatefulSetUpdateStrategy;
  readonly schedulerName?: string;
  readonly enableServiceLinks?: boolean;
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly additionalScrapeConfigs?: SecretKeySelector;
  readonly apiserverConfig?: PrometheusAPIServer;
  readonly priorityClassName?: string;
  readonly portName?: string;
  readonly arbitraryFSAccessThroughSMs?: { readonly deny?: boolean };
  readonly overrideHonorLabels?: boolean;
  readonly overrideHonorTimestamps?: boolean;
  readonly ignoreNamespaceSelectors?: boolean;
  readonly enforcedNamespaceLabel?: string;
  readonly excludedFromEnforcement?: readonly ObjectReference[];
  readonly enforcedSampleLimit?: number;
  readonly enforcedTargetLimit?: number;
  readonly enforcedLabelLimit?: number;
  readonly enforcedLabelNameLengthLimit?: number;
  readonly enforcedLabelValueLengthLimit?: number;
  readonly enforcedKeepDroppedTargets?: number;
  readonly enforcedBodySizeLimit?: string;
  readonly sampleLimit?: number;
  readonly targetLimit?: number;
  readonly labelLimit?: number;
  readonly labelNameLengthLimit?: number;
  readonly labelValueLengthLimit?: number;
  readonly keepDroppedTargets?: number;
  readonly bodySizeLimit?: string;
  readonly nameValidationScheme?: string;
  readonly nameEscapingScheme?: string;
  readonly convertClassicHistogramsToNHCB?: boolean;
  readonly scrapeClassicHistograms?: boolean;
  readonly scrapeNativeHistograms?: boolean;
  readonly minReadySeconds?: number;
  readonly hostAliases?: readonly HostAlias[];
  readonly hostNetwork?: boolean;
  readonly hostUsers?: boolean;
  readonly additionalArgs?: readonly { readonly name: string; readonly value?: string }[];
  readonly walCompression?: boolean;
  readonly podTargetLabels?: readonly string[];
  readonly scrapeClasses?: readonly ScrapeClass[];
  readonly serviceDiscoveryRole?: string;
  readonly serviceName?: string;
  /** `HTTP` (default) or `ProcessSignal`. */
  readonly reloadStrategy?: string;
  /** A path, or the name of a file in a volume of its own. */
  readonly scrapeFailureLogFile?: string;
  readonly maximumStartupDurationSeconds?: number;
  readonly terminationGracePeriodSeconds?: number;
  readonly runtime?: { readonly goGC?: number };
  readonly tsdb?: { readonly outOfOrderTimeWindow?: string };
}

export interface ShardStatus {
  readonly shardID: string;
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly availableReplicas: number;
  readonly unavailableReplicas: number;
}

export interface PrometheusStatus {
  readonly observedGeneration?: number;
  readonly paused?: boolean;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly conditions?: readonly Condition[];
  readonly shardStatuses?: readonly ShardStatus[];
  readonly shards?: number;
  readonly selector?: string;
}
