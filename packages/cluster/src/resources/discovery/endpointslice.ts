import { isIPv4, isIPv6 } from 'node:net';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { endpointslices } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { column, firstOf } from '../columns.ts';
import { amend, each, fill } from '../core/pod/fill.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { requiredOneOf, unchanged } from '../validation/fields.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../validation/names.ts';
import { endpointAddress, ipAddress, protocol, protocols } from '../validation/network.ts';

const endpointsMax = 1000;
const addressesMax = 100;
const families: readonly string[] = ['IPv4', 'IPv6'];
const portsMax = 20_000;
const hintsMax = 8;

export const endpointsliceDefinition: ResourceDefinition<EndpointSlice> = defineResource(endpointslices, {
  schema: 'io.k8s.api.discovery.v1.EndpointSlice',
  traits: { counted: true, countsLabels: true },
  columns: [
    column('AddressType', ({ addressType }) => addressType),
    column('Ports', portsText),
    column('Endpoints', ({ endpoints }) => listed((endpoints ?? []).flatMap(({ addresses }) => addresses))),
  ],
  defaults(slice) {
    return amend(amend(slice, 'ports', withPortFields), 'endpoints', withConditions);
  },
  prepareForCreate: withoutTopology,
  prepareForUpdate: withoutTopology,
  *validate(slice, at) {
    yield* requiredOneOf(slice.addressType, ['FQDN', 'IPv4', 'IPv6'], at('addressType'));
    const endpoints = slice.endpoints ?? [];
    if (endpoints.length > endpointsMax) yield at('endpoints').tooMany(endpoints.length, endpointsMax);
    else
      for (const [index, endpoint] of endpoints.entries())
        yield* endpointIssues(endpoint, at('endpoints', index), slice);
    yield* portIssues(slice, at('ports'));
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.addressType, current.addressType, at('addressType'));
  },
});

/** Nobody says any more in words of older versions where an endpoint is. */
function withoutTopology(slice: EndpointSlice): EndpointSlice {
  const { endpoints } = slice;
  if (endpoints?.some((endpoint) => endpoint.deprecatedTopology !== undefined) !== true) return slice;
  return { ...slice, endpoints: endpoints.map(({ deprecatedTopology: _old, ...endpoint }) => endpoint) };
}

const portFields = Object.freeze({ name: '' });
/** Shown also where they say nothing. */
const endpointFields = Object.freeze({ conditions: Object.freeze({}) });

function withPortFields(ports: readonly EndpointPort[]): readonly EndpointPort[] {
  // A protocol that says nothing is none that is known.
  return each(ports, (port) =>
    fill(port, port.protocol === undefined ? { ...portFields, protocol: 'TCP' } : portFields),
  );
}

function withConditions(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return each(endpoints, (endpoint) => fill(endpoint, endpointFields));
}

function* endpointIssues(
  endpoint: Endpoint,
  at: FieldPath,
  { addressType }: { readonly addressType: string },
): Iterable<Issue> {
  const addresses = endpoint.addresses ?? [];
  if (addresses.length === 0) yield at('addresses').required('must contain at least 1 address');
  if (addresses.length > addressesMax) yield at('addresses').tooMany(addresses.length, addressesMax);
  for (const [index, address] of addresses.slice(0, addressesMax).entries()) {
    const place = at('addresses', index);
    if (addressType === 'FQDN') {
      yield* dnsSubdomain(address, place);
      continue;
    }
    // Of what kind it is to be, nobody has said.
    if (!families.includes(addressType)) continue;
    yield* ipAddress(address, place);
    const family = isIPv4(address) ? 'IPv4' : isIPv6(address) ? 'IPv6' : undefined;
    if (family === undefined) continue;
    if (family !== addressType) yield at('addresses').invalid(address, `must be an ${addressType} address`);
    yield* endpointAddress(address, place);
  }
  if (endpoint.hints !== undefined) yield* hintIssues(endpoint.hints, at('hints'));
  if (endpoint.nodeName !== undefined) yield* dnsSubdomain(endpoint.nodeName, at('nodeName'));
  if (endpoint.hostname !== undefined) yield* dnsLabel(endpoint.hostname, at('hostname'));
}

/** For whom an endpoint is meant: each zone and each node once. */
function* hintIssues({ forZones = [], forNodes = [] }: EndpointHints, at: FieldPath): Iterable<Issue> {
  if (forZones.length > hintsMax) {
    yield at('forZones').tooMany(forZones.length, hintsMax);
    return;
  }
  yield* namesOnce(forZones, at('forZones'), labelValue);
  if (forNodes.length > hintsMax) yield at('forNodes').tooMany(forNodes.length, hintsMax);
  else yield* namesOnce(forNodes, at('forNodes'), dnsSubdomain);
}

function* namesOnce(
  entries: readonly { readonly name?: string }[],
  at: FieldPath,
  nameIssues: (name: string, at: FieldPath) => Iterable<Issue>,
): Iterable<Issue> {
  const seen = new Set<string>();
  for (const [index, { name = '' }] of entries.entries()) {
    if (seen.has(name)) yield at(index, 'name').duplicate(name);
    seen.add(name);
    yield* nameIssues(name, at(index, 'name'));
  }
}

function* portIssues({ ports = [] }: EndpointSlice, at: FieldPath): Iterable<Issue> {
  if (ports.length > portsMax) {
    yield at.tooMany(ports.length, portsMax);
    return;
  }
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const name = port.name ?? '';
    if (name !== '') yield* dnsLabel(name, at(index, 'name'));
    if (names.has(name)) yield at(index, 'name').duplicate(name);
    names.add(name);
    if (port.protocol === '') yield at(index, 'protocol').notSupported('', protocols);
    else yield* protocol(port.protocol, at(index, 'protocol'));
    if (port.appProtocol !== undefined) yield* qualifiedName(port.appProtocol, at(index, 'appProtocol'));
  }
}

function portsText({ ports = [] }: EndpointSlice): string {
  return listed(ports.map(({ name, port }) => (port === undefined ? name || '*' : String(port))));
}

function listed(values: readonly string[]): string {
  return values.length === 0 ? '<unset>' : firstOf(values, 3);
}
