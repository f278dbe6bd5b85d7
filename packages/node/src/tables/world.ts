import type { EndpointSlice, Service } from '@signalbox/cluster';

/** What the network of a node is made from. */
export interface NetworkWorld {
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
}

/** `namespace/name`, as a slice names its service. */
export type ServiceKey = string;

export function slicesByService(slices: readonly EndpointSlice[]): ReadonlyMap<ServiceKey, readonly EndpointSlice[]> {
  const found = new Map<ServiceKey, EndpointSlice[]>();
  for (const slice of slices) {
    const name = slice.metadata.labels?.['kubernetes.io/service-name'];
    if (name === undefined) continue;
    const key = `${slice.metadata.namespace}/${name}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, [slice]);
    else known.push(slice);
  }
  return found;
}

export function serviceKey({ metadata }: Service): ServiceKey {
  return `${metadata.namespace}/${metadata.name}`;
}

/** The service by which pods reach the API server. */
export function isApi({ metadata }: Service): boolean {
  return metadata.namespace === 'default' && metadata.name === 'kubernetes';
}

/** Those of an address family that the service has; headless ones too have none of their own without it. */
export function clusterAddresses({ spec }: Service): readonly string[] {
  const all = spec.clusterIPs ?? (spec.clusterIP === undefined ? [] : [spec.clusterIP]);
  return all.filter((address) => address !== '' && address !== 'None');
}

export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIP === 'None';
}
