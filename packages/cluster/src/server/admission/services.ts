import type { Service } from '../../api/generated/core-v1.ts';
import { services } from '../../api/generated/kinds.ts';
import { root } from '../../api/issue.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { type Allocation, allocateClusterIp, allocateNodePorts } from '../../resources/core/service/allocation.ts';
import { validateServiceUpdate } from '../../resources/core/service/validation.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';
import type { ServiceAddresses } from './service-addresses.ts';

export interface ServiceAdmissionOptions {
  readonly addresses: ServiceAddresses;
  /** The IPv4 range of cluster addresses. */
  readonly cidr: string;
}

/** Cluster addresses and node ports, each used once. */
export function createServiceAdmission({ addresses, cidr }: ServiceAdmissionOptions): AdmissionPlugin {
  const allocate = (service: Service, current: Service | undefined, { nowMs, dryRun }: AdmissionWorld): Service => {
    const taken = addresses.takenBeside(service, nowMs);
    const addressed = allocated(
      service,
      allocateClusterIp(service, { used: taken.addresses, cidr, ...(current !== undefined && { current }) }),
    );
    const complete = allocated(service, allocateNodePorts(addressed, { used: taken.ports }));
    if (!dryRun) addresses.reserve(complete, nowMs);
    return complete;
  };
  return {
    name: 'ServiceAddresses',
    resources: [services],
    create: (object, world) => allocate(object as Service, undefined, world),
    // Nothing is looked for in place of an address that has to stay: what is wrong with that is told.
    update: (next, current, world) =>
      isMoved(next as Service, current as Service) ? next : allocate(next as Service, current as Service, world),
  };
}

function isMoved(next: Service, current: Service): boolean {
  for (const _ of validateServiceUpdate(next, current, root)) return true;
  return false;
}

function allocated(service: Service, allocation: Allocation): Service {
  if (allocation.ok) return allocation.service;
  throw new StatusError(invalid({ group: '', kind: 'Service' }, service.metadata.name, [allocation.issue]));
}
