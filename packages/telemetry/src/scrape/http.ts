import type { Authorization, BasicAuth, SafeTLSConfig, TLSConfig } from '../resources/fields.ts';
import { given, givenOrNothing } from './given.ts';
import type { Leaf } from './leaf.ts';

/** The HTTP client settings of scrape jobs, remote writes and log clients, as all agents spell them. */

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

/** `Bearer` when no type is given, as Prometheus has it. Basic credentials belong into `basicAuth`. */
export function authorization(auth: Authorization | undefined, leaf: Leaf, at: string): Section | undefined {
  if (auth === undefined) return undefined;
  const type = auth.type?.trim() || 'Bearer';
  if (type.toLowerCase() === 'basic') {
    leaf.reject('InvalidField', `${at}.type`, 'authorization of type "Basic" does not exist: use basicAuth');
    return undefined;
  }
  const credentials = leaf.secretValue(auth.credentials, `${at}.credentials`);
  if (credentials && auth.credentialsFile)
    leaf.reject('InvalidField', at, 'takes credentials or credentialsFile, not both');
  return given({ type, credentials, credentials_file: auth.credentialsFile });
}

/** Files of the container win over references, as upstream has it. */
export function tls(config: TLSConfig | undefined, leaf: Leaf, at: string): Section | undefined {
  if (config === undefined) return undefined;
  checkTlsVersions(config, { leaf, at });
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

const tlsVersions = ['TLS10', 'TLS11', 'TLS12', 'TLS13'];

function checkTlsVersions(
  { minVersion, maxVersion }: TLSConfig,
  { leaf, at }: { readonly leaf: Leaf; readonly at: string },
): void {
  for (const [field, version] of Object.entries({ minVersion, maxVersion }))
    if (version && !tlsVersions.includes(version))
      leaf.reject('InvalidField', `${at}.${field}`, `"${version}" is none of ${tlsVersions.join(', ')}`);
  if (minVersion && maxVersion && minVersion > maxVersion)
    leaf.reject('InvalidField', `${at}.maxVersion`, `${maxVersion} is older than the ${minVersion} of minVersion`);
}

/** The settings of kinds that cannot name files of the container, whatever else the object holds. */
export function safeTls(config: SafeTLSConfig | undefined): TLSConfig | undefined {
  if (config === undefined) return undefined;
  const { ca, cert, keySecret, serverName, insecureSkipVerify, minVersion, maxVersion } = config;
  return given({ ca, cert, keySecret, serverName, insecureSkipVerify, minVersion, maxVersion });
}

/** Prometheus takes a job with two ways to log in for a mistake and refuses the whole file. */
export function checkOneLogin(section: Section, { leaf, at }: { readonly leaf: Leaf; readonly at: string }): void {
  const ways = logins.filter((way) => way in section);
  if (ways.length > 1) leaf.reject('InvalidField', at, `only one way to log in may be set, not ${ways.join(' and ')}`);
}

const logins = [
  'basic_auth',
  'authorization',
  'oauth2',
  'sigv4',
  'azuread',
  'bearer_token',
  'bearer_token_file',
] as const;

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === '';
}
