import type { ServiceAccount } from '../../api/generated/core-v1.ts';
import { serviceaccounts } from '../../api/generated/kinds.ts';
import { integerColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition, type Subresource } from '../resource.ts';

/** How a token for the account is asked for; it is signed, and kept nowhere. */
export const tokenSubresource: Subresource<ServiceAccount> = {
  name: 'token',
  verbs: ['create'],
  kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
  schema: 'io.k8s.api.authentication.v1.TokenRequest',
  does: 'issue',
};

export const serviceaccountDefinition: ResourceDefinition<ServiceAccount> = defineResource(serviceaccounts, {
  schema: 'io.k8s.api.core.v1.ServiceAccount',
  traits: { returnsDeleted: true },
  shortNames: ['sa'],
  subresources: [tokenSubresource],
  columns: [integerColumn('Secrets', ({ secrets }) => secrets?.length ?? 0)],
});
