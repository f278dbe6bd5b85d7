import type { RootComponent } from './component.ts';
import { createGrafanaAgentComponent } from './grafana-agent.ts';
import { createPrometheusComponent } from './prometheus.ts';
import { createPrometheusAgentComponent } from './prometheus-agent.ts';

/** Every kind of root that this version knows, each with its default options. */
export function defaultComponents(): readonly RootComponent[] {
  return [createGrafanaAgentComponent(), createPrometheusComponent(), createPrometheusAgentComponent()];
}
