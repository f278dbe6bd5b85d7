/** Hands out cluster addresses and node ports. Pure: the caller knows what is in use. */
import type { Service, ServicePort } from '../../../api/generated/core-v1.ts';
import { type Issue, root } from '../../../api/issue.ts';
import { fnv1a } from '../../../base/random.ts';
import { isExternallyReachable, needsHealthCheck } from './defaults.ts';

export type Allocation =
  | { readonly ok: true; readonly service: Service }
  | { readonly ok: false; readonly issue: Issue };

/** Node ports as upstream hands them out. */
export const nodePortRange: { readonly first: number; readonly last: number } = { first: 30_000, last: 32_767 };

/**
 * The service with its cluster address. Headless and ExternalName services need none.
 * Which free address a service gets follows from its name, so that the same world gives the same addresses; the first of
 * the range belongs to `default/kubernetes`.
 * @param options.used addresses of all services, of this one too if it is stored already
 * @param options.cidr the IPv4 range, e.g. `10.96.0.0/16`
 */
export function allocateClusterIp(
  service: Service,
  options: { readonly used: ReadonlySet<string>; readonly cidr: string },
): Allocation {
  const { spec, metadata } = service;
  if (spec.type === 'ExternalName') return { ok: true, service };
  const asked = spec.clusterIPs?.[0] ?? spec.clusterIP ?? '';
  if (asked === 'None') return { ok: true, service };
  const range = parseRange(options.cidr);
  if (asked !== '') return claimed(service, { asked, range, ...options });
  if (metadata.namespace === 'default' && metadata.name === 'kubernetes') {
    const first = formatAddress(range.first);
    if (!options.used.has(first)) return withAddress(service, first);
  }
  const free = firstFree(range, {
    start: fnv1a(`${metadata.namespace}/${metadata.name}`),
    isUsed: (address) => options.used.has(formatAddress(address)),
  });
  if (free === undefined) return refused([], 'failed to allocate a serviceIP: range is full');
  return withAddress(service, formatAddress(free));
}

/** The service with a node port on every port that needs one; `used` holds the node ports of all other services. */
export function allocateNodePorts(service: Service, { used }: { readonly used: ReadonlySet<number> }): Allocation {
  const { spec, metadata } = service;
  if (!isExternallyReachable(spec.type) || spec.ports === undefined) return { ok: true, service };
  const taken = new Set(used);
  for (const [index, { nodePort = 0 }] of spec.ports.entries()) {
    if (nodePort === 0) continue;
    const fault = portFault(nodePort, used);
    if (fault !== undefined)
      return { ok: false, issue: root('spec', 'ports', index, 'nodePort').invalid(nodePort, fault) };
    taken.add(nodePort);
  }
  if (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === false) return { ok: true, service };
  const ports: ServicePort[] = [];
  for (const port of spec.ports) {
    if ((port.nodePort ?? 0) > 0) {
      ports.push(port);
      continue;
    }
    const start = fnv1a(`${metadata.namespace}/${metadata.name}/${port.protocol}/${port.port}`);
    const nodePort = firstFree(nodePortRange, { start, isUsed: (candidate) => taken.has(candidate) });
    if (nodePort === undefined)
      return { ok: false, issue: root('spec', 'ports').invalid([], 'failed to allocate a nodePort: range is full') };
    taken.add(nodePort);
    ports.push({ ...port, nodePort });
  }
  return { ok: true, service: { ...service, spec: { ...spec, ports } } };
}

/** The service with the port at which nodes say whether they have a pod of it, where it needs one. */
export function allocateHealthCheckPort(
  service: Service,
  { used }: { readonly used: ReadonlySet<number> },
): Allocation {
  const { spec, metadata } = service;
  if (!needsHealthCheck(spec)) return { ok: true, service };
  const { healthCheckNodePort: asked = 0 } = spec;
  const place = root('spec', 'healthCheckNodePort');
  const taken = new Set([...used, ...(spec.ports ?? []).map(({ nodePort = 0 }) => nodePort)]);
  if (asked !== 0) {
    const fault = portFault(asked, taken);
    const why = `failed to allocate requested HealthCheck NodePort ${asked}: ${fault}`;
    return fault === undefined ? { ok: true, service } : { ok: false, issue: place.invalid(asked, why) };
  }
  const start = fnv1a(`${metadata.namespace}/${metadata.name}/health`);
  const healthCheckNodePort = firstFree(nodePortRange, { start, isUsed: (candidate) => taken.has(candidate) });
  if (healthCheckNodePort === undefined)
    return { ok: false, issue: place.invalid(0, 'failed to allocate a HealthCheck NodePort: range is full') };
  return { ok: true, service: { ...service, spec: { ...spec, healthCheckNodePort } } };
}

function portFault(nodePort: number, used: ReadonlySet<number>): string | undefined {
  const { first, last } = nodePortRange;
  if (nodePort < first || nodePort > last)
    return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
  return used.has(nodePort) ? 'provided port is already allocated' : undefined;
}

interface Range {
  readonly first: number;
  readonly last: number;
}

function claimed(
  service: Service,
  { asked, range, used }: { readonly asked: string; readonly range: Range; readonly used: ReadonlySet<string> },
): Allocation {
  const address = parseAddress(asked);
  const prefix = `failed to allocate IP ${asked}: `;
  if (address === undefined || address < range.first || address > range.last)
    return refused([asked], `${prefix}the provided network does not match the current range`);
  if (used.has(asked)) return refused([asked], `${prefix}provided IP is already allocated`);
  return withAddress(service, asked);
}

function withAddress(service: Service, address: string): Allocation {
  return { ok: true, service: { ...service, spec: { ...service.spec, clusterIP: address, clusterIPs: [address] } } };
}

function refused(value: readonly string[], why: string): Allocation {
  return { ok: false, issue: root('spec', 'clusterIPs').invalid(value, why) };
}

function firstFree(
  { first, last }: Range,
  { start, isUsed }: { readonly start: number; readonly isUsed: (candidate: number) => boolean },
): number | undefined {
  const size = last - first + 1;
  for (let step = 0; step < size; step++) {
    const candidate = first + ((start + step) % size);
    if (!isUsed(candidate)) return candidate;
  }
  return undefined;
}

/** Without the network's own and its broadcast address. */
function parseRange(cidr: string): Range {
  const [address = '', bits = ''] = cidr.split('/');
  const size = 2 ** (32 - Number(bits));
  const base = parseAddress(address) ?? 0;
  const start = base - (base % size);
  return { first: start + 1, last: start + size - 2 };
}

function parseAddress(text: string): number | undefined {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
