import { type ResourceType, resourceType } from '@signalbox/cluster';
import type { GrafanaAgentSpec, GrafanaAgent as StoredAgent } from './generated/types.ts';

export type {
  AgentLogs,
  AgentMetrics,
  AgentStorage,
  APIServerConfig,
  EmbeddedMeta,
  GrafanaAgentSpec,
  GrafanaAgentStatus,
} from './generated/types.ts';

/** The root of a hierarchy: which instances and integrations belong to it, and how its pods look. */
export interface GrafanaAgent extends StoredAgent {
  /** Upstream's definition demands none; one that is missing is an empty one from the root's component on. */
  readonly spec: GrafanaAgentSpec;
}

export const grafanaagents: ResourceType<GrafanaAgent> = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'grafanaagents',
  kind: 'GrafanaAgent',
  namespaced: true,
});
