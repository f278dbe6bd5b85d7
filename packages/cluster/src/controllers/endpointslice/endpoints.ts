import { isIPv6 } from 'node:net';
import type { Pod, Service } from '../../api/generated/core-v1.ts';
import type { Endpoint, EndpointPort } from '../../api/generated/discovery-v1.ts';
import { podReady } from '../../resources/core/pod/facts.ts';
import { hostnameUnder, isReachable, targetPort } from '../../workloads/serving.ts';
import { type AddressType, portsId } from '../../workloads/slices.ts';

/** The endpoints that share one list of ports, and so may share slices. */
export interface Group {
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  /** By the uid of their pods. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

export interface Grouping {
  readonly addressType: AddressType;
  readonly pods: readonly Pod[];
  readonly zoneOf: (nodeName: string) => string | undefined;
}

/** The families that the Service speaks; one that names none speaks the family of its own address. */
export function addressTypesOf({ spec }: Service): readonly AddressType[] {
  const { ipFamilies = [], clusterIP = '' } = spec;
  const named = ipFamilies.filter((family): family is AddressType => family === 'IPv4' || family === 'IPv6');
  return named.length > 0 ? named : [isIPv6(clusterIP) ? 'IPv6' : 'IPv4'];
}

/** Pods with the same ports make one group. Pods that are ending stay listed, as such, until they are gone. */
export function groupsOf(service: Service, { addressType, pods, zoneOf }: Grouping): ReadonlyMap<string, Group> {
  const groups = new Map<
    string,
    { readonly ports: readonly EndpointPort[]; readonly endpoints: Map<string, Endpoint> }
  >();
  for (const pod of pods) {
    if (!isReachable(pod)) continue;
    const addresses = addressesOf(pod, addressType);
    if (addresses.length === 0) continue;
    const ports = portsOf(service, pod);
    const id = portsId(ports);
    const group = groups.get(id) ?? { ports, endpoints: new Map<string, Endpoint>() };
    groups.set(id, group);
    group.endpoints.set(pod.metadata.uid, endpointOf(service, { pod, addresses, zoneOf }));
  }
  return new Map([...groups].map(([id, group]) => [id, { addressType, ...group }]));
}

function addressesOf({ status }: Pod, addressType: AddressType): readonly string[] {
  const all = status.podIPs?.map(({ ip }) => ip) ?? [status.podIP ?? ''];
  return all.filter((ip) => ip !== '' && isIPv6(ip) === (addressType === 'IPv6')).slice(0, 1);
}

function portsOf(service: Service, pod: Pod): readonly EndpointPort[] {
  return (service.spec.ports ?? []).flatMap((each): readonly EndpointPort[] => {
    const port = targetPort(pod, each);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = each;
    return [{ name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function endpointOf(
  service: Service,
  {
    pod,
    addresses,
    zoneOf,
  }: { readonly pod: Pod; readonly addresses: readonly string[]; readonly zoneOf: Grouping['zoneOf'] },
): Endpoint {
  const { namespace = '', name, uid, deletionTimestamp } = pod.metadata;
  const { nodeName } = pod.spec;
  const serving = podReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameUnder(service, pod);
  const zone = nodeName === undefined ? undefined : zoneOf(nodeName);
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(zone !== undefined && { zone }),
  };
}
