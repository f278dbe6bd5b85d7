/** What a load balancer says of itself in the status of its Service. */
import { isIP } from 'node:net';
import type { LoadBalancerIngress, Service, ServiceStatus } from '../../../api/generated/core-v1.ts';
import type { FieldPath, Issue } from '../../../api/issue.ts';
import { dnsSubdomain } from '../../validation/names.ts';
import { ipAddress } from '../../validation/network.ts';

const modes: readonly string[] = ['Proxy', 'VIP'];

/** Traffic to an address comes as it was sent, unless it is said otherwise. */
export function defaultServiceStatus(status: ServiceStatus): ServiceStatus {
  const ingress = status.loadBalancer?.ingress;
  if (ingress === undefined || ingress.every(isSettled)) return status;
  return {
    ...status,
    loadBalancer: {
      ...status.loadBalancer,
      ingress: ingress.map((entry) => (isSettled(entry) ? entry : { ...entry, ipMode: 'VIP' })),
    },
  };
}

function isSettled({ ip = '', ipMode }: LoadBalancerIngress): boolean {
  return ip === '' || ipMode !== undefined;
}

export function* validateServiceStatus({ spec, status }: Service, at: FieldPath): Iterable<Issue> {
  const ingress = status?.loadBalancer?.ingress ?? [];
  const place = at('status', 'loadBalancer', 'ingress');
  if (spec?.type !== 'LoadBalancer' && ingress.length > 0)
    yield place.forbidden("may only be used when `spec.type` is 'LoadBalancer'");
  else for (const [index, entry] of ingress.entries()) yield* balancedAddressIssues(entry, place(index));
}

/** Where a load balancer can be reached, of a Service or an Ingress. */
export function* balancedAddressIssues(
  { ip = '', ipMode, hostname = '' }: LoadBalancerIngress,
  at: FieldPath,
): Iterable<Issue> {
  if (ip !== '') yield* ipAddress(ip, at('ip'));
  if (ipMode !== undefined && ip === '') yield at('ipMode').forbidden('may not be specified when `ip` is not set');
  else if (ipMode !== undefined && !modes.includes(ipMode)) yield at('ipMode').notSupported(ipMode, modes);
  if (hostname === '') return;
  yield* dnsSubdomain(hostname, at('hostname'));
  if (isIP(hostname) !== 0) yield at('hostname').invalid(hostname, 'must be a DNS name, not an IP address');
}
