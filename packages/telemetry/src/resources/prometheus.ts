import { type ResourceType, resourceType } from '@signalbox/cluster';
import type { Prometheus } from './generated/types.ts';

export type { Prometheus, PrometheusSpec, ShardRetentionPolicy } from './generated/types.ts';

/** A sharded Prometheus with its own storage. */
export const prometheuses: ResourceType<Prometheus> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1',
  resource: 'prometheuses',
  kind: 'Prometheus',
  namespaced: true,
});
