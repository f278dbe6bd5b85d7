import type { RootComponent } from '../../operator/component.ts';
import { type Prometheus, prometheuses } from '../../resources/prometheus.ts';
import { createPrometheusRootComponent } from './component.ts';
import type { PrometheusOptions } from './manifests/flavour.ts';

/**
 * A Prometheus with its monitors becomes one StatefulSet per shard, with one configuration for all of them, under the
 * names and labels that the Prometheus Operator gives them.
 */
export function createPrometheusComponent(options: Partial<PrometheusOptions> = {}): RootComponent<Prometheus> {
  return createPrometheusRootComponent({ name: 'prometheus', rootType: prometheuses }, options);
}
