import type { Service, ServicePort } from '../../../api/generated/core-v1.ts';
import { equal } from '../../../base/equal.ts';
import { settleFamilies } from './families.ts';

type Spec = Service['spec'];

const sessionAffinitySecondsDefault = 10_800;

export function defaultService(service: Service): Service {
  const given: Partial<Spec> = withoutIdleConfig(service.spec ?? {});
  const type = given.type ?? 'ClusterIP';
  const { sessionAffinityConfig: _unused, ...others } = given;
  const sessionAffinity = given.sessionAffinity || 'None';
  const spec: Spec = {
    // Without an affinity nobody looks at how it is meant.
    ...(sessionAffinity === 'None' ? others : given),
    type,
    sessionAffinity,
    ...affinityDefaults(given),
    ...(given.ports !== undefined && { ports: given.ports.map(defaultPort) }),
    ...(type !== 'ExternalName' && {
      internalTrafficPolicy: given.internalTrafficPolicy ?? 'Cluster',
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

/** How clients are kept together says nothing where they are not. */
function withoutIdleConfig(spec: Partial<Spec>): Partial<Spec> {
  const { sessionAffinityConfig, ...others } = spec;
  return sessionAffinityConfig !== undefined && (spec.sessionAffinity ?? 'None') === 'None' ? others : spec;
}

function affinityDefaults({ sessionAffinity, sessionAffinityConfig }: Partial<Spec>): Partial<Spec> {
  if (sessionAffinity !== 'ClientIP') return {};
  const timeoutSeconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? sessionAffinitySecondsDefault;
  return { sessionAffinityConfig: { ...sessionAffinityConfig, clientIP: { timeoutSeconds } } };
}

/** A new service as it asks for addresses: `clusterIP` and the first of `clusterIPs` are one thing in two places. */
export function beginService(service: Service): Service {
  const { spec } = service;
  const { clusterIP = '', clusterIPs = [] } = spec;
  const named = clusterIP !== '' && clusterIPs.length === 0 ? { ...spec, clusterIPs: [clusterIP] } : spec;
  return { ...service, spec: withoutNoOnes(settleFamilies(named, undefined).spec), status: { loadBalancer: {} } };
}

/** Where there is no address, ports of nodes lead nowhere. */
function withoutNoOnes(spec: Spec): Spec {
  const { type, ports = [] } = spec;
  if (type !== 'ExternalName' || ports.every(({ nodePort }) => nodePort === undefined)) return spec;
  return { ...spec, ports: ports.map(withoutNodePort) };
}

/**
 * An update that leaves addresses and node ports out keeps those that were handed out before; a change of type drops what
 * the new type has no use for.
 */
export function keepAllocated(next: Service, current: Service): Service {
  const kept = keepClusterIp(sameAddress(dropUnused(next.spec, current.spec), current.spec), current.spec);
  const spec = withoutNoOnes(settleFamilies(keepPorts(kept, current.spec), current.spec).spec);
  return equal(spec, next.spec) ? next : { ...next, spec };
}

/** Who knows only one of `clusterIP` and `clusterIPs` means both. */
function sameAddress(next: Spec, current: Spec): Spec {
  const { clusterIP = '', clusterIPs = [] } = next;
  const before = current.clusterIPs ?? [];
  if (clusterIP === (current.clusterIP ?? ''))
    return clusterIPs.length === 0 && before.length > 0 ? { ...next, clusterIPs: before } : next;
  if (clusterIPs.length > 0 && !equal(clusterIPs, before)) return next;
  if (clusterIP !== '') return { ...next, clusterIPs: [clusterIP] };
  const { clusterIPs: _cleared, ...rest } = next;
  return rest;
}

function dropUnused(next: Spec, current: Spec): Spec {
  let spec = withoutHealthPort(next, current);
  if (next.type === current.type) return spec;
  if (current.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === current.allocateLoadBalancerNodePorts) {
    const { allocateLoadBalancerNodePorts: _unchanged, ...rest } = spec;
    spec = rest;
  }
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
    const { externalTrafficPolicy: _a, healthCheckNodePort: _b, ...rest } = spec;
    const before = new Map((current.ports ?? []).map((port) => [portKey(port), port.nodePort]));
    const ports = rest.ports?.map((port) =>
      before.get(portKey(port)) === port.nodePort ? withoutNodePort(port) : port,
    );
    spec = { ...rest, ...(ports !== undefined && { ports }) };
  }
  return spec;
}

function withoutHealthPort(next: Spec, current: Spec): Spec {
  if (needsHealthCheck(next) || !needsHealthCheck(current)) return next;
  const { healthCheckNodePort, ...rest } = next;
  return healthCheckNodePort === current.healthCheckNodePort ? rest : next;
}

function sameAddresses(next: Spec, current: Spec): boolean {
  return (next.clusterIP ?? '') === '' || next.clusterIP === current.clusterIP;
}

function withoutNodePort({ nodePort: _dropped, ...port }: ServicePort): ServicePort {
  return port;
}

function keepClusterIp(next: Spec, current: Spec): Spec {
  if (next.type === 'ExternalName' || current.type === 'ExternalName') return next;
  const { clusterIP = '', clusterIPs = [] } = next;
  const kept = {
    ...(clusterIP === '' && current.clusterIP !== undefined && { clusterIP: current.clusterIP }),
    ...(clusterIPs.length === 0 && current.clusterIPs !== undefined && { clusterIPs: current.clusterIPs }),
  };
  return Object.keys(kept).length === 0 ? next : { ...next, ...kept };
}

function keepPorts(next: Spec, current: Spec): Spec {
  const spec = keepNodePorts(next, current);
  if (!needsHealthCheck(spec) || !needsHealthCheck(current) || (spec.healthCheckNodePort ?? 0) !== 0) return spec;
  const { healthCheckNodePort } = current;
  return healthCheckNodePort === undefined ? spec : { ...spec, healthCheckNodePort };
}

/** By their names, whatever else has become of them. */
function keepNodePorts(next: Spec, current: Spec): Spec {
  if (!isExternallyReachable(next.type) || !isExternallyReachable(current.type) || next.ports === undefined)
    return next;
  const asked = new Set(next.ports.flatMap(({ nodePort = 0 }) => (nodePort > 0 ? [nodePort] : [])));
  const before = new Map((current.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  let changed = false;
  const ports = next.ports.map((port) => {
    const nodePort = before.get(port.name ?? '') ?? 0;
    if ((port.nodePort ?? 0) > 0 || nodePort === 0 || asked.has(nodePort)) return port;
    changed = true;
    return { ...port, nodePort };
  });
  return changed ? { ...next, ports } : next;
}

/** Who sends it traffic from outside asks each node whether it has a pod of it. */
export function needsHealthCheck({ type, externalTrafficPolicy }: Spec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

function portKey({ protocol = 'TCP', port }: ServicePort): string {
  return `${protocol}/${port}`;
}
