import { type Container, type ContainerPort, nodes, type Pod, pods } from '@signalbox/cluster';
import type { LabelSet } from '../../relabel/execute.ts';
import type { World } from '../../world/world.ts';
import { hostPort, meta, objectLabels, podLabels } from './meta-labels.ts';

/** A container with a port of it, or with none that it declares. */
export interface PodPort {
  readonly container: Container;
  readonly port: ContainerPort | undefined;
  readonly isInit: boolean;
}

/** One target per declared port; a container that declares none is one target without a port. Pods without an address are none. */
export function podTargets(pod: Pod): readonly LabelSet[] {
  const ip = pod.status?.podIP ?? '';
  if (ip === '') return [];
  const common = { [`${meta}namespace`]: pod.metadata.namespace ?? '', ...podLabels(pod) };
  return portsOf(pod).map((each) => ({
    __address__: each.port === undefined ? ip : hostPort(ip, each.port.containerPort),
    ...common,
    ...portLabels(each),
    [`${meta}pod_container_init`]: String(each.isInit),
  }));
}

export function portLabels({ container, port }: PodPort): LabelSet {
  return {
    [`${meta}pod_container_name`]: container.name,
    [`${meta}pod_container_image`]: container.image ?? '',
    ...(port !== undefined && {
      [`${meta}pod_container_port_name`]: port.name ?? '',
      [`${meta}pod_container_port_number`]: String(port.containerPort),
      [`${meta}pod_container_port_protocol`]: port.protocol ?? 'TCP',
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

/** What comes from a pod's node to its targets, where a job asks for it. */
export function nodeLabelsOf(nodeName: string | undefined, world: World): LabelSet {
  const node = nodeName === undefined ? undefined : world.get(nodes, nodeName);
  return node === undefined ? {} : { [`${meta}node_name`]: node.metadata.name, ...objectLabels('node', node) };
}

export function podsIn(world: World, namespaces: readonly string[] | undefined): readonly Pod[] {
  return namespaces === undefined ? world.list(pods) : namespaces.flatMap((each) => world.list(pods, each));
}
