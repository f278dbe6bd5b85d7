import {
  type Affinity,
  type Container,
  type LabelSelector,
  type LocalObjectReference,
  type PersistentVolumeClaimSpec,
  type PodSecurityContext,
  type ResourceRequirements,
  type ResourceType,
  resourceType,
  type StoredMeta,
  type Toleration,
  type TopologySpreadConstraint,
  type Volume,
  type VolumeMount,
} from '@signalbox/cluster';
import type { Condition } from './condition.ts';
import type { Authorization, BasicAuth, TLSConfig } from './fields.ts';
import type { LogsClient, RemoteWrite } from './remote.ts';

export const grafanaagents: ResourceType<GrafanaAgent> = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'grafanaagents',
  kind: 'GrafanaAgent',
  namespaced: true,
});

/** The root of a hierarchy: which instances and integrations belong to it, and how its pods look. */
export interface GrafanaAgent {
  readonly apiVersion: 'monitoring.grafana.com/v1alpha1';
  readonly kind: 'GrafanaAgent';
  readonly metadata: StoredMeta;
  readonly spec: GrafanaAgentSpec;
  readonly status?: GrafanaAgentStatus;
}

export interface GrafanaAgentSpec {
  readonly logLevel?: string;
  readonly logFormat?: string;
  readonly apiServer?: APIServerConfig;
  readonly podMetadata?: EmbeddedMeta;
  readonly version?: string;
  readonly paused?: boolean;
  readonly image?: string;
  readonly configReloaderVersion?: string;
  readonly configReloaderImage?: string;
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly storage?: AgentStorage;
  readonly volumes?: readonly Volume[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly resources?: ResourceRequirements;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly serviceAccountName?: string;
  readonly secrets?: readonly string[];
  readonly configMaps?: readonly string[];
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly securityContext?: PodSecurityContext;
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly priorityClassName?: string;
  readonly runtimeClassName?: string;
  readonly portName?: string;
  readonly enableConfigReadAPI?: boolean;
  readonly disableReporting?: boolean;
  readonly disableSupportBundle?: boolean;
  readonly metrics?: AgentMetrics;
  readonly logs?: AgentLogs;
  readonly integrations?: { readonly selector?: LabelSelector; readonly namespaceSelector?: LabelSelector };
}

export interface AgentMetrics {
  readonly remoteWrite?: readonly RemoteWrite[];
  readonly replicas?: number;
  readonly shards?: number;
  /** Absent: `__replica__`; empty: no such label. */
  readonly replicaExternalLabelName?: string;
  /** Absent: `cluster`; empty: no such label. */
  readonly metricsExternalLabelName?: string;
  readonly scrapeInterval?: string;
  readonly scrapeTimeout?: string;
  readonly externalLabels?: Readonly<Record<string, string>>;
  readonly arbitraryFSAccessThroughSMs?: { readonly deny?: boolean };
  readonly overrideHonorLabels?: boolean;
  readonly overrideHonorTimestamps?: boolean;
  readonly ignoreNamespaceSelectors?: boolean;
  readonly enforcedNamespaceLabel?: string;
  readonly enforcedSampleLimit?: number;
  readonly enforcedTargetLimit?: number;
  readonly instanceSelector?: LabelSelector;
  readonly instanceNamespaceSelector?: LabelSelector;
}

export interface AgentLogs {
  readonly clients?: readonly LogsClient[];
  /** Absent: `cluster`; empty: no such label. */
  readonly logsExternalLabelName?: string;
  readonly instanceSelector?: LabelSelector;
  readonly instanceNamespaceSelector?: LabelSelector;
  readonly ignoreNamespaceSelectors?: boolean;
  readonly enforcedNamespaceLabel?: string;
}

/** How the agents reach the API server for discovery; absent: from inside the cluster. */
export interface APIServerConfig {
  readonly host: string;
  readonly basicAuth?: BasicAuth;
  readonly bearerToken?: string;
  readonly bearerTokenFile?: string;
  readonly tlsConfig?: TLSConfig;
  readonly authorization?: Authorization;
}

export interface EmbeddedMeta {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface AgentStorage {
  readonly disableMountSubPath?: boolean;
  readonly emptyDir?: NonNullable<Volume['emptyDir']>;
  readonly ephemeral?: NonNullable<Volume['ephemeral']>;
  readonly volumeClaimTemplate?: {
    readonly metadata?: EmbeddedMeta;
    readonly spec?: PersistentVolumeClaimSpec;
  };
}

/** Upstream has no status at all; the CRDs that come with this operator add it. */
export interface GrafanaAgentStatus {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly metricsInstances?: number;
  readonly logsInstances?: number;
  readonly integrations?: number;
  readonly monitors?: number;
}
