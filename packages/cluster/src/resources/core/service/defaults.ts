import type { Service, ServicePort } from '../../../api/generated/core-v1.ts';

type Spec = Service['spec'];

const sessionAffinitySecondsDefault = 10_800;

export function defaultService(service: Service): Service {
  const given: Partial<Spec> = service.spec ?? {};
  const type = given.type ?? 'ClusterIP';
  const spec: Spec = {
    ...given,
    type,
    sessionAffinity: given.sessionAffinity ?? 'None',
    ...affinityDefaults(given),
    ...(given.ports !== undefined && { ports: given.ports.map(defaultPort) }),
    ...(type !== 'ExternalName' && {
      ...addressDefaults(given),
      internalTrafficPolicy: given.internalTrafficPolicy ?? 'Cluster',
      ipFamilies: given.ipFamilies ?? ['IPv4'],
      ipFamilyPolicy: given.ipFamilyPolicy ?? 'SingleStack',
    }),
    ...(isExternallyReachable(type) && { externalTrafficPolicy: given.externalTrafficPolicy ?? 'Cluster' }),
    ...(type === 'LoadBalancer' && { allocateLoadBalancerNodePorts: given.allocateLoadBalancerNodePorts ?? true }),
  };
  return { ...service, spec };
}

export function isExternallyReachable(type: string | undefined): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

function defaultPort(port: ServicePort): ServicePort {
  const targetPort = port.targetPort === undefined || port.targetPort === '' || port.targetPort === 0;
  if (port.protocol !== undefined && !targetPort) return port;
  return { ...port, protocol: port.protocol ?? 'TCP', ...(targetPort && { targetPort: port.port }) };
}

/** `clusterIP` and the first of `clusterIPs` are one thing in two places. */
function addressDefaults({ clusterIP = '', clusterIPs = [] }: Partial<Spec>): Partial<Spec> {
  if (clusterIP !== '' && clusterIPs.length === 0) return { clusterIP, clusterIPs: [clusterIP] };
  return {};
}

function affinityDefaults({ sessionAffinity, sessionAffinityConfig }: Partial<Spec>): Partial<Spec> {
  if (sessionAffinity !== 'ClientIP') return {};
  const timeoutSeconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? sessionAffinitySecondsDefault;
  return { sessionAffinityConfig: { ...sessionAffinityConfig, clientIP: { timeoutSeconds } } };
}

/**
 * An update that leaves addresses and node ports out keeps those that were handed out before; a change of type drops what
 * the new type has no use for.
 */
export function keepAllocated(next: Service, current: Service): Service {
  const spec = keepNodePorts(keepClusterIp(dropUnused(next.spec, current.spec), current.spec), current.spec);
  return spec === next.spec ? next : { ...next, spec };
}

function dropUnused(next: Spec, current: Spec): Spec {
  if (next.type === current.type) return next;
  let spec: Spec = next;
  if (next.type === 'ExternalName' && sameAddresses(next, current)) {
    const {
      clusterIP: _a,
      clusterIPs: _b,
      ipFamilies: _c,
      ipFamilyPolicy: _d,
      internalTrafficPolicy: _e,
      ...rest
    } = spec;
    spec = rest;
  }
  if (isExternallyReachable(current.type) && !isExternallyReachable(next.type)) {
    const { externalTrafficPolicy: _a, healthCheckNodePort: _b, allocateLoadBalancerNodePorts: _c, ...rest } = spec;
    const before = new Map((current.ports ?? []).map((port) => [portKey(port), port.nodePort]));
    const ports = rest.ports?.map((port) =>
      before.get(portKey(port)) === port.nodePort ? withoutNodePort(port) : port,
    );
    spec = { ...rest, ...(ports !== undefined && { ports }) };
  }
  return spec;
}

function sameAddresses(next: Spec, current: Spec): boolean {
  return (next.clusterIP ?? '') === '' || next.clusterIP === current.clusterIP;
}

function withoutNodePort({ nodePort: _dropped, ...port }: ServicePort): ServicePort {
  return port;
}

function keepClusterIp(next: Spec, current: Spec): Spec {
  if (next.type === 'ExternalName' || current.type === 'ExternalName') return next;
  if ((next.clusterIP ?? '') !== '' || (next.clusterIPs?.length ?? 0) > 0 || current.clusterIP === undefined)
    return next;
  return {
    ...next,
    clusterIP: current.clusterIP,
    ...(current.clusterIPs !== undefined && { clusterIPs: current.clusterIPs }),
  };
}

function keepNodePorts(next: Spec, current: Spec): Spec {
  if (!isExternallyReachable(next.type) || next.ports === undefined) return next;
  const asked = new Set(next.ports.flatMap(({ nodePort = 0 }) => (nodePort > 0 ? [nodePort] : [])));
  const before = new Map((current.ports ?? []).map((port) => [portKey(port), port.nodePort ?? 0]));
  let changed = false;
  const ports = next.ports.map((port) => {
    const nodePort = before.get(portKey(port)) ?? 0;
    if ((port.nodePort ?? 0) > 0 || nodePort === 0 || asked.has(nodePort)) return port;
    changed = true;
    return { ...port, nodePort };
  });
  return changed ? { ...next, ports } : next;
}

function portKey({ protocol = 'TCP', port }: ServicePort): string {
  return `${protocol}/${port}`;
}
