import type { Lease } from '../../api/generated/coordination-v1.ts';
import { leases } from '../../api/generated/kinds.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { notNegative } from '../validation/fields.ts';

export const leaseDefinition: ResourceDefinition<Lease> = defineResource(leases, {
  schema: 'io.k8s.api.coordination.v1.Lease',
  traits: { updatesUnconditionally: false, createsOnUpdate: true, qualifiesFinalizers: false },
  signOfLife: 'renewTime',
  columns: [column('Holder', ({ spec }) => spec?.holderIdentity ?? '')],
  *validate({ spec }, at) {
    const { leaseDurationSeconds, leaseTransitions } = spec ?? {};
    if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0)
      yield at('spec', 'leaseDurationSeconds').invalid(leaseDurationSeconds, 'must be greater than 0');
    yield* notNegative(leaseTransitions, at('spec', 'leaseTransitions'));
    if (spec?.preferredHolder !== undefined && spec.strategy === undefined)
      yield at('spec', 'preferredHolder').forbidden('may only be specified if `strategy` is defined');
  },
});
