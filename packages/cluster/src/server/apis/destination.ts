import type { APIService } from '../../api/apiservices.ts';
import type { ServerContext } from '../context/context.ts';
import type { ApiDestination } from '../context/other-apis.ts';
import { type ServiceDestination, serviceDestination } from '../reading/service-destination.ts';

export type Destination =
  | Exclude<ServiceDestination, { readonly is: 'address' }>
  | ({ readonly is: 'address' } & ApiDestination);

type World = Pick<ServerContext, 'store' | 'registry' | 'random'>;

/** Where the service of an APIService leads to now: a pod of a node that has a door, or an address. */
export function destinationOf(world: World, { spec }: APIService): Destination {
  const { namespace = '', name = '', port = 443 } = spec.service ?? {};
  const found = serviceDestination(world, { namespace, name, port });
  if (found.is !== 'address') return found;
  return {
    ...found,
    serverName: `${name}.${namespace}.svc`,
    ca: spec.caBundle === undefined ? undefined : Buffer.from(spec.caBundle, 'base64').toString(),
    isInsecure: spec.insecureSkipTLSVerify ?? false,
  };
}
