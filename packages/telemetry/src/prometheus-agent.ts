import type { RootComponent } from './component.ts';
import type { PrometheusOptions } from './manifests/prometheus/flavour.ts';
import { createPrometheusRootComponent } from './prometheus-root.ts';
import { type PrometheusAgent, prometheusagents } from './resources/prometheus-agent.ts';

/** A PrometheusAgent becomes what a Prometheus does, under names of its own; its shards hold nothing worth keeping. */
export function createPrometheusAgentComponent(
  options: Partial<PrometheusOptions> = {},
): RootComponent<PrometheusAgent> {
  return createPrometheusRootComponent({ name: 'prometheus-agent', rootType: prometheusagents }, options);
}
