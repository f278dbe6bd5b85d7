import type { Container, ContainerPort, Pod } from '@signalbox/cluster';
import type { LabelSet } from '../relabel/execute.ts';

/* Ports of pods as Prometheus' discovery tells them, which the rules of jobs choose by. */

/** By it a slice names its Service. */
export const serviceNameLabel = 'kubernetes.io/service-name';

/** A container with a port of it, or with none that it declares. */
export interface PodPort {
  readonly container: Container;
  readonly port: ContainerPort | undefined;
  readonly isInit: boolean;
}

export function portLabels({ container, port }: PodPort): LabelSet {
  return {
    __meta_kubernetes_pod_container_name: container.name,
    __meta_kubernetes_pod_container_image: container.image ?? '',
    ...(port !== undefined && {
      __meta_kubernetes_pod_container_port_name: port.name ?? '',
      __meta_kubernetes_pod_container_port_number: String(port.containerPort),
      __meta_kubernetes_pod_container_port_protocol: port.protocol ?? 'TCP',
    }),
  };
}

export function portsOf({ spec }: Pod): readonly PodPort[] {
  // Manifests are not checked as a server checks them.
  const { initContainers = [], containers = [] } = (spec ?? {}) as Partial<Pod['spec']>;
  const init = initContainers.map((container) => ({ container, isInit: true }));
  const usual = containers.map((container) => ({ container, isInit: false }));
  return [...usual, ...init].flatMap(({ container, isInit }): readonly PodPort[] => {
    const ports = container.ports ?? [];
    return ports.length === 0
      ? [{ container, port: undefined, isInit }]
      : ports.map((port) => ({ container, port, isInit }));
  });
}
