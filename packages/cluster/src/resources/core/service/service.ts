import type { Service } from '../../../api/generated/core-v1.ts';
import { services } from '../../../api/generated/kinds.ts';
import { column, formatLabels } from '../../columns.ts';
import { defineResource, type ResourceDefinition } from '../../resource.ts';
import { dnsLabel1035 } from '../../validation/names.ts';
import { beginService, defaultService, keepAllocated } from './defaults.ts';
import { defaultServiceStatus, validateServiceStatus } from './status.ts';
import { validateService, validateServiceUpdate } from './validation.ts';

export const serviceDefinition: ResourceDefinition<Service> = defineResource(services, {
  schema: 'io.k8s.api.core.v1.Service',
  traits: { createsOnUpdate: true, returnsDeleted: true },
  shortNames: ['svc'],
  connections: ['proxy'],
  categories: ['all'],
  hasStatus: true,
  columns: [
    column('Type', ({ spec }) => spec.type ?? ''),
    column('Cluster-IP', ({ spec }) => spec.clusterIPs?.[0] || spec.clusterIP || '<none>'),
    column('External-IP', externalAddress),
    column('Port(s)', portsText),
    column('Selector', ({ spec }) => formatLabels(spec.selector), { wide: true }),
  ],
  selectableFields: [
    { path: 'spec.clusterIP', of: ({ spec }) => spec.clusterIP ?? '' },
    { path: 'spec.type', of: ({ spec }) => spec.type ?? '' },
  ],
  validateName: dnsLabel1035,
  defaults: defaultService,
  prepareForCreate: beginService,
  prepareForUpdate: keepAllocated,
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  defaultStatus: (status) => defaultServiceStatus(status),
  validateStatusUpdate: (next, _current, at) => validateServiceStatus(next, at),
  *warnings({ spec }) {
    if ((spec.externalName ?? '') !== '' && spec.type !== 'ExternalName')
      yield 'spec.externalName is ignored when spec.type is not "ExternalName"';
  },
});

function externalAddress({ spec, status }: Service): string {
  const externalIps = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'LoadBalancer': {
      const given = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
      const all = [...given.filter((address) => address !== ''), ...externalIps];
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return externalIps.length === 0 ? '<none>' : externalIps.join(',');
  }
}

function portsText({ spec }: Service): string {
  const ports = spec.ports ?? [];
  if (ports.length === 0) return '<none>';
  return ports
    .map(({ port, nodePort = 0, protocol }) => `${port}${nodePort > 0 ? `:${nodePort}` : ''}/${protocol}`)
    .join(',');
}
