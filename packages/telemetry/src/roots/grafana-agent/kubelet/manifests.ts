import type { EndpointAddress, EndpointPort, Endpoints, New, Node, Service } from '@signalbox/cluster';
import { compare } from '../../../world/world.ts';
import { managedBy } from '../manifests/labels.ts';

/** Which Service gathers the kubelets of all nodes. */
export interface KubeletServiceName {
  readonly namespace: string;
  readonly name: string;
}

const ports: readonly (EndpointPort & { readonly name: string })[] = [
  { name: 'https-metrics', port: 10250 },
  { name: 'http-metrics', port: 10255 },
  { name: 'cadvisor', port: 4194 },
];

const labels = {
  'app.kubernetes.io/managed-by': managedBy,
  'k8s-app': 'kubelet',
  'app.kubernetes.io/name': 'kubelet',
};

/** A headless Service without a selector: kubelets are no pods, so their addresses are written by hand. */
export function kubeletService({ namespace, name }: KubeletServiceName): New<Service> {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels },
    spec: {
      type: 'ClusterIP',
      clusterIP: 'None',
      ports: ports.map(({ name: port, port: number }) => ({ name: port, port: number })),
    },
  };
}

/** One address per node, sorted, so that the same nodes always give the same object. Nodes without one are left out. */
export function kubeletEndpoints({ namespace, name }: KubeletServiceName, nodes: Iterable<Node>): New<Endpoints> {
  const addresses = [...nodes]
    .flatMap((node) => addressOf(node) ?? [])
    .sort((a, b) => compare(a.ip, b.ip) || compare(a.targetRef?.name ?? '', b.targetRef?.name ?? ''));
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name, namespace, labels },
    subsets: addresses.length === 0 ? [] : [{ addresses, ports }],
  };
}

/** The first internal address, else the first external one. */
function addressOf({ metadata, status }: Node): EndpointAddress | undefined {
  const all = status?.addresses ?? [];
  const found = all.find(({ type }) => type === 'InternalIP') ?? all.find(({ type }) => type === 'ExternalIP');
  if (found === undefined || found.address === '') return undefined;
  const { name, uid } = metadata;
  return { ip: found.address, targetRef: { apiVersion: 'v1', kind: 'Node', name, uid } };
}
