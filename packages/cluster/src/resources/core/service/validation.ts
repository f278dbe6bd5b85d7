import type { Service, ServicePort } from '../../../api/generated/core-v1.ts';
import type { FieldPath, Issue } from '../../../api/issue.ts';
import { oneOf, requiredOneOf } from '../../validation/fields.ts';
import { dnsLabel, dnsSubdomain, labelIssues, qualifiedName } from '../../validation/names.ts';
import { cidr, ipAddress, portNumber, portNumberOrName, protocol } from '../../validation/network.ts';
import { isExternallyReachable, needsHealthCheck } from './defaults.ts';
import { relatedIssues } from './families.ts';

type Spec = Service['spec'];

const types: readonly string[] = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const affinitySecondsMax = 86_400;

export function* validateService({ spec }: Service, root: FieldPath): Iterable<Issue> {
  const at = root('spec');
  yield* requiredOneOf(spec.type, types, at('type'));
  if (spec.ports === undefined || spec.ports.length === 0) {
    if (spec.type !== 'ExternalName' && !isHeadless(spec)) yield at('ports').required();
  }
  yield* typeIssues(spec, at);
  yield* portListIssues(spec, at('ports'));
  yield* labelIssues(spec.selector, at('selector'));
  yield* affinityIssues(spec, at);
  yield* addressIssues(spec, at);
  yield* trafficIssues(spec, at);
}

function isHeadless({ clusterIPs = [] }: Spec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === 'None';
}

function* typeIssues(spec: Spec, at: FieldPath): Iterable<Issue> {
  switch (spec.type) {
    case 'LoadBalancer':
      if (isHeadless(spec))
        yield at('clusterIPs', 0).invalid('None', "may not be set to 'None' for LoadBalancer services");
      return;
    case 'NodePort':
      if (isHeadless(spec)) yield at('clusterIPs', 0).invalid('None', "may not be set to 'None' for NodePort services");
      return;
    case 'ExternalName': {
      if ((spec.clusterIPs?.length ?? 0) > 0 || (spec.clusterIP ?? '') !== '')
        yield at('clusterIPs').forbidden('may not be set for ExternalName services');
      for (const field of ['ipFamilies', 'ipFamilyPolicy'] as const)
        if ((spec[field]?.length ?? 0) > 0) yield at(field).forbidden('may not be set for ExternalName services');
      const name = (spec.externalName ?? '').replace(/\.$/, '');
      if (name === '') yield at('externalName').required();
      else yield* dnsSubdomain(name, at('externalName'));
      return;
    }
    default:
  }
}

function* portListIssues(spec: Spec, at: FieldPath): Iterable<Issue> {
  const ports = spec.ports ?? [];
  const names = new Set<string>();
  const portKeys = new Set<string>();
  const nodePorts = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const here = at(index);
    yield* portIssues(port, here, { nameRequired: ports.length > 1, spec });
    const name = port.name ?? '';
    if (name !== '' && names.has(name)) yield here('name').duplicate(name);
    names.add(name);
    const key = `${port.protocol}/${port.port}`;
    if (portKeys.has(key)) yield here.duplicate({ protocol: port.protocol, port: port.port });
    portKeys.add(key);
    const nodeKey = `${port.protocol}/${port.nodePort}`;
    if ((port.nodePort ?? 0) === 0) continue;
    if (nodePorts.has(nodeKey)) yield here('nodePort').duplicate(port.nodePort);
    nodePorts.add(nodeKey);
  }
}

function* portIssues(
  port: ServicePort,
  at: FieldPath,
  { nameRequired, spec }: { readonly nameRequired: boolean; readonly spec: Spec },
): Iterable<Issue> {
  if ((port.name ?? '') !== '') yield* dnsLabel(port.name ?? '', at('name'));
  else if (nameRequired) yield at('name').required();
  yield* portNumber(port.port ?? 0, at('port'));
  yield* protocol(port.protocol, at('protocol'));
  if (port.targetPort !== undefined) yield* portNumberOrName(port.targetPort, at('targetPort'));
  if (port.appProtocol !== undefined) yield* qualifiedName(port.appProtocol, at('appProtocol'));
  if ((port.nodePort ?? 0) === 0) return;
  if (!isExternallyReachable(spec.type))
    yield at('nodePort').forbidden(`may not be used when \`type\` is '${spec.type}'`);
  else yield* portNumber(port.nodePort ?? 0, at('nodePort'));
}

