import type { RootComponent } from '../../operator/component.ts';
import { type PrometheusAgent, prometheusagents } from '../../resources/prometheus-agent.ts';
import { createPrometheusRootComponent } from './component.ts';
import type { PrometheusOptions } from './manifests/flavour.ts';

/** A PrometheusAgent becomes what a Prometheus does, under names of its own; its shards hold nothing worth keeping. */
export function createPrometheusAgentComponent(
  options: Partial<PrometheusOptions> = {},
): RootComponent<PrometheusAgent> {
  return createPrometheusRootComponent({ name: 'prometheus-agent', rootType: prometheusagents }, options);
}
