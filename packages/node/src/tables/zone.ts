import type { Endpoint, EndpointSlice, Service } from '@signalbox/cluster';
import type { NameRecord, Zone } from '../protocol/network.ts';
import { isIpv4, isReady } from './services.ts';
import {
  clusterAddresses,
  isHeadless,
  type NetworkWorld,
  type ServiceKey,
  serviceKey,
  slicesByService,
} from './world.ts';

/** As CoreDNS gives its own. */
const ttlSeconds = 5;

/**
 * The names of the cluster as the DNS specification of Kubernetes (version 1.1.0) has them: services, their ports, members of
 * headless services. Without final dots, in small letters. Those of pods are spelled by their addresses and need no record: who
 * answers makes them.
 */
export function clusterZone(world: NetworkWorld, { domain }: { readonly domain: string }): Zone {
  const slices = slicesByService(world.slices);
  return { domain, records: unique(world.services.flatMap((service) => recordsOf(service, { slices, domain }))) };
}

interface Around {
  readonly slices: ReadonlyMap<ServiceKey, readonly EndpointSlice[]>;
  readonly domain: string;
}

function recordsOf(service: Service, { slices, domain }: Around): readonly NameRecord[] {
  const { namespace, name } = service.metadata;
  const base = `${name}.${namespace}.svc.${domain}`;
  const { type, externalName } = service.spec;
  if (type === 'ExternalName')
    return externalName === undefined ? [] : [{ name: base, ttlSeconds, type: 'CNAME', target: bare(externalName) }];
  if (isHeadless(service)) return memberRecords(service, { base, slices: slices.get(serviceKey(service)) ?? [] });
  const addresses = clusterAddresses(service);
  if (addresses.length === 0) return [];
  return [
    ...addresses.map((address) => addressRecord(base, address)),
    ...addresses.map((address) => pointer(address, base)),
    ...(service.spec.ports ?? []).flatMap(({ name: portName, protocol = 'TCP', port }) =>
      portName === undefined ? [] : [server({ base, portName, protocol, port, target: base })],
    ),
  ];
}

/** A headless service has the names of its members: each one's hostname, or else its address with dashes. */
function memberRecords(
  { spec }: Service,
  { base, slices }: { readonly base: string; readonly slices: readonly EndpointSlice[] },
): readonly NameRecord[] {
  const isShown = (endpoint: Endpoint): boolean => spec.publishNotReadyAddresses === true || isReady(endpoint);
  return slices.flatMap(({ endpoints, ports = [] }) =>
    endpoints.filter(isShown).flatMap(({ addresses, hostname }) =>
      addresses.flatMap((address) => {
        const own = `${hostname ?? dashed(address)}.${base}`;
        return [
          addressRecord(base, address),
          addressRecord(own, address),
          pointer(address, own),
          ...ports.flatMap(({ name: portName = '', protocol = 'TCP', port }) =>
            portName === '' || port === undefined ? [] : [server({ base, portName, protocol, port, target: own })],
          ),
        ];
      }),
    ),
  );
}

interface ServerParts {
  readonly base: string;
  readonly portName: string;
  readonly protocol: string;
  readonly port: number;
  readonly target: string;
}

function server({ base, portName, protocol, port, target }: ServerParts): NameRecord {
  const name = `_${portName}._${protocol.toLowerCase()}.${base}`;
  return { name, ttlSeconds, type: 'SRV', target, port, priority: 0, weight: 100 };
}

function addressRecord(name: string, address: string): NameRecord {
  return { name, ttlSeconds, type: isIpv4(address) ? 'A' : 'AAAA', address };
}

function pointer(address: string, target: string): NameRecord {
  return { name: reverseName(address), ttlSeconds, type: 'PTR', target };
}

/** `10.64.0.7` → `7.0.64.10.in-addr.arpa`; IPv6 by its nibbles. */
export function reverseName(address: string): string {
  if (isIpv4(address)) return `${address.split('.').toReversed().join('.')}.in-addr.arpa`;
  return `${expanded(address).toReversed().join('.')}.ip6.arpa`;
}

/** All 32 nibbles. */
function expanded(address: string): readonly string[] {
  const [head = '', tail] = address.split('::');
  const groups = (text: string): readonly string[] => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].flatMap((group) => group.padStart(4, '0').split(''));
}

function dashed(address: string): string {
  return address.replaceAll(/[.:]/g, '-');
}

function bare(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function unique(records: readonly NameRecord[]): readonly NameRecord[] {
  return [...new Map(records.map((record) => [JSON.stringify(record), record])).values()];
}
