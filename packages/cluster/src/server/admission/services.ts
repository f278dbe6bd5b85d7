import type { Service } from '../../api/generated/core-v1.ts';
import { services } from '../../api/generated/kinds.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { type Allocation, allocateClusterIp, allocateNodePorts } from '../../resources/core/service/allocation.ts';
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
    update: (next, current, world) => allocate(next as Service, current as Service, world),
  };
}

function allocated(service: Service, allocation: Allocation): Service {
  if (allocation.ok) return allocation.service;
  throw new StatusError(invalid({ group: '', kind: 'Service' }, service.metadata.name, [allocation.issue]));
}
