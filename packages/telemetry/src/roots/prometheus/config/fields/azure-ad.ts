import type { SecretKeySelector } from '@signalbox/cluster';
import type { PrometheusRemoteWrite } from '../../../../resources/prometheus-fields.ts';
import { checkFilled } from '../../../../scrape/checks.ts';
import { type Fields, type Line, sectionOf } from '../../../../scrape/fields/table.ts';
import type { Section } from '../../../../scrape/http.ts';
import { type Place, prometheus } from '../settings.ts';

/** How a remote write proves to Azure who it is. Exactly one identity, or Prometheus refuses the whole file. */

type AzureAd = NonNullable<PrometheusRemoteWrite['azureAd']>;

const clouds = ['AzurePublic', 'AzureChina', 'AzureGovernment'];

const identityFields: Fields<Pick<AzureAd, 'managedIdentity' | 'oauth' | 'sdk' | 'workloadIdentity'>, Place> = {
  // An identity without any members is one as well: that of the machine.
  managedIdentity: {
    as: 'managed_identity',
    keepsAll: true,
    members: {
      clientId: {
        as: 'client_id',
        optionalSince: prometheus('3.5'),
        check: (id, place) => checkId(id || undefined, place),
      },
    },
  },
  oauth: {
    as: 'oauth',
    since: prometheus('2.48'),
    keepsAll: true,
    check: ({ clientId }, place) => checkId(clientId, inField(place, 'clientId')),
    members: {
      clientId: { as: 'client_id' },
      clientSecret: { as: 'client_secret', made: clientSecret },
      tenantId: { as: 'tenant_id', check: checkFilled },
    },
  },
  sdk: { as: 'sdk', since: prometheus('2.52'), keepsAll: true, members: { tenantId: { as: 'tenant_id' } } },
  workloadIdentity: {
    as: 'workload_identity',
    since: prometheus('3.7'),
    keepsAll: true,
    check: ({ clientId, tenantId }, place) => {
      checkId(clientId, inField(place, 'clientId'));
      checkId(tenantId, inField(place, 'tenantId'));
    },
    members: { clientId: { as: 'client_id' }, tenantId: { as: 'tenant_id' } },
  },
};

const azureFields: Fields<AzureAd, Place> = {
  cloud: {
    as: 'cloud',
    check: (cloud, { leaf, at }) => {
      if (cloud && !clouds.includes(cloud))
        leaf.reject('InvalidField', at, `"${cloud}" is none of ${clouds.join(', ')}`);
    },
  },
  ...identityFields,
  scope: {
    as: 'scope',
    since: prometheus('3.9'),
    check: (scope, { leaf, at }) => {
      if (scope && !/^[\w\s:/.-]+$/.test(scope))
        leaf.reject('InvalidField', at, 'may only have letters, digits, blanks and any of :/._-');
    },
  },
};

export const azureAdLine: Line<AzureAd, unknown, Place> = {
  as: 'azuread',
  since: prometheus('2.45'),
  members: azureFields,
  of: azureSection,
};

function azureSection(azure: AzureAd, place: Place): Section {
  const { leaf, at } = place;
  const section = sectionOf<AzureAd, Place>(azure, azureFields, place);
  const names = Object.keys(section).filter((line) => line !== 'cloud' && line !== 'scope');
  if (names.length === 0)
    leaf.reject('InvalidField', at, 'needs an identity: managedIdentity, oauth, sdk or workloadIdentity');
  if (names.length > 1) leaf.reject('InvalidField', at, `takes one identity, not ${names.join(' and ')}`);
  return section;
}

function clientSecret(selector: SecretKeySelector | undefined, { leaf, at }: Place): string | undefined {
  const told = leaf.findings.length;
  const secret = leaf.secretValue(selector, at);
  if (leaf.findings.length === told) checkFilled(secret, { leaf, at });
  return secret;
}

/** Prometheus looks at them while it reads its file. */
function checkId(id: string | undefined, { leaf, at }: Place): void {
  if (id !== undefined && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    leaf.reject('InvalidField', at, `"${id}" is no UUID`);
}

function inField(place: Place, field: string): Place {
  return { ...place, at: `${place.at}.${field}` };
}
