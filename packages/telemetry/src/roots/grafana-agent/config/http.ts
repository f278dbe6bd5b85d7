import type { OAuth2 } from '../../../resources/fields.ts';
import { checkUrl } from '../../../scrape/checks.ts';
import { given } from '../../../scrape/given.ts';
import { type Section, tls } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';

/** HTTP client settings as the Grafana Agent alone spells them. */

export function oauth2(auth: OAuth2 | undefined, leaf: Leaf, at: string): Section | undefined {
  if (auth === undefined) return undefined;
  for (const field of ['noProxy', 'proxyFromEnvironment', 'proxyConnectHeader'] as const)
    if (auth[field] !== undefined) unsupported(leaf, `${at}.${field}`);
  checkUrl(auth.proxyUrl, { leaf, at: `${at}.proxyUrl` });
  const id = leaf.eitherValue(auth.clientId, `${at}.clientId`);
  const secret = leaf.secretFile(auth.clientSecret, `${at}.clientSecret`);
  // Without any of these the agent refuses its whole file.
  const needed = { clientId: id, clientSecret: secret, tokenUrl: auth.tokenUrl };
  if (!leaf.isRejected)
    for (const [field, value] of Object.entries(needed))
      if (isEmpty(value)) leaf.reject('InvalidField', `${at}.${field}`, 'OAuth2 does not work without it');
  return given({
    client_id: id,
    client_secret_file: secret,
    scopes: auth.scopes,
    token_url: auth.tokenUrl,
    endpoint_params: auth.endpointParams,
    tls_config: tls(auth.tlsConfig, leaf, `${at}.tlsConfig`),
    proxy_url: auth.proxyUrl,
  });
}

/** From a token or a file that the resource holds itself. */
export function bearer(token: string | undefined, file: string | undefined): Section | undefined {
  if (isEmpty(token) && isEmpty(file)) return undefined;
  return given({ type: 'Bearer', credentials: token, credentials_file: file });
}

/** The resource definition accepts the field, but nothing is rendered from it. */
export function unsupported(leaf: Leaf, field: string): void {
  leaf.warn('UnsupportedField', field, 'the Grafana Agent has no such setting, so the field has no effect');
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === '';
}
