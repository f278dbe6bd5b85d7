/** Ports of the node's own address: NodePorts from the table, and those that pods ask for. The rest is the gateway's. */
import type { PodPlace } from '../../protocol/inside.ts';
import type { ServicePort, ServiceTable } from '../../protocol/network.ts';

export interface SplitTable {
  readonly ofNode: readonly ServicePort[];
  readonly ofGateway: readonly ServicePort[];
}

export function splitTable({ ports }: ServiceTable, nodeAddress: string): SplitTable {
  const isOfNode = ({ address }: ServicePort): boolean => address === nodeAddress;
  return { ofNode: ports.filter(isOfNode), ofGateway: ports.filter((port) => !isOfNode(port)) };
}

/** On the host network a pod listens for itself. */
export function hostPortsOf(
  { namespace, name, address, hostPorts }: PodPlace,
  nodeAddress: string,
): readonly ServicePort[] {
  if (address === undefined) return [];
  return hostPorts.map(({ protocol, hostPort, containerPort }) => ({
    ...{ protocol, address: nodeAddress, port: hostPort },
    ...{ backends: [{ address, port: containerPort }], of: `pod ${namespace}/${name}` },
  }));
}
