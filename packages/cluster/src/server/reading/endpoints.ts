import type { Service } from '../../api/generated/core-v1.ts';
import type { Endpoint, EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { endpointslices } from '../../api/generated/kinds.ts';
import type { ServerContext } from '../context/context.ts';
import { collectionPrefix } from '../context/keys.ts';

export interface ReadyEndpoint {
  readonly endpoint: Endpoint;
  readonly number: number;
}

/** Where a port of a service, by its name, leads to at the moment. */
export function readyEndpoints(slices: readonly EndpointSlice[], port: string): readonly ReadyEndpoint[] {
  return slices.flatMap((slice) => {
    const number = slice.ports?.find(({ name: other = '' }) => other === port)?.port;
    return number === undefined ? [] : slice.endpoints.filter(isReady).map((endpoint) => ({ endpoint, number }));
  });
}

export function slicesOf(
  { store, registry }: Pick<ServerContext, 'store' | 'registry'>,
  { metadata }: Service,
): readonly EndpointSlice[] {
  const served = registry.find(endpointslices);
  const found = served && store.list(collectionPrefix(served.prefix, metadata.namespace));
  if (found === undefined || 'expired' in found) return [];
  return found.items
    .map(({ value }) => value as EndpointSlice)
    .filter((slice) => slice.metadata.labels?.['kubernetes.io/service-name'] === metadata.name);
}

/** Unknown counts as ready. */
function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready !== false;
}
