import type { RootComponent } from './component.ts';
import { createGrafanaAgentComponent } from './grafana-agent.ts';
import type { AgentOptions } from './manifests/agent-labels.ts';
import { createPrometheusComponent } from './prometheus.ts';
import { createPrometheusAgentComponent } from './prometheus-agent.ts';

/** What all kinds of roots are told alike, and which GrafanaAgents are taken at all. */
export type ComponentOptions = Partial<Pick<AgentOptions, 'agentSelector' | 'labels'>>;

/** Every kind of root that this version knows, each with its default options besides these. */
export function defaultComponents({ agentSelector, labels }: ComponentOptions = {}): readonly RootComponent[] {
  const alike = labels === undefined ? {} : { labels };
  return [
    createGrafanaAgentComponent({ ...alike, ...(agentSelector !== undefined && { agentSelector }) }),
    createPrometheusComponent(alike),
    createPrometheusAgentComponent(alike),
  ];
}
