import { type Ingress, ingresses, type Node, nodes, type Service, services } from '@signalbox/cluster';
import type { LabelSet } from '../../relabel/execute.ts';
import type { World } from '../../world/world.ts';
import { hostPort, meta, objectLabels } from './meta-labels.ts';

/** One target per node: its kubelet. */
export function nodeTargets(node: Node): readonly LabelSet[] {
  const addresses = node.status?.addresses ?? [];
  const order = ['InternalIP', 'InternalDNS', 'ExternalIP', 'ExternalDNS', 'LegacyHostIP', 'Hostname'];
  const address = order.map((type) => addresses.find((each) => each.type === type)).find((each) => each !== undefined);
  if (address === undefined) return [];
  return [
    {
      __address__: hostPort(address.address, node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 10_250),
      instance: node.metadata.name,
      [`${meta}node_name`]: node.metadata.name,
      [`${meta}node_provider_id`]: node.spec?.providerID ?? '',
      ...Object.fromEntries(addresses.map(({ type, address: text }) => [`${meta}node_address_${type}`, text])),
      ...objectLabels('node', node),
    },
  ];
}

/** One target per port of a Service. */
export function serviceTargets(service: Service): readonly LabelSet[] {
  const { metadata, spec } = service;
  return (spec.ports ?? []).map(({ name = '', port, protocol = 'TCP' }) => ({
    __address__: `${metadata.name}.${metadata.namespace}.svc:${port}`,
    [`${meta}namespace`]: metadata.namespace ?? '',
    [`${meta}service_name`]: metadata.name,
    [`${meta}service_port_name`]: name,
    [`${meta}service_port_number`]: String(port),
    [`${meta}service_port_protocol`]: protocol,
    [`${meta}service_type`]: spec.type ?? 'ClusterIP',
    ...(spec.type === 'ExternalName'
      ? { [`${meta}service_external_name`]: spec.externalName ?? '' }
      : { [`${meta}service_cluster_ip`]: spec.clusterIP ?? '' }),
    ...objectLabels('service', service),
  }));
}

/** One target per path of each rule. */
export function ingressTargets(ingress: Ingress): readonly LabelSet[] {
  const { metadata, spec } = ingress;
  const encrypted = (spec?.tls ?? []).flatMap(({ hosts = [] }) => hosts);
  return (spec?.rules ?? []).flatMap(({ host = '', http }) =>
    (http?.paths ?? [{ path: '/' }]).map(({ path }) => ({
      __address__: host,
      [`${meta}namespace`]: metadata.namespace ?? '',
      [`${meta}ingress_name`]: metadata.name,
      [`${meta}ingress_class_name`]: spec?.ingressClassName ?? '',
      [`${meta}ingress_scheme`]: encrypted.some((each) => isCovered(host, each)) ? 'https' : 'http',
      [`${meta}ingress_host`]: host,
      [`${meta}ingress_path`]: path || '/',
      ...objectLabels('ingress', ingress),
    })),
  );
}

function isCovered(host: string, pattern: string): boolean {
  if (!pattern.startsWith('*.')) return host === pattern;
  return host.slice(host.indexOf('.') + 1) === pattern.slice(2);
}

export function servicesIn(world: World, namespaces: readonly string[] | undefined): readonly Service[] {
  return namespaces === undefined ? world.list(services) : namespaces.flatMap((each) => world.list(services, each));
}

export function ingressesIn(world: World, namespaces: readonly string[] | undefined): readonly Ingress[] {
  return namespaces === undefined ? world.list(ingresses) : namespaces.flatMap((each) => world.list(ingresses, each));
}

export function nodesOf(world: World): readonly Node[] {
  return world.list(nodes);
}
