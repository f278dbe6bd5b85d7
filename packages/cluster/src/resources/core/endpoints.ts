import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../../api/generated/core-v1.ts';
import { endpoints } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { column, firstOf } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../validation/names.ts';
import { endpointAddress, ipAddress, portNumber, protocol } from '../validation/network.ts';

export const endpointsDefinition: ResourceDefinition<Endpoints> = defineResource(endpoints, {
  schema: 'io.k8s.api.core.v1.Endpoints',
  traits: { createsOnUpdate: true, deprecated: true },
  shortNames: ['ep'],
  columns: [column('Endpoints', endpointsText)],
  defaults(object) {
    if (
      object.subsets?.every((subset) => subset.ports?.every(({ protocol }) => protocol !== undefined) ?? true) ??
      true
    )
      return object;
    return { ...object, subsets: object.subsets?.map(defaultSubset) ?? [] };
  },
  *validate({ subsets = [] }, at) {
    for (const [index, subset] of subsets.entries()) yield* subsetIssues(subset, at('subsets', index));
  },
  *warnings() {
    yield 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
  },
});

function defaultSubset(subset: EndpointSubset): EndpointSubset {
  if (subset.ports === undefined) return subset;
  return { ...subset, ports: subset.ports.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })) };
}

function* subsetIssues(
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
  at: FieldPath,
): Iterable<Issue> {
  if (addresses.length === 0 && notReadyAddresses.length === 0)
    yield at.required('must specify `addresses` or `notReadyAddresses`');
  for (const [index, address] of addresses.entries()) yield* addressIssues(address, at('addresses', index));
  for (const [index, address] of notReadyAddresses.entries())
    yield* addressIssues(address, at('notReadyAddresses', index));
  for (const [index, port] of ports.entries())
    yield* portIssues(port, at('ports', index), { nameRequired: ports.length > 1 });
}

function* addressIssues({ ip, hostname = '', nodeName }: EndpointAddress, at: FieldPath): Iterable<Issue> {
  yield* ipAddress(ip ?? '', at('ip'));
  yield* endpointAddress(ip ?? '', at('ip'));
  if (hostname !== '') yield* dnsLabel(hostname, at('hostname'));
  if (nodeName !== undefined) yield* dnsSubdomain(nodeName, at('nodeName'));
}

function* portIssues(
  port: EndpointPort,
  at: FieldPath,
  { nameRequired }: { readonly nameRequired: boolean },
): Iterable<Issue> {
  if ((port.name ?? '') !== '') yield* dnsLabel(port.name ?? '', at('name'));
  else if (nameRequired) yield at('name').required();
  yield* portNumber(port.port ?? 0, at('port'));
  yield* protocol(port.protocol, at('protocol'));
  if (port.appProtocol !== undefined) yield* qualifiedName(port.appProtocol, at('appProtocol'));
}

function endpointsText({ subsets = [] }: Endpoints): string {
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`)),
  );
  return firstOf(all, 3);
}
