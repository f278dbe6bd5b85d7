import type { Endpoint, EndpointSlice, ServicePort as KubeServicePort, Service } from '@signalbox/cluster';
import type { Backend, ServicePort, ServiceTable } from '../protocol/network.ts';
import { clusterAddresses, isApi, type NetworkWorld, serviceKey, slicesByService } from './world.ts';

/** The node whose proxy this is for. */
export interface ProxyNode {
  readonly name: string;
  /** Where NodePorts are. */
  readonly address: string;
}

const affinitySecondsDefault = 10_800;

/** Which address and port leads where, as kube-proxy decides. Those of other families and SCTP are left out. */
export function serviceTable(world: NetworkWorld, node: ProxyNode): ServiceTable {
  const slices = slicesByService(world.slices);
  const ports = world.services
    .filter((service) => service.spec.type !== 'ExternalName' && !isOfAnotherProxy(service))
    .flatMap((service) => portsOf(service, { slices: slices.get(serviceKey(service)) ?? [], node }));
  return { ports };
}

/** Services that say so are another proxy's, by the labels that kube-proxy heeds. */
function isOfAnotherProxy({ metadata: { labels = {} } }: Service): boolean {
  return 'service.kubernetes.io/service-proxy-name' in labels || 'service.kubernetes.io/headless' in labels;
}

interface Around {
  readonly slices: readonly EndpointSlice[];
  readonly node: ProxyNode;
}

function portsOf(service: Service, around: Around): readonly ServicePort[] {
  const addresses = clusterAddresses(service).filter(isIpv4);
  return (service.spec.ports ?? []).flatMap((port) => {
    const { protocol = 'TCP', nodePort } = port;
    if (protocol !== 'TCP' && protocol !== 'UDP') return [];
    const of = `${serviceKey(service)}${port.name === undefined ? '' : `:${port.name}`}`;
    const common = { protocol, of, ...affinity(service) } as const;
    const inside = backends(service, { ...around, port, isLocal: service.spec.internalTrafficPolicy === 'Local' });
    const outside = { ...around, port, isLocal: service.spec.externalTrafficPolicy === 'Local' };
    return [
      ...addresses.map((address) => ({ ...common, address, port: port.port, backends: inside })),
      ...(nodePort === undefined || nodePort === 0
        ? []
        : [{ ...common, address: around.node.address, port: nodePort, backends: backends(service, outside) }]),
    ];
  });
}

function affinity({ spec }: Service): Pick<ServicePort, 'affinitySeconds'> {
  if (spec.sessionAffinity !== 'ClientIP') return {};
  return { affinitySeconds: spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? affinitySecondsDefault };
}

interface Wanted extends Around {
  readonly port: KubeServicePort;
  /** Only those of this node. */
  readonly isLocal: boolean;
}

function backends(service: Service, { slices, port, isLocal, node }: Wanted): readonly Backend[] {
  if (isApi(service)) return [{ api: true }];
  const candidates = slices
    .filter(({ addressType }) => addressType === 'IPv4')
    .flatMap(({ endpoints, ports }) => {
      const number = ports?.find((each) => isPort(each, port))?.port;
      return number === undefined ? [] : endpoints.map((endpoint) => ({ endpoint, number }));
    })
    .filter(({ endpoint }) => !isLocal || endpoint.nodeName === node.name);
  const ready = candidates.filter(({ endpoint }) => isReady(endpoint));
  // Better one that is on its way out than none.
  const chosen = ready.length > 0 ? ready : candidates.filter(({ endpoint }) => isLeaving(endpoint));
  const found = new Map<string, Backend>();
  for (const { endpoint, number } of meantFor(node, chosen))
    for (const address of endpoint.addresses) found.set(`${address}:${number}`, { address, port: number });
  return [...found.values()];
}

/** Those that are meant for this node, if each is meant for some node and one for this. Zones are one here: all is on this machine. */
function meantFor<T extends { readonly endpoint: Endpoint }>(
  { name }: ProxyNode,
  candidates: readonly T[],
): readonly T[] {
  const nodesOf = ({ endpoint }: T): readonly string[] => (endpoint.hints?.forNodes ?? []).map((node) => node.name);
  if (candidates.some((each) => nodesOf(each).length === 0)) return candidates;
  const own = candidates.filter((each) => nodesOf(each).includes(name));
  return own.length > 0 ? own : candidates;
}

function isPort(
  { name = '', protocol = 'TCP' }: { readonly name?: string; readonly protocol?: string },
  wanted: KubeServicePort,
): boolean {
  return name === (wanted.name ?? '') && protocol === (wanted.protocol ?? 'TCP');
}

export function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready !== false;
}

function isLeaving({ conditions }: Endpoint): boolean {
  return conditions?.serving !== false && conditions?.terminating === true;
}

export function isIpv4(address: string): boolean {
  return !address.includes(':');
}
