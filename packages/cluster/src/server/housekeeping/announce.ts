import { isIP, isIPv6 } from 'node:net';
import type { Endpoints } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { endpoints, endpointslices, services } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import type { New } from '../../api/meta.ts';
import { ifFound } from '../../api/status.ts';
import { apiServer } from '../../api/system-identities.ts';
import type { Performs } from './bootstrap.ts';

export interface Announcement {
  /** What others call the server by: an address or a name. */
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

const { user } = apiServer;
const place = { namespace: 'default', name: 'kubernetes' };

/**
 * Lets the Service `kubernetes` lead to the server: to its port, and to its address where that is one that endpoints may
 * have. Nobody reaches a loopback address from elsewhere, so there the Service has none.
 */
export async function announce(server: Performs, { host, port, signal }: Announcement): Promise<void> {
  const target = { ...place, user };
  const ports = [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }];
  await ifFound(
    server.perform(
      { ...target, verb: 'patch', resource: services, patchType: 'merge', body: { spec: { ports } }, options: {} },
      { signal },
    ),
  );
  const isReachable =
    isIP(host) !== 0 && !/^(127\.|0\.0\.0\.0$|169\.254\.)/.test(host) && !/^(::1?$|fe80:)/i.test(host);
  const objects = [
    { resource: endpoints, object: endpointsOf(host, port) },
    { resource: endpointslices, object: sliceOf(host, port) },
  ] as const;
  for (const { resource, object } of objects)
    if (isReachable) await keep(server, { resource: resource as ResourceType, object, signal });
    else await ifFound(server.perform({ ...target, verb: 'delete', resource, options: {} }, { signal }));
}

function endpointsOf(ip: string, port: number): New<Endpoints> {
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...place, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  };
}

function sliceOf(address: string, port: number): New<EndpointSlice> {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...place, labels: { 'kubernetes.io/service-name': place.name } },
    addressType: isIPv6(address) ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
}

interface Kept {
  readonly resource: ResourceType;
  readonly object: New<Endpoints> | New<EndpointSlice>;
  readonly signal: AbortSignal;
}

/** Of an earlier start there may be one with another address; a family cannot be changed, so it makes room. */
async function keep(server: Performs, { resource, object, signal }: Kept): Promise<void> {
  const target = { ...place, user, resource, options: {} };
  const { namespace } = place;
  await ifFound(server.perform({ ...target, verb: 'delete' }, { signal }));
  await server.perform({ verb: 'create', user, resource, namespace, body: object, options: {} }, { signal });
}
