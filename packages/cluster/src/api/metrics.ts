/** `metrics.k8s.io/v1beta1`: what pods and nodes use at the moment. Nothing of it is stored. */
import { type ResourceType, resourceType } from './gvk.ts';
import type { KubeObject } from './meta.ts';

/** Quantities: `12500n` cores, `64Mi` bytes. */
export interface ResourceUsage {
  readonly cpu: string;
  readonly memory: string;
}

interface Measured extends KubeObject {
  /** The end of the window over which CPU was averaged. */
  readonly timestamp: string;
  /** A duration, as `15s`. */
  readonly window: string;
}

export interface NodeMetrics extends Measured {
  readonly usage: ResourceUsage;
}

export interface ContainerMetrics {
  readonly name: string;
  readonly usage: ResourceUsage;
}

export interface PodMetrics extends Measured {
  readonly containers: readonly ContainerMetrics[];
}

const group = { group: 'metrics.k8s.io', version: 'v1beta1' };

export const nodemetrics: ResourceType<NodeMetrics> = resourceType<NodeMetrics>({
  ...{ ...group, resource: 'nodes', kind: 'NodeMetrics', namespaced: false },
});
export const podmetrics: ResourceType<PodMetrics> = resourceType<PodMetrics>({
  ...{ ...group, resource: 'pods', kind: 'PodMetrics', namespaced: true },
});
