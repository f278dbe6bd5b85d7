import type { Service } from '../../api/generated/core-v1.ts';
import { services } from '../../api/generated/kinds.ts';
import type { Issue } from '../../api/issue.ts';
import { invalid, StatusError } from '../../api/status.ts';
import {
  type Allocation,
  allocateClusterIp,
  allocateHealthCheckPort,
  allocateNodePorts,
} from '../../resources/core/service/allocation.ts';
import { needsHealthCheck } from '../../resources/core/service/defaults.ts';
import { settleFamilies } from '../../resources/core/service/families.ts';
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
    refuse(service, settleFamilies(service.spec, current?.spec).issues);
    const taken = addresses.takenBeside(service, nowMs);
    const isNew = current === undefined || current.spec.type === 'ExternalName';
    const addressed = isNew ? allocated(service, allocateClusterIp(service, { used: taken.addresses, cidr })) : service;
    const reachable = allocated(service, allocateNodePorts(addressed, { used: taken.ports }));
    // One that was given out before stays as it is: what is wrong with another one is told with the rest.
    const isChecked = current !== undefined && needsHealthCheck(current.spec);
    const complete = isChecked
      ? reachable
      : allocated(service, allocateHealthCheckPort(reachable, { used: taken.ports }));
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
  if (!allocation.ok) refuse(service, [allocation.issue]);
  return allocation.ok ? allocation.service : service;
}

function refuse({ metadata }: Service, issues: readonly Issue[]): void {
  if (issues.length > 0) throw new StatusError(invalid({ group: '', kind: 'Service' }, metadata.name, issues));
}
