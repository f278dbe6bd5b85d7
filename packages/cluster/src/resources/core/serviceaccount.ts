import type { ServiceAccount } from '../../api/generated/core-v1.ts';
import { serviceaccounts } from '../../api/generated/kinds.ts';
import { integerColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';

export const serviceaccountDefinition: ResourceDefinition<ServiceAccount> = defineResource(serviceaccounts, {
  schema: 'io.k8s.api.core.v1.ServiceAccount',
  traits: { returnsDeleted: true },
  shortNames: ['sa'],
  columns: [integerColumn('Secrets', ({ secrets }) => secrets?.length ?? 0)],
});
