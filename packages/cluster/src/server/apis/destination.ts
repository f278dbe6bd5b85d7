import type { APIService } from '../../api/apiservices.ts';
import type { Service } from '../../api/generated/core-v1.ts';
import { pods, services } from '../../api/generated/kinds.ts';
import { isOfKind } from '../../api/gvk.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { ApiDestination } from '../context/other-apis.ts';
import { readyEndpoints, slicesOf } from '../reading/endpoints.ts';

export type Destination =
  /** By way of its node: nobody else reaches a pod there. */
  | {
      readonly is: 'pod';
      readonly node: string;
      readonly namespace: string;
      readonly pod: string;
      readonly port: number;
    }
  | ({ readonly is: 'address' } & ApiDestination)
  | { readonly is: 'nowhere'; readonly why: string };

type World = Pick<ServerContext, 'store' | 'registry' | 'random'>;

/** Where the service of an APIService leads to now: a pod of a node that has a door, or an address. */
export function destinationOf(world: World, { spec }: APIService): Destination {
  const { namespace = '', name = '', port = 443 } = spec.service ?? {};
  const served = world.registry.find(services);
  const service = served && (world.store.get(objectKey(served.prefix, namespace, name))?.value as Service | undefined);
  if (service === undefined) return { is: 'nowhere', why: `service "${name}" not found` };
  const tls = {
    serverName: `${name}.${namespace}.svc`,
    ca: spec.caBundle === undefined ? undefined : Buffer.from(spec.caBundle, 'base64').toString(),
    isInsecure: spec.insecureSkipTLSVerify ?? false,
  };
  if (service.spec.type === 'ExternalName')
    return { is: 'address', host: service.spec.externalName ?? '', port, ...tls };
  const named = service.spec.ports?.find((each) => each.port === port);
  if (named === undefined) return { is: 'nowhere', why: `no service port ${port} found for service "${name}"` };
  const ready = readyEndpoints(slicesOf(world, service), named.name ?? '');
  const chosen = ready.length === 0 ? undefined : ready[world.random.below(ready.length)];
  if (chosen === undefined) return { is: 'nowhere', why: `no endpoints available for service "${name}"` };
  const { targetRef, nodeName, addresses } = chosen.endpoint;
  if (
    targetRef?.name !== undefined &&
    isOfKind({ apiVersion: 'v1', kind: '', ...targetRef }, pods) &&
    nodeName !== undefined
  )
    return { is: 'pod', node: nodeName, namespace, pod: targetRef.name, port: chosen.number };
  return { is: 'address', host: addresses[0] ?? '', port: chosen.number, ...tls };
}
