/** What those who write EndpointSlices share: how a slice names its Service and its keeper, and when lists of ports are one. */
import type { EndpointPort } from '../api/generated/discovery-v1.ts';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';

export type AddressType = 'IPv4' | 'IPv6';

/** One string per list of ports, whatever its order. */
export function portsId(ports: readonly EndpointPort[]): string {
  return ports
    .map(({ name = '', port, protocol, appProtocol }) => JSON.stringify([name, port, protocol, appProtocol]))
    .sort()
    .join();
}
