import { type ResourceType, resourceType } from '@signalbox/cluster';
import type { IntegrationSpec, Integration as StoredIntegration } from './generated/types.ts';

export type { IntegrationSpec } from './generated/types.ts';

/** An exporter that runs inside the agent: on one pod, or on every node. */
export interface Integration extends StoredIntegration {
  /** The definition demands none; whoever leaves it out is told, and no hierarchy has it. */
  readonly spec: IntegrationSpec;
}

export const integrations: ResourceType<Integration> = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'integrations',
  kind: 'Integration',
  namespaced: true,
});
