import type { Endpoint, EndpointSlice } from '@signalbox/cluster';
import { isSimulatedAddress } from './simulated.ts';

/**
 * What of the slices can be reached from a node. Every node that runs processes has a network of its own, from which there is no way
 * to the others'. Simulated pods answer on all of them.
 */
export function withinReach(
  slices: readonly EndpointSlice[],
  node: { readonly name: string },
): readonly EndpointSlice[] {
  const isNear = ({ nodeName, addresses }: Endpoint): boolean =>
    nodeName === undefined || nodeName === node.name || addresses.every(isSimulatedAddress);
  return slices.map((slice) =>
    slice.endpoints.every(isNear) ? slice : { ...slice, endpoints: slice.endpoints.filter(isNear) },
  );
}
