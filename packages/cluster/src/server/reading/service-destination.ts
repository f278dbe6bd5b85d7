import type { Service } from '../../api/generated/core-v1.ts';
import { pods, services } from '../../api/generated/kinds.ts';
import { isOfKind } from '../../api/gvk.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import { readyEndpoints, slicesOf } from './endpoints.ts';

/** Where a port of a service leads to now. */
export type ServiceDestination =
  /** By way of its node: nobody else reaches a pod there. */
  | {
      readonly is: 'pod';
      readonly node: string;
      readonly namespace: string;
      readonly pod: string;
      readonly port: number;
    }
  | { readonly is: 'address'; readonly host: string; readonly port: number }
  | { readonly is: 'nowhere'; readonly why: string };

export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

type World = Pick<ServerContext, 'store' | 'registry' | 'random'>;

/** One of the pods that are ready behind a service, the name outside that it stands for, or an address that was written down. */
export function serviceDestination(world: World, { namespace, name, port }: ServicePort): ServiceDestination {
  const served = world.registry.find(services);
  const service = served && (world.store.get(objectKey(served.prefix, namespace, name))?.value as Service | undefined);
  if (service === undefined) return { is: 'nowhere', why: `service "${name}" not found` };
  if (service.spec.type === 'ExternalName') return { is: 'address', host: service.spec.externalName ?? '', port };
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
  return { is: 'address', host: addresses[0] ?? '', port: chosen.number };
}
