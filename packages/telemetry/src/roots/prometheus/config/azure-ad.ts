import type { PrometheusRemoteWrite } from '../../../resources/prometheus-fields.ts';
import { checkFilled } from '../../../scrape/checks.ts';
import { given } from '../../../scrape/given.ts';
import type { Section } from '../../../scrape/http.ts';
import { type Place, since } from './settings.ts';
import { isAtLeast } from './version.ts';

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
  checkIds(own, place);
  const clientSecret = oauth && leaf.secretValue(oauth.clientSecret, `${at}.oauth.clientSecret`);
  if (oauth !== undefined) {
    checkFilled(oauth.tenantId, { leaf, at: `${at}.oauth.tenantId` });
    if (!leaf.isRejected) checkFilled(clientSecret, { leaf, at: `${at}.oauth.clientSecret` });
  }
  // An identity without any members is one as well: that of the machine.
  const identities: Section = {
    ...(own.managedIdentity !== undefined && {
      managed_identity: given({ client_id: own.managedIdentity.clientId }),
    }),
    ...(oauth !== undefined && {
      oauth: given({
        client_id: oauth.clientId,
        client_secret: clientSecret,
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

const clouds = ['AzurePublic', 'AzureChina', 'AzureGovernment'];

/** Prometheus looks at them while it reads its file. */
function checkIds(
  { cloud, managedIdentity, oauth, workloadIdentity, scope }: NonNullable<PrometheusRemoteWrite['azureAd']>,
  { leaf, version, at }: Place,
): void {
  const ids = {
    'managedIdentity.clientId': managedIdentity?.clientId || undefined,
    'oauth.clientId': oauth?.clientId,
    'workloadIdentity.clientId': workloadIdentity?.clientId,
    'workloadIdentity.tenantId': workloadIdentity?.tenantId,
  };
  for (const [field, id] of Object.entries(ids))
    if (id !== undefined && !isUuid(id)) leaf.reject('InvalidField', `${at}.${field}`, `"${id}" is no UUID`);
  if (managedIdentity !== undefined && !managedIdentity.clientId && !isAtLeast(version, '3.5'))
    leaf.reject('InvalidField', `${at}.managedIdentity.clientId`, 'may only be left out from Prometheus 3.5 on');
  if (cloud && !clouds.includes(cloud))
    leaf.reject('InvalidField', `${at}.cloud`, `"${cloud}" is none of ${clouds.join(', ')}`);
  if (scope && !/^[\w\s:/.-]+$/.test(scope))
    leaf.reject('InvalidField', `${at}.scope`, 'may only have letters, digits, blanks and any of :/._-');
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
