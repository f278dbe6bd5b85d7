import type { RootComponent } from './operator/component.ts';
import { createGrafanaAgentComponent } from './roots/grafana-agent/component.ts';
import type { AgentOptions } from './roots/grafana-agent/manifests/labels.ts';
import { createPrometheusComponent } from './roots/prometheus/prometheus.ts';
import { createPrometheusAgentComponent } from './roots/prometheus/prometheus-agent.ts';

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
