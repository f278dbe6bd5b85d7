import type { OAuth2, ProxyConfig } from '../../../resources/fields.ts';
import { checkUrl, type Place } from '../../../scrape/checks.ts';
import { each, type Fields, type Line, sectionOf } from '../../../scrape/fields/table.ts';
import { given } from '../../../scrape/given.ts';
import { type Section, tls } from '../../../scrape/http.ts';

/** HTTP client settings as the Grafana Agent alone spells them. */

export const proxyFields: Fields<ProxyConfig> = {
  proxyUrl: { as: 'proxy_url', check: checkUrl },
  ...each('no effect', 'noProxy', 'proxyConnectHeader', 'proxyFromEnvironment'),
};

const oauth2Login: Fields<Pick<OAuth2, 'clientId' | 'clientSecret' | 'scopes' | 'tokenUrl' | 'endpointParams'>> = {
  clientId: { as: 'client_id', of: (id, { leaf, at }) => leaf.eitherValue(id, at) },
  clientSecret: { as: 'client_secret_file', of: (secret, { leaf, at }) => leaf.secretFile(secret, at) },
  scopes: { as: 'scopes' },
  tokenUrl: { as: 'token_url' },
  endpointParams: { as: 'endpoint_params' },
};

const oauth2Request: Fields<Omit<OAuth2, keyof typeof oauth2Login>> = {
  tlsConfig: { as: 'tls_config', of: (own, { leaf, at }) => tls(own, leaf, at) },
  ...proxyFields,
};

const oauth2Fields: Fields<OAuth2> = { ...oauth2Login, ...oauth2Request };

export const oauth2Line: Line<OAuth2, unknown, Place> = { as: 'oauth2', members: oauth2Fields, of: oauth2Section };

function oauth2Section(auth: OAuth2, place: Place): Section {
  const login = sectionOf(auth, oauth2Login, place);
  const { leaf, at } = place;
  // Without any of these the agent refuses its whole file.
  if (!leaf.isRejected)
    for (const [field, line] of Object.entries({
      clientId: 'client_id',
      clientSecret: 'client_secret_file',
      tokenUrl: 'token_url',
    }))
      if (login[line] === undefined) leaf.reject('InvalidField', `${at}.${field}`, 'OAuth2 does not work without it');
  return { ...login, ...sectionOf(auth, oauth2Request, place) };
}

/** From a token or a file that the resource holds itself. */
export function bearer(token: string | undefined, file: string | undefined): Section | undefined {
  if (!token && !file) return undefined;
  return given({ type: 'Bearer', credentials: token, credentials_file: file });
}
