import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { OAuth2, TLSConfig } from '../../../resources/fields.ts';
import type { ProxyConfig } from '../../../resources/prometheus-fields.ts';
import { checkFilled, checkUrl } from '../../../scrape/checks.ts';
import { type Fields, sectionOf } from '../../../scrape/fields/table.ts';
import { givenOrNothing } from '../../../scrape/given.ts';
import { type Section, tls } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { type Place, prometheus } from './settings.ts';

/**
 * HTTP client settings as Prometheus spells them. Everything but TLS material stands in the configuration itself, which
 * is a Secret for that reason.
 */

export const proxyFields: Fields<ProxyConfig, Place> = {
  proxyUrl: { as: 'proxy_url' },
  noProxy: { as: 'no_proxy', since: prometheus('2.43') },
  proxyFromEnvironment: { as: 'proxy_from_environment', since: prometheus('2.43') },
  proxyConnectHeader: { as: 'proxy_connect_header', since: prometheus('2.43'), of: connectHeader },
};

/** Prometheus refuses settings that contradict each other together with the whole file. */
export function checkProxy(from: ProxyConfig, { leaf, at }: Place): void {
  checkUrl(from.proxyUrl, { leaf, at: `${at}.proxyUrl` });
  const hasUrl = from.proxyUrl !== undefined && from.proxyUrl !== '';
  const hasHeader = Object.values(from.proxyConnectHeader ?? {}).some((values) => values.length > 0);
  if (from.proxyFromEnvironment === true && (hasUrl || from.noProxy))
    leaf.reject('InvalidField', `${at}.proxyFromEnvironment`, 'excludes proxyUrl and noProxy');
  else if (from.noProxy && !hasUrl) leaf.reject('InvalidField', `${at}.noProxy`, 'needs a proxyUrl');
  if (hasHeader && !hasUrl && from.proxyFromEnvironment !== true)
    leaf.reject('InvalidField', `${at}.proxyConnectHeader`, 'needs proxyUrl or proxyFromEnvironment');
}

function connectHeader(
  headers: NonNullable<ProxyConfig['proxyConnectHeader']>,
  { leaf, at }: Place,
): Section | undefined {
  return givenOrNothing(
    Object.fromEntries(
      Object.entries(headers)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, values]) => [
          name,
          values.map((value, index) => leaf.secretValue(value, `${at}.${name}[${index}]`)),
        ]),
    ),
  );
}

export const oauth2Fields: Fields<OAuth2, Place> = {
  clientId: {
    as: 'client_id',
    // Also where an optional key is missing: there is no login without a name.
    of: (either, { leaf, at }) => {
      const told = leaf.findings.length;
      const id = leaf.eitherValue(either, at);
      if (!id && leaf.findings.length === told) leaf.reject('InvalidField', at, 'must not be empty');
      return id;
    },
  },
  clientSecret: {
    as: 'client_secret',
    optionalSince: prometheus('2.51'),
    of: (selector, { leaf, at }) => leaf.secretValue(selector, at),
  },
  tokenUrl: { as: 'token_url', check: checkUrl },
  scopes: { as: 'scopes' },
  endpointParams: { as: 'endpoint_params' },
  ...proxyFields,
  tlsConfig: { as: 'tls_config', of: (config, { leaf, at }) => checkedTls(config, leaf, at) },
};

export function oauth2(auth: OAuth2, place: Place): Section {
  checkFilled(auth.tokenUrl, { ...place, at: `${place.at}.tokenUrl` });
  checkProxy(auth, place);
  return sectionOf<OAuth2, Place>(auth, oauth2Fields, place);
}

/** The section, once the certificates and keys have been found to be some: a wrong one stops every reload. */
export function checkedTls(config: TLSConfig | undefined, leaf: Leaf, at: string): Section | undefined {
  const before = leaf.findings.length;
  const section = tls(config, leaf, at);
  if (config === undefined || leaf.findings.length > before) return section;
  const ca = config.caFile ? undefined : leaf.eitherText(config.ca, `${at}.ca`);
  if (ca !== undefined && !hasOnlyCertificates(ca))
    leaf.reject('InvalidField', `${at}.ca`, 'holds no certificate in PEM form');
  if (config.certFile || config.keyFile) return section;
  const cert = leaf.eitherText(config.cert, `${at}.cert`);
  const key = leaf.secretText(config.keySecret, `${at}.keySecret`);
  if (cert !== undefined && key !== undefined && !belongTogether(cert, key))
    leaf.reject('InvalidField', `${at}.cert`, 'and keySecret are no certificate in PEM form and its key');
  return section;
}

function hasOnlyCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return blocks.length > 0 && blocks.every((block) => parsed(() => new X509Certificate(block)) !== undefined);
}

function belongTogether(cert: string, key: string): boolean {
  const certificate = parsed(() => new X509Certificate(cert));
  const privateKey = parsed(() => createPrivateKey(key));
  if (certificate === undefined || privateKey === undefined) return false;
  return certificate.checkPrivateKey(privateKey);
}

/** The parsers' messages may quote what they were given. */
function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
