import type { PrometheusRemoteWrite } from '../../resources/prometheus-fields.ts';
import { given } from '../given.ts';
import type { Section } from '../http.ts';
import { type Place, since } from './settings.ts';

/** How a remote write proves to Azure who it is. Exactly one identity, or Prometheus refuses the whole file. */
export function azureAdSection(azure: PrometheusRemoteWrite['azureAd'], place: Place): Section | undefined {
  const own = since('2.45', azure, place);
  if (own === undefined) return undefined;
  const { leaf, at } = place;
  const young = <T>(minimum: string, field: string, value: T | undefined): T | undefined =>
    since(minimum, value, { ...place, at: `${at}.${field}` });
  const oauth = young('2.48', 'oauth', own.oauth);
  const sdk = young('2.52', 'sdk', own.sdk);
  const workload = young('3.7', 'workloadIdentity', own.workloadIdentity);
  // An identity without any members is one as well: that of the machine.
  const identities: Section = {
    ...(own.managedIdentity !== undefined && {
      managed_identity: given({ client_id: own.managedIdentity.clientId }),
    }),
    ...(oauth !== undefined && {
      oauth: given({
        client_id: oauth.clientId,
        client_secret: leaf.secretValue(oauth.clientSecret, `${at}.oauth.clientSecret`),
        tenant_id: oauth.tenantId,
      }),
    }),
    ...(sdk !== undefined && { sdk: given({ tenant_id: sdk.tenantId }) }),
    ...(workload !== undefined && {
      workload_identity: given({ client_id: workload.clientId, tenant_id: workload.tenantId }),
    }),
  };
  const names = Object.keys(identities);
  if (names.length === 0)
    leaf.reject('InvalidField', at, 'needs an identity: managedIdentity, oauth, sdk or workloadIdentity');
  if (names.length > 1) leaf.reject('InvalidField', at, `takes one identity, not ${names.join(' and ')}`);
  return { ...given({ cloud: own.cloud }), ...identities, ...given({ scope: young('3.9', 'scope', own.scope) }) };
}
