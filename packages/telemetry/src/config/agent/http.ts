import type { Authorization, BasicAuth, OAuth2, SafeTLSConfig, TLSConfig } from '../../resources/fields.ts';
import { given, givenOrNothing } from '../given.ts';
import type { Leaf } from './leaf.ts';

/** The HTTP client settings of scrape jobs, remote writes and log clients, as the Grafana Agent spells them. */

export type Section = Readonly<Record<string, unknown>>;

/** `passwordAs` file: the configuration names a file; text: it holds the password itself. */
export function basicAuth(
  auth: BasicAuth | undefined,
  leaf: Leaf,
  { at, passwordAs }: { readonly at: string; readonly passwordAs: 'file' | 'text' },
): Section | undefined {
  if (auth === undefined) return undefined;
  return givenOrNothing({
    username: leaf.secretValue(auth.username, `${at}.username`),
    ...(passwordAs === 'text'
      ? { password: leaf.secretValue(auth.password, `${at}.password`) }
      : { password_file: leaf.secretFile(auth.password, `${at}.password`) }),
  });
}

export function oauth2(auth: OAuth2 | undefined, leaf: Leaf, at: string): Section | undefined {
  if (auth === undefined) return undefined;
  for (const field of ['noProxy', 'proxyFromEnvironment', 'proxyConnectHeader'] as const)
    if (auth[field] !== undefined) unsupported(leaf, `${at}.${field}`);
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

/** `Bearer` when no type is given, as Prometheus has it. Basic credentials belong into `basicAuth`. */
export function authorization(auth: Authorization | undefined, leaf: Leaf, at: string): Section | undefined {
  if (auth === undefined) return undefined;
  const type = auth.type?.trim() || 'Bearer';
  if (type.toLowerCase() === 'basic') {
    leaf.reject('InvalidField', `${at}.type`, 'authorization of type "Basic" does not exist: use basicAuth');
    return undefined;
  }
  const credentials = leaf.secretValue(auth.credentials, `${at}.credentials`);
  return given({ type, credentials, credentials_file: auth.credentialsFile });
}

/** From a token or a file that the resource holds itself. */
export function bearer(token: string | undefined, file: string | undefined): Section | undefined {
  if (isEmpty(token) && isEmpty(file)) return undefined;
  return given({ type: 'Bearer', credentials: token, credentials_file: file });
}

/** Files of the container win over references, as upstream has it. */
export function tls(config: TLSConfig | undefined, leaf: Leaf, at: string): Section | undefined {
  if (config === undefined) return undefined;
  const certificate = config.certFile || leaf.eitherFile(config.cert, `${at}.cert`);
  const key = config.keyFile || leaf.secretFile(config.keySecret, `${at}.keySecret`);
  if (isEmpty(certificate) !== isEmpty(key))
    leaf.reject('InvalidField', at, 'a certificate and its key belong together: set both cert and keySecret');
  return givenOrNothing({
    ca_file: config.caFile || leaf.eitherFile(config.ca, `${at}.ca`),
    cert_file: certificate,
    key_file: key,
    server_name: config.serverName,
    insecure_skip_verify: config.insecureSkipVerify,
    min_version: config.minVersion,
    max_version: config.maxVersion,
  });
}

/** Without the files of the container, which the kinds with safe settings cannot name. */
export function safeTls(config: SafeTLSConfig | undefined, leaf: Leaf, at: string): Section | undefined {
  if (config === undefined) return undefined;
  const { ca, cert, keySecret, serverName, insecureSkipVerify, minVersion, maxVersion } = config;
  return tls(given({ ca, cert, keySecret, serverName, insecureSkipVerify, minVersion, maxVersion }), leaf, at);
}

/** The resource definition accepts the field, but nothing is rendered from it. */
export function unsupported(leaf: Leaf, field: string): void {
  leaf.warn('UnsupportedField', field, 'the Grafana Agent has no such setting, so the field has no effect');
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === '';
}
