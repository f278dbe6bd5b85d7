import { isIP } from 'node:net';
import { ingresses } from '../../api/generated/kinds.ts';
import type { HTTPIngressPath, Ingress, IngressBackend, IngressRule } from '../../api/generated/networking-v1.ts';
import { type FieldPath, type Issue, root } from '../../api/issue.ts';
import { column } from '../columns.ts';
import { balancedAddressIssues } from '../core/service/status.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { dnsLabel1035, dnsSubdomain, pathSegmentName } from '../validation/names.ts';
import { portName, portNumber } from '../validation/network.ts';

const hostsShownMax = 3;
/** How the class was named before there was a field for it. */
const classAnnotation = 'kubernetes.io/ingress.class';
const pathTypes: readonly string[] = ['Exact', 'ImplementationSpecific', 'Prefix'];

export const ingressDefinition: ResourceDefinition<Ingress> = defineResource(ingresses, {
  schema: 'io.k8s.api.networking.v1.Ingress',
  traits: { counted: true },
  shortNames: ['ing'],
  hasStatus: true,
  columns: [
    column('Class', ({ spec }) => spec?.ingressClassName ?? '<none>'),
    column('Hosts', hostsText),
    column('Address', ({ status }) =>
      (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').join(','),
    ),
    column('Ports', ({ spec }) => ((spec?.tls?.length ?? 0) > 0 ? '80, 443' : '80')),
  ],
  prepareForCreate: (ingress) => ({ ...ingress, status: { loadBalancer: {} } }),
  *validateCreate({ metadata, spec }) {
    const named = metadata.annotations?.[classAnnotation];
    if (named !== undefined && spec?.ingressClassName !== undefined && named !== spec.ingressClassName)
      yield root('annotations')
        .field(classAnnotation)
        .invalid(named, 'must match `ingressClassName` when both are specified');
  },
  *validateStatusUpdate({ status }, _current, at) {
    for (const [index, address] of (status?.loadBalancer?.ingress ?? []).entries())
      yield* balancedAddressIssues(address, at('status', 'loadBalancer', 'ingress', index));
  },
  *validate(ingress, at) {
    const spec = ingress.spec ?? {};
    const place = at('spec');
    if ((spec.rules?.length ?? 0) === 0 && spec.defaultBackend === undefined)
      yield place.invalid(spec, 'either `defaultBackend` or `rules` must be specified');
    if (spec.defaultBackend !== undefined) yield* backendIssues(spec.defaultBackend, place('defaultBackend'));
    for (const [index, rule] of (spec.rules ?? []).entries()) yield* ruleIssues(rule, place('rules', index));
    for (const [index, { hosts = [], secretName = '' }] of (spec.tls ?? []).entries()) {
      for (const [host, name] of hosts.entries()) yield* hostIssues(name, place('tls', index, 'hosts', host));
      if (secretName !== '') yield* dnsSubdomain(secretName, place('tls', index, 'secretName'));
    }
    if (spec.ingressClassName !== undefined) yield* dnsSubdomain(spec.ingressClassName, place('ingressClassName'));
  },
});

function* ruleIssues({ host = '', http }: IngressRule, at: FieldPath): Iterable<Issue> {
  if (host !== '') {
    if (isIP(host) !== 0) yield at('host').invalid(host, 'must be a DNS name, not an IP address');
    else yield* hostIssues(host, at('host'));
  }
  if (http === undefined) return;
  const paths = http.paths ?? [];
  if (paths.length === 0) yield at('http', 'paths').required();
  for (const [index, path] of paths.entries()) yield* pathIssues(path, at('http', 'paths', index));
}

function* hostIssues(host: string, at: FieldPath): Iterable<Issue> {
  if (!host.includes('*')) yield* dnsSubdomain(host, at);
  else if (!/^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(host) || host.length > 253)
    yield at.invalid(
      host,
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
}

const illegalInPath = ['//', '/./', '/../', '%2f', '%2F'];
const illegalAtEnd = ['/..', '/.'];

function* pathIssues({ path = '', pathType, backend }: HTTPIngressPath, at: FieldPath): Iterable<Issue> {
  if (pathType === undefined) {
    yield at('pathType').required('pathType must be specified');
    return;
  }
  if (!pathTypes.includes(pathType)) yield at('pathType').notSupported(pathType, pathTypes);
  const isAbsolute = path.startsWith('/') || (path === '' && pathType === 'ImplementationSpecific');
  if (!isAbsolute && pathTypes.includes(pathType)) yield at('path').invalid(path, 'must be an absolute path');
  if (pathType === 'Exact' || pathType === 'Prefix') {
    for (const part of illegalInPath)
      if (path.includes(part)) yield at('path').invalid(path, `must not contain '${part}'`);
    for (const end of illegalAtEnd) if (path.endsWith(end)) yield at('path').invalid(path, `cannot end with '${end}'`);
  }
  yield* backendIssues(backend ?? {}, at('backend'));
}

function* backendIssues({ service, resource }: IngressBackend, at: FieldPath): Iterable<Issue> {
  if (service !== undefined && resource !== undefined) {
    yield at.invalid('', 'cannot set both resource and service backends');
    return;
  }
  if (service === undefined && resource === undefined) {
    yield at.invalid('', 'resource or service backend is required');
    return;
  }
  if (resource !== undefined) yield* resourceIssues(resource, at('resource'));
  if (service === undefined) return;
  if ((service.name ?? '') === '') yield at('service', 'name').required();
  else yield* dnsLabel1035(service.name, at('service', 'name'));
  const { name = '', number = 0 } = service.port ?? {};
  const port = at('service', 'port');
  if (name !== '' && number !== 0) yield at.invalid('', 'cannot set both port name & port number');
  else if (name !== '') yield* portName(name, port('name'));
  else if (number !== 0) yield* portNumber(number, port('number'));
  else yield at.required('port name or number is required');
}

function* resourceIssues(
  { apiGroup, ...names }: NonNullable<IngressBackend['resource']>,
  at: FieldPath,
): Iterable<Issue> {
  if (apiGroup !== undefined) yield* dnsSubdomain(apiGroup, at('apiGroup'));
  for (const field of ['kind', 'name'] as const)
    if ((names[field] ?? '') === '') yield at(field).required();
    else yield* pathSegmentName(names[field], at(field));
}

function hostsText({ spec }: Ingress): string {
  const hosts = (spec?.rules ?? []).map(({ host = '' }) => host).filter((host) => host !== '');
  if (hosts.length === 0) return '*';
  const shown = hosts.slice(0, hostsShownMax).join(',');
  return hosts.length > hostsShownMax ? `${shown} + ${hosts.length - hostsShownMax} more...` : shown;
}
