import {
  type ConfigMapKeySelector,
  type ResourceType,
  resourceType,
  type SecretKeySelector,
  type StoredMeta,
  type Volume,
  type VolumeMount,
} from '@signalbox/cluster';

export const integrations: ResourceType<Integration> = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'integrations',
  kind: 'Integration',
  namespaced: true,
});

/** An exporter that runs inside the agent: on one pod, or on every node. */
export interface Integration {
  readonly apiVersion: 'monitoring.grafana.com/v1alpha1';
  readonly kind: 'Integration';
  readonly metadata: StoredMeta;
  readonly spec: IntegrationSpec;
}

export interface IntegrationSpec {
  /** The integration's name in the agent's configuration, e.g. `node_exporter`. */
  readonly name: string;
  readonly type: { readonly allNodes?: boolean; readonly unique?: boolean };
  readonly config: unknown;
  readonly volumes?: readonly Volume[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly secrets?: readonly SecretKeySelector[];
  readonly configMaps?: readonly ConfigMapKeySelector[];
}