function* affinityIssues({ sessionAffinity, sessionAffinityConfig }: Spec, at: FieldPath): Iterable<Issue> {
  yield* requiredOneOf(sessionAffinity, ['ClientIP', 'None'], at('sessionAffinity'));
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const place = at('sessionAffinityConfig');
  if (sessionAffinity === 'ClientIP' && (seconds === undefined || seconds <= 0 || seconds > affinitySecondsMax))
    yield place('clientIP', 'timeoutSeconds').invalid(
      seconds,
      'must be greater than 0 and less than or equal to 86400',
    );
}

function* addressIssues(spec: Spec, at: FieldPath): Iterable<Issue> {
  if (spec.type !== 'ExternalName') yield* relatedIssues(spec, at);
  for (const [index, address] of (spec.externalIPs ?? []).entries())
    yield* ipAddress(address, at('externalIPs', index));
  const { loadBalancerSourceRanges: ranges = [] } = spec;
  const place = at('LoadBalancerSourceRanges'); // So it is called there.
  if (ranges.length > 0 && spec.type !== 'LoadBalancer')
    yield place.forbidden("may only be used when `type` is 'LoadBalancer'");
  for (const [index, range] of ranges.entries()) yield* cidr(range.trim(), place(index));
}

function* trafficIssues(spec: Spec, at: FieldPath): Iterable<Issue> {
  const policies = ['Cluster', 'Local'];
  yield* oneOf(spec.internalTrafficPolicy, policies, at('internalTrafficPolicy'));
  if (spec.externalTrafficPolicy !== undefined) {
    if (!isExternallyReachable(spec.type) && (spec.externalIPs?.length ?? 0) === 0)
      yield at('externalTrafficPolicy').invalid(
        spec.externalTrafficPolicy,
        'may only be set for externally-accessible services',
      );
    else yield* oneOf(spec.externalTrafficPolicy, policies, at('externalTrafficPolicy'));
  }
  yield* oneOf(
    spec.trafficDistribution,
    ['PreferClose', 'PreferSameNode', 'PreferSameZone'],
    at('trafficDistribution'),
  );
  for (const field of ['loadBalancerClass', 'allocateLoadBalancerNodePorts'] as const)
    if (spec[field] !== undefined && spec.type !== 'LoadBalancer')
      yield at(field).forbidden("may only be used when `type` is 'LoadBalancer'");
  const { healthCheckNodePort = 0 } = spec;
  if (healthCheckNodePort === 0) return;
  if (needsHealthCheck(spec)) yield* portNumber(healthCheckNodePort, at('healthCheckNodePort'));
  else
    yield at('healthCheckNodePort').invalid(
      healthCheckNodePort,
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    );
}

/** The address that was handed out stays, unless the service stops or starts having one. */
export function* validateServiceUpdate(next: Service, current: Service, at: FieldPath): Iterable<Issue> {
  if (needsHealthCheck(next.spec) && needsHealthCheck(current.spec))
    if (next.spec.healthCheckNodePort !== current.spec.healthCheckNodePort)
      yield at('spec', 'healthCheckNodePort').forbidden('field is immutable');
  if (next.spec.type === 'ExternalName' || current.spec.type === 'ExternalName') return;
  const [before] = current.spec.clusterIPs ?? [];
  const after = next.spec.clusterIPs ?? [];
  if (before !== undefined && after.length > 0 && after[0] !== before)
    yield at('spec', 'clusterIPs', 0).invalid(after, 'may not change once set');
  if (
    next.spec.loadBalancerClass !== current.spec.loadBalancerClass &&
    next.spec.type === 'LoadBalancer' &&
    current.spec.type === 'LoadBalancer'
  )
    yield at('spec', 'loadBalancerClass').invalid(next.spec.loadBalancerClass, 'may not change once set');
}
