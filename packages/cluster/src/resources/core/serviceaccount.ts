import type { ServiceAccount } from '../../api/generated/core-v1.ts';
import { serviceaccounts } from '../../api/generated/kinds.ts';
import { countColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition, type Subresource } from '../resource.ts';

const mountableOnly = 'kubernetes.io/enforce-mountable-secrets';

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
  prepareForCreate: namesAlone,
  prepareForUpdate: (next) => namesAlone(next),
  *warnings(next, current) {
    if (next.metadata.annotations?.[mountableOnly] === undefined) return;
    if (current?.metadata.annotations?.[mountableOnly] !== undefined) return;
    yield `metadata.annotations[${mountableOnly}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;
  },
  columns: [countColumn('Secrets', ({ secrets }) => secrets?.length ?? 0)],
});

/** Of a secret counts its name. */
function namesAlone(account: ServiceAccount): ServiceAccount {
  const { secrets } = account;
  if (secrets === undefined || secrets.every((secret) => Object.keys(secret).every((field) => field === 'name')))
    return account;
  return { ...account, secrets: secrets.map(({ name }) => (name === undefined ? {} : { name })) };
}
