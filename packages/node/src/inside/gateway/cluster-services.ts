/** All that the cluster's network offers, as the process inside has it: the node's own ports are its own, the rest is the gateway's. */
import type { PodPlace } from '../../protocol/inside.ts';
import type { ServicePort, ServiceTable, SimulatedTable, Zone } from '../../protocol/network.ts';
import type { Services } from '../services/services.ts';
import type { Gateway } from './gateway.ts';
import { hostPortsOf, splitTable } from './node-ports.ts';

export interface ClusterServices {
  set(table: ServiceTable): Promise<void>;
  setZone(zone: Zone): Promise<void>;
  setSimulated(table: SimulatedTable): Promise<void>;
  podAdded(pod: PodPlace): void;
  podRemoved(pod: PodPlace): void;
}

export interface ClusterServicesOptions {
  readonly gateway: Pick<Gateway, 'tell'>;
  readonly nodeServices: Pick<Services, 'set'>;
  readonly nodeAddress: string;
}

export function createClusterServices(options: ClusterServicesOptions): ClusterServices {
  const { gateway, nodeServices, nodeAddress } = options;
  const hostPorts = new Map<string, readonly ServicePort[]>();
  let nodePorts: readonly ServicePort[] = [];
  const setNode = (): Promise<void> => nodeServices.set({ ports: [...[...hostPorts.values()].flat(), ...nodePorts] });
  return {
    async set(table) {
      const { ofNode, ofGateway } = splitTable(table, nodeAddress);
      nodePorts = ofNode;
      await Promise.all([setNode(), gateway.tell('services', { ports: ofGateway })]);
    },
    setZone: (zone) => gateway.tell('zone', zone),
    setSimulated: (table) => gateway.tell('simulated', table),
    podAdded(pod) {
      const ports = hostPortsOf(pod, nodeAddress);
      if (ports.length === 0 && !hostPorts.has(pod.uid)) return;
      hostPorts.set(pod.uid, ports);
      void setNode();
    },
    podRemoved({ uid }) {
      if (hostPorts.delete(uid)) void setNode();
    },
  };
}
